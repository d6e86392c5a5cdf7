/** A real MCP server of the official SDK that speaks both protocol eras on one URL, with whatever tools a test gives it. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

export interface SdkServer {
  readonly url: string;
  /** Methods and headers as they arrived. */
  readonly seen: { method: string; rpc: string | undefined; headers: Record<string, string | string[] | undefined> }[];
  close(): Promise<void>;
}

/** `setup` registers tools and resources on each server object (the handler makes one for each request). */
export async function startSdkServer(setup: (server: McpServer) => void): Promise<SdkServer> {
  const seen: SdkServer['seen'] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'sdk-server', version: '1.0.0' }, { instructions: 'Be brief.' });
    setup(server);
    return server;
  });
  const node = toNodeHandler(handler);
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    let parsed: { method?: string } | undefined;
    try {
      parsed = JSON.parse(body);
    } catch {}
    seen.push({ method: request.method ?? '', rpc: parsed?.method, headers: request.headers });
    await node(request as Parameters<typeof node>[0], response, parsed);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    seen,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
