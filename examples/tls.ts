/** A server behind a private certificate authority: a `fetch` of one's own trusts it, for this server alone. */

import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, closeToolSet, createMcpToolSet, type FetchLike, inspectToolSet } from 'mcp-tool-set';
import { generate } from 'selfsigned';
import { Agent, fetch as undiciFetch } from 'undici';

const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});
const results: Record<string, object> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'private', version: '1' } },
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'Hello over TLS.' }] },
};
const server = createServer({ key, cert }, async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method } = JSON.parse(Buffer.concat(chunks).toString());
  if (id === undefined) return void response.writeHead(202).end();
  const body =
    results[method] === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: results[method] };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

// The one part that an application writes: its authority, and a fetch that knows it.
const dispatcher = new Agent({ connect: { ca: cert } });
const trusting: FetchLike = async (target, init) => {
  const options = { ...init, dispatcher } as Parameters<typeof undiciFetch>[1];
  return (await undiciFetch(target, options)) as unknown as Response;
};

const tools = await createMcpToolSet({
  servers: { private: { url, fetch: trusting }, distrusted: { url } },
  onWarning: false,
});
try {
  const { servers } = inspectToolSet(tools);
  assert.equal(servers.private?.state, 'connected');
  assert.equal(servers.distrusted?.state, 'failed', 'without it the certificate is refused');
  const result = (await tools.private_hello?.execute?.({}, { toolCallId: '1', messages: [], context: {} })) as CallToolResult;
  assert.deepEqual(result.content, [{ type: 'text', text: 'Hello over TLS.' }]);
  console.log('Called a tool behind a private certificate authority.');
} finally {
  await closeToolSet(tools);
  await dispatcher.close();
  await new Promise((resolve) => server.close(resolve));
}
