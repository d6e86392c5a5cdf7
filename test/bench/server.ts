/** The servers that the benchmarks talk to, in a process of their own: as little work for each request as can be. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const PORTS = 50;
const MODERN = '2026-07-28';

const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
const tools = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Adds two numbers and says so.',
  inputSchema: schema,
  annotations: { readOnlyHint: true },
}));

/** Many tools, each with a schema of its own, over pages of a hundred. */
const many = Array.from({ length: 10_000 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the work of number ${index}, and says what came of it.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: `What to look for in part ${index}` },
      filter: { type: 'object', properties: { since: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
    },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
}));

type Params = Readonly<Record<string, unknown>>;
const serverInfo = { name: 'bench', version: '1' };
const capabilities = { tools: {} };

/** Ten thousand over a hundred pages. */
const resources = Array.from({ length: 10_000 }, (_, index) => ({
  uri: `docs://archive/${index}`,
  name: `document-${index}`,
  description: `Entry number ${index} of the archive.`,
  mimeType: 'text/plain',
}));
const PAGE = 100;
function page({ cursor = 0 }: Params): object {
  const end = Number(cursor) + PAGE;
  return { resources: resources.slice(Number(cursor), end), ...(end < resources.length && { nextCursor: String(end) }) };
}
const modern = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
const listed = { ...modern, ttlMs: 0, cacheScope: 'private' };
const text = (name: unknown) => ({ content: [{ type: 'text', text: `result of ${name}` }] });

const answers: Readonly<Record<string, Readonly<Record<string, (params: Params) => object>>>> = {
  legacy: {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { ...capabilities, resources: {} }, serverInfo }),
    'resources/list': page,
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'a page of text '.repeat(200) }] }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name }) => text(name),
  },
  modern: {
    'server/discover': () => ({ ...listed, supportedVersions: [MODERN], capabilities }),
    'tools/list': () => ({ ...listed, tools }),
    'tools/call': ({ name }) => ({ ...modern, ...text(name) }),
  },
};

/** Of an address that says how many: `/legacy/json/0/1000`. */
function manyTools(count: number, { cursor = 0 }: Params): object {
  const end = Math.min(Number(cursor) + PAGE, count);
  return { tools: many.slice(Number(cursor), end), ...(end < count && { nextCursor: String(end) }) };
}

/** What arrived since it was last asked: how many of each method, over all ports. */
let counts: Record<string, number> = {};

const counted = (method: string): void => {
  counts[method] = (counts[method] ?? 0) + 1;
};

function reply(path: readonly string[], body: string, response: ServerResponse): void {
  const [era = '', form] = path;
  const { id, method, params = {} } = JSON.parse(body);
  counted(method);
  if (id === undefined) return void response.writeHead(202).end();
  const count = Number(path[3]);
  const answer = method === 'tools/list' && count > 0 ? (given: Params) => manyTools(count, given) : answers[era]?.[method];
  const result = answer === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: answer(params) };
  const message = JSON.stringify({ jsonrpc: '2.0', id, ...result });
  const session = method === 'initialize' ? { 'mcp-session-id': 'bench' } : {};
  if (form === 'sse') {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...session }).end(`event: message\ndata: ${message}\n\n`);
  } else response.writeHead(200, { 'content-type': 'application/json', ...session }).end(message);
}

/** The address says how the server behaves: `/legacy|modern/json|sse/milliseconds`. */
function handle(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const path = (request.url ?? '').slice(1).split('/');
    const answer = (): void => {
      if (request.method === 'POST') return void reply(path, body, response);
      counted(request.method ?? '');
      response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    };
    const latency = Number(path[2]);
    if (latency > 0) setTimeout(answer, latency);
    else answer();
  });
}

async function open(): Promise<number> {
  const server = createServer(handle);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

process.on('message', () => {
  process.send?.(counts);
  counts = {};
});
process.on('disconnect', () => process.exit());
process.send?.(await Promise.all(Array.from({ length: PORTS }, open)));
