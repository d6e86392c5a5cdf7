/** One tool call with no network at all: what the library itself costs. */

import { createMCPClient } from '@ai-sdk/mcp';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { closeToolSet, createMcpToolSet } from 'mcp-tool-set';
import { compare, lanes, time } from './measure.ts';
import { MemoryTransport } from './memory-transport.ts';
import { clientInfo, executor, INPUT, type Session, threeMiddlewares } from './subjects.ts';

const ROUNDS = 25;
const CALLS = 2_000;

async function ourSession(middleware: ReturnType<typeof threeMiddlewares>): Promise<Session> {
  const tools = await createMcpToolSet({ servers: { s: { transport: () => new MemoryTransport() } }, middleware });
  return { call: executor(tools, 's_tool_1'), close: () => closeToolSet(tools) };
}

async function aiSdkSession(): Promise<Session> {
  const client = await createMCPClient({ transport: new MemoryTransport() as never });
  return { call: executor(await client.tools(), 'tool_1'), close: () => client.close() };
}

async function sdkSession(client: ClientV1 | ClientV2): Promise<Session> {
  await client.connect(new MemoryTransport() as never);
  await client.listTools();
  return { call: () => client.callTool({ name: 'tool_1', arguments: INPUT }), close: () => client.close() };
}

/** The engine that ours stands on, without its checks of results. */
async function unreadSession(): Promise<Session> {
  const client = new ClientV2(clientInfo);
  await client.connect(new MemoryTransport() as never);
  const anything = {
    safeParse: (data: unknown) => ({ success: true, data }),
    '~standard': { version: 1, vendor: 'bench', validate: (value: unknown) => ({ value }) },
  };
  const request = { method: 'tools/call', params: { name: 'tool_1', arguments: INPUT } };
  return { call: () => client.request(request as never, anything as never), close: () => client.close() };
}

/** Ids, a table of who waits, and nothing else. */
function floorSession(): Session {
  const transport = new MemoryTransport();
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  transport.onmessage = ({ id, result }: { id: number; result: unknown }) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  };
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      void transport.send({ jsonrpc: '2.0', id, method, params });
    });
  return { call: () => request('tools/call', { name: 'tool_1', arguments: INPUT }), close: () => transport.close() };
}

export async function memory(): Promise<void> {
  const sessions: Record<string, Session> = {
    '@ai-sdk/mcp': await aiSdkSession(),
    floor: floorSession(),
    'mcp-tool-set': await ourSession([]),
    'mcp-tool-set, three middlewares': await ourSession(threeMiddlewares()),
    'SDK client 1.x': await sdkSession(new ClientV1(clientInfo)),
    'SDK client 2.x': await sdkSession(new ClientV2(clientInfo)),
    'SDK client 2.x, results unread': await unreadSession(),
  };
  const contestants = Object.entries(sessions).map(([name, { call }]) => ({
    name,
    target: name === 'mcp-tool-set' ? 1 : undefined,
    sample: async () => ((await time(() => lanes(() => call(INPUT), CALLS, 1))) / CALLS) * 1_000,
  }));
  await compare(contestants, { title: 'one tool call in memory', rounds: ROUNDS, unit: 'µs' });
  for (const session of Object.values(sessions)) await session.close();
}
