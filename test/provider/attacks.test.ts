/** What an attack on the provider found, each as its smallest case. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  createMcpToolProvider,
  type HttpServer,
  type McpMiddleware,
  type McpToolProvider,
  type McpToolProviderOptions,
} from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import type { FakeTool } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';
import { count, failure, provide } from './support.ts';

const only = (server: HttpServer): McpToolProvider => provide({ servers: { s: server } });

it('H5 a call that is refused with 400 under its own id is answered: it is not sent again, whatever the text speaks of', async () => {
  let calls = 0;
  const server = await fake({
    intercept({ message }, response) {
      if (message.method !== 'tools/call') return false;
      calls++;
      const error = { code: -32602, message: 'argument "session_name" must be a text' };
      json(response, { jsonrpc: '2.0', id: message.id, error }, 400);
      return true;
    },
  });
  const provider = only({ url: server.url });
  expect(await failure(provider.callTool({ server: 's', tool: 'echo' }))).toMatchObject({ code: 'invalid_arguments' });
  expect(calls).toBe(1);
  expect(count(server, 'initialize')).toBe(1);
});

it('K5 a flood of questions on one reply does not become a flood of sockets', async () => {
  let open = 0;
  let most = 0;
  const server = await fake({
    async intercept({ message }, response) {
      if (message.method === 'tools/call') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let id = 0; id < 1_000; id++) response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n\n`);
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [] } })}\n\n`);
        return true;
      }
      if (message.method !== undefined || message.id === undefined) return false;
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      response.writeHead(202).end();
      return true;
    },
  });
  const provider = only({ url: server.url });
  await provider.callTool({ server: 's', tool: 'echo' });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(64);
});

it('N7 a listing is renewed over its own session, also when another user’s context asks for it', async () => {
  const users = new AsyncLocalStorage<string>();
  const server = await fake({
    intercept({ message, headers }, response) {
      if (message.method !== 'tools/list') return false;
      const tools = [{ name: `only_${headers['x-user']}`, inputSchema: { type: 'object' } }];
      json(response, { jsonrpc: '2.0', id: message.id, result: { tools } });
      return true;
    },
  });
  const provider = only({ url: server.url, headers: () => ({ 'x-user': users.getStore() ?? 'nobody' }) });
  const ada = await users.run('ada', () => provider.tools());
  provider.refresh();
  // His server does not have it; what matters is whose list was asked for on the way.
  await failure(users.run('bob', async () => ada.s_only_ada?.execute?.({}, executeOptions())));
  expect(Object.keys(await users.run('ada', () => provider.tools()))).toEqual(['s_only_ada']);
});

it('N7 no id of a principal can be spelled like another one’s connection', async () => {
  const server = await fake();
  const provider = only({ url: server.url });
  await provider.tools({ principal: { id: 'bob' }, handlers: { elicitation: () => ({ action: 'cancel' }) } });
  await provider.tools({ principal: { id: 'bob#elicitation' } });
  expect(server.sessions.size).toBe(2);
});

it('L4J-66 a borrowed client has its own handlers back when the last of several sets has ended', async () => {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  theirs.onmessage = (message) => {
    const { id, method, params } = message as { id?: number; method: string; params?: { protocolVersion?: string } };
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      },
      'tools/list': { tools: [] },
    };
    if (id !== undefined) void theirs.send({ jsonrpc: '2.0', id, result: results[method] ?? {} } as never);
  };
  const client = new Client({ name: 'mine', version: '1' });
  await client.connect(mine);
  const [onclose, onerror] = [() => {}, () => {}];
  Object.assign(client, { onclose, onerror });
  const options: McpToolProviderOptions = { servers: { s: { client } }, onWarning: false };
  let last = createMcpToolProvider(options);
  await last.tools();
  for (let n = 0; n < 5; n++) {
    const next = createMcpToolProvider(options);
    await next.tools();
    await last.close();
    last = next;
  }
  expect(client.onclose).not.toBe(onclose);
  await last.close();
  expect([client.onclose, client.onerror, client.fallbackNotificationHandler]).toEqual([onclose, onerror, undefined]);
  await client.close();
});

it('L5 a server that quotes the credential it refuses does not get it into errors, warnings and the status', async () => {
  const warnings: string[] = [];
  const server = await fake({
    intercept({ message }, response) {
      if (message.method !== 'initialize') return false;
      json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'rejected: Bearer SENTINEL-token' } });
      return true;
    },
  });
  const provider = provide({
    servers: { s: { url: `${server.url}?key=SENTINEL-key`, headers: { authorization: 'Bearer SENTINEL-token' } } },
    onWarning: ({ message }) => warnings.push(message),
  });
  await provider.tools();
  expect(warnings.join()).toContain('rejected: ***');
  expect(warnings.join() + JSON.stringify(await provider.status())).not.toContain('SENTINEL');
});

it('H1 an abort ends a call that waits in mapResult', async () => {
  const server = await fake();
  const provider = provide({ servers: { s: { url: server.url } }, mapResult: () => new Promise(() => {}) });
  const controller = new AbortController();
  const calling = provider.callTool({ server: 's', tool: 'echo', signal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  expect(await failure(calling)).toMatchObject({ code: 'aborted' });
});

it('I3 callTool finds a tool that its server has only now', async () => {
  const tools = [{ name: 'old' }];
  const server = await fake({ tools });
  const provider = only({ url: server.url });
  await provider.tools();
  tools.push({ name: 'new' });
  expect(await provider.callTool({ server: 's', tool: 'new' })).toMatchObject({ content: [{ text: 'new {}' }] });
});

it('J3 a provider whose place was taken cannot change the servers of the one that took it', async () => {
  const server = await fake();
  const options = { servers: { s: { url: server.url } }, singleton: `attack-${process.pid}` };
  const old = provide(options);
  const present = provide(options);
  expect(await failure(old.setServers({}))).toMatchObject({ code: 'closed' });
  await old.removeServer('s');
  expect(Object.keys(await present.tools())).toEqual(['s_echo']);
});

it('bad arguments of the provider’s methods are told: intervals, statuses, events, roots', async () => {
  const provider = provide({ servers: {} });
  expect(() => provide({ servers: {}, healthCheck: { interval: 2 ** 31 } })).toThrow(/interval/);
  expect(await failure(provider.status({ prob: true } as never))).toMatchObject({ code: 'config_invalid' });
  expect(await failure(provider.instructions({ principle: {} } as never))).toMatchObject({ code: 'config_invalid' });
  expect(() => provider.on('list_change' as never, () => {})).toThrow(/Did you mean "list_changed"/);
  expect(() => provider.setRoots(5 as never)).toThrow(/setRoots/);
});

describe('N8 a call that was judged on what the server said before it restarted', () => {
  async function restarted(
    middleware: McpMiddleware[],
    change: (tool: FakeTool & { annotations: object }) => void,
    lists = true,
  ) {
    const tool = { name: 'look', annotations: { readOnlyHint: true } };
    let began = false;
    const server = await fake({
      tools: [tool],
      intercept: ({ message }, response) =>
        !lists && began && message.method === 'tools/list' && json(response, {}, 500) === undefined,
    });
    const provider = provide({ servers: { s: { url: server.url } }, middleware });
    const tools = await provider.tools();
    change(tool);
    began = true;
    server.sessions.clear();
    return { server, outcome: tools.s_look?.execute?.({}, executeOptions()) as Promise<unknown> };
  }

  it('is not sent to it where the hint has flipped', async () => {
    const { server, outcome } = await restarted([readOnly()], (tool) =>
      Object.assign(tool, { annotations: { readOnlyHint: false } }),
    );
    await expect(outcome).rejects.toMatchObject({ code: 'session_expired' });
    expect(server.executed).toEqual([]);
  });

  it('is not sent to it where it does not say what its tools are', async () => {
    const { server, outcome } = await restarted([readOnly()], () => {}, false);
    await expect(outcome).rejects.toMatchObject({ code: 'session_expired' });
    expect(server.executed).toEqual([]);
  });

  it('is sent once more where it still says the same', async () => {
    const { server, outcome } = await restarted([readOnly()], () => {});
    await expect(outcome).resolves.toMatchObject({ content: [{ text: 'look {}' }] });
    expect(server.executed).toEqual(['look']);
  });
});

it('N8 a listing that may have missed a change is asked for before a call that a policy decides on', async () => {
  let now = 0;
  const tool = { name: 'look', annotations: { readOnlyHint: true } };
  const server = await fake({ tools: [tool] });
  const provider = provide({ servers: { s: { url: server.url } }, middleware: [readOnly()], now: () => now });
  const tools = await provider.tools();
  Object.assign(tool, { annotations: { readOnlyHint: false } });
  now += 60_001;
  await expect(tools.s_look?.execute?.({}, executeOptions())).rejects.toMatchObject({ code: 'not_allowed' });
  expect(server.executed).toEqual([]);
});
