/** What the tests of the HTTP transport share: a served handler, a transport on it, and the ways to send by hand. */

import type { ServerResponse } from 'node:http';
import { Client, type JSONRPCMessage, type RequestOptions } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { HttpTransport, type HttpTransportOptions } from '../../src/transports/http.ts';
import { carry, type RequestContext } from '../../src/transports/transport.ts';
import { json, type Listening, listen, type Received } from '../support/listen.ts';

export type Handler = (request: Received, response: ServerResponse) => void | Promise<void>;

export interface Served extends Listening {
  /** Replies that are not over: neither ended nor cut off. */
  readonly open: Set<ServerResponse>;
}

/** Serves until the test is over. */
export async function serve(handler: Handler): Promise<Served> {
  const open = new Set<ServerResponse>();
  const server = await listen((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    return handler(request, response);
  });
  onTestFinished(() => server.close());
  return Object.assign(server, { open });
}

export interface Driven {
  readonly transport: HttpTransport;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  /** Sends a request by hand; `signal`, `headers` and `peer` travel as the connection layer sends them. */
  request(method: string, context?: RequestContext, params?: Record<string, unknown>, id?: string | number): Promise<void>;
}

/** A transport whose `onmessage` and `onerror` are recorded; closed when the test is over. */
export function drive(url: string | URL, options: Partial<HttpTransportOptions> = {}): Driven {
  const transport = new HttpTransport({ server: 'docs', url: new URL(url), headers: () => new Headers(), ...options });
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  onTestFinished(() => transport.close());
  return {
    transport,
    messages,
    errors,
    request: (method, context, params = {}, id = 1) =>
      transport.send({ jsonrpc: '2.0', id, method, params }, context === undefined ? undefined : { headers: carry(context) }),
  };
}

/** A real client of the legacy era on a transport of ours; both are closed when the test is over. */
export async function connect(
  url: string,
  options: Partial<HttpTransportOptions> = {},
): Promise<{ client: Client; driven: Driven }> {
  const driven = drive(url, options);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(driven.transport);
  return { client, driven };
}

/** A reply to a request, in the shape of JSON-RPC. */
export function reply(request: Received, result: unknown = { ok: true }): Record<string, unknown> {
  return { jsonrpc: '2.0', id: request.message.id, result };
}

const ANYTHING = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const;

/** A request through the client, whose result is taken as it is. */
export function ask(
  client: Client,
  method: string,
  params: Record<string, unknown> = {},
  options: RequestOptions = {},
): Promise<unknown> {
  return client.request({ method, params }, ANYTHING, options);
}

/** A server of the legacy era with a session; what it does not know goes to `otherwise`. */
export function legacy(
  otherwise: Handler = (request, response) => json(response, reply(request)),
  sessionId = 'session-1',
): Handler {
  return (request, response) => {
    if (request.message.method === 'initialize') {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } };
      return json(response, reply(request, result), 200, { 'mcp-session-id': sessionId });
    }
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.message.id === undefined) return void response.writeHead(202).end();
    return otherwise(request, response);
  };
}

/** Begins an SSE reply; unless it is over, the handler goes on from there. */
export function sse(response: ServerResponse, text = '', over = false): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (text !== '') response.write(text);
  if (over) response.end();
}

export function event(message: unknown): string {
  return `data: ${JSON.stringify(message)}\n\n`;
}

/** What a promise rejects with, as an error of ours. */
export async function failure(promise: Promise<unknown>): Promise<McpToolSetError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!McpToolSetError.is(error)) throw error;
  return error;
}

/** Waits until something holds; the test's own time-out is the bound. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A promise and its resolve function. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
