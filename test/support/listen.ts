/** A raw HTTP server on loopback for one test: whatever the handler does, it is gone afterwards. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Listening {
  /** `http://127.0.0.1:port/mcp` */
  readonly url: string;
  readonly port: number;
  /** What was received, in order. */
  readonly requests: Received[];
  /** Sockets that are open now. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body as a JSON-RPC message, or an empty object. */
  readonly message: { id?: string | number; method?: string; params?: Record<string, unknown> };
}

export async function listen(
  handler: (request: Received, response: ServerResponse, raw: IncomingMessage) => void | Promise<void>,
  port = 0,
): Promise<Listening> {
  const requests: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (raw, response) => {
    let body = '';
    for await (const chunk of raw) body += chunk;
    let message: Received['message'] = {};
    try {
      message = JSON.parse(body);
    } catch {}
    const received: Received = { method: raw.method ?? '', path: raw.url ?? '', headers: raw.headers, body, message };
    requests.push(received);
    try {
      await handler(received, response, raw);
    } catch (error) {
      response.destroy(error as Error);
    }
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    requests,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
