/** The server that the benchmarks talk to, in a process of its own: as little work for each request as can be. */

import { createServer } from 'node:http';

const tools = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Adds two numbers and says so.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
}));

const answers: Record<string, (params: Record<string, unknown>) => object | undefined> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: `result of ${name}` }] }),
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    if (request.method !== 'POST') return void response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    const { id, method, params = {} } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = answers[method]?.(params);
    const reply = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...reply });
    const session = method === 'initialize' ? { 'mcp-session-id': 'bench' } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...session }).end(text);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
process.on('disconnect', () => process.exit());
