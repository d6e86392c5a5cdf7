/** A small legacy-era MCP server over HTTP whose every answer a test can replace. */

import type { ServerResponse } from 'node:http';
import { json, type Listening, listen, type Received } from './listen.ts';

export interface FakeServer extends Listening {
  /** JSON-RPC methods (or `DELETE`, `GET`) as they arrived. */
  readonly log: () => string[];
  /** Sessions that are open now. */
  readonly sessions: Set<string>;
  /** Calls that were executed, by tool name. */
  readonly executed: string[];
}

export interface FakeTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly annotations?: object;
  readonly result?: object;
}

export interface FakeOptions {
  readonly tools?: FakeTool[];
  readonly resources?: object[];
  readonly capabilities?: object;
  readonly port?: number;
  /** Answers instead of the server; returns true when it did. */
  readonly intercept?: (received: Received, response: ServerResponse) => boolean | undefined | Promise<boolean | undefined>;
}

const SESSION = 'mcp-session-id';

export async function startFake(options: FakeOptions = {}): Promise<FakeServer> {
  const { tools = [{ name: 'echo' }], resources, intercept } = options;
  const capabilities = options.capabilities ?? { tools: {}, ...(resources && { resources: {} }) };
  const sessions = new Set<string>();
  const executed: string[] = [];
  const server = await listen(async (received, response) => {
    if (await intercept?.(received, response)) return;
    const { id, method, params } = received.message;
    const answer = (result: object, headers = {}): void => json(response, { jsonrpc: '2.0', id, result }, 200, headers);
    const refuse = (code: number, message: string): void => json(response, { jsonrpc: '2.0', id, error: { code, message } });
    if (received.method === 'DELETE') {
      sessions.delete(String(received.headers[SESSION]));
      return void response.writeHead(204).end();
    }
    if (received.method !== 'POST') return void response.writeHead(405).end();
    if (method === 'initialize') {
      const session = `session-${sessions.size + 1}-${Math.random().toString(36).slice(2)}`;
      sessions.add(session);
      const { protocolVersion } = params as { protocolVersion: string };
      return answer({ protocolVersion, capabilities, serverInfo: { name: 'fake', version: '1' } }, { [SESSION]: session });
    }
    if (method === 'server/discover') return refuse(-32601, 'Method not found');
    if (!sessions.has(String(received.headers[SESSION]))) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    switch (method) {
      case 'tools/list':
        return answer({ tools: tools.map(({ result, ...tool }) => ({ inputSchema: { type: 'object' }, ...tool })) });
      case 'tools/call': {
        const { name, arguments: input } = params as { name: string; arguments: object };
        executed.push(name);
        const tool = tools.find((each) => each.name === name);
        if (tool === undefined) return refuse(-32602, `Unknown tool: ${name}`);
        return answer(tool.result ?? { content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }] });
      }
      case 'resources/list':
        return answer({ resources: resources ?? [] });
      case 'resources/templates/list':
        return answer({ resourceTemplates: [] });
      case 'resources/read':
        return answer({ contents: [{ uri: (params as { uri: string }).uri, text: 'text of it' }] });
      default:
        return refuse(-32601, 'Method not found');
    }
  }, options.port);
  return {
    ...server,
    sessions,
    executed,
    log: () => server.requests.map(({ method, message }) => message.method ?? method),
  };
}
