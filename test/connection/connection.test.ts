import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  closeToolSet,
  createMcpToolProvider,
  createMcpToolSet,
  inspectToolSet,
  type McpMiddleware,
  type McpToolProvider,
  McpToolSetError,
} from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { startFake } from '../support/fake-server.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json, type Received } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { startEverything } from '../support/reference.ts';
import { hasSdkV1, sdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';

const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);
const count = (log: string[], method: string) => log.filter((each) => each === method).length;
/** An interceptor that has answered. */
const answered = (_: unknown): boolean => true;
const rpc = (received: Received, body: object) => ({ jsonrpc: '2.0', id: received.message.id, ...body });

describe('opening', () => {
  it('A5 K5 ten first calls at once open one connection', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    expect(server.requests).toHaveLength(0);
    const records = await Promise.all(Array.from({ length: 10 }, () => provider.tools()));
    await Promise.all(records.map((tools) => tools.s_echo?.execute?.({}, executeOptions())));
    expect(count(server.log(), 'initialize')).toBe(1);
    expect(count(server.log(), 'tools/list')).toBe(1);
    await provider.close();
    expect(server.sessions.size).toBe(0);
  });

  it('a waiter does not depend on the one who started', async () => {
    const server = await fake({ intercept: async () => void (await new Promise((resolve) => setTimeout(resolve, 50))) });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    const starter = new AbortController();
    const first = provider.tools({ signal: starter.signal });
    const second = provider.tools();
    setTimeout(() => starter.abort(), 20);
    await expect(first).rejects.toThrow(coded('aborted'));
    expect(Object.keys(await second)).toEqual(['s_echo']);
    expect(count(server.log(), 'initialize')).toBe(1);
    await provider.close();
  });

  it('TNX-06 an aborted load ends at once and leaves no session', async () => {
    const server = await fake({
      intercept: ({ message }) => (message.method === 'tools/list' ? new Promise(() => {}) : undefined),
    });
    const load = createMcpToolSet({ servers: { s: { url: server.url } }, signal: AbortSignal.timeout(150), onWarning: false });
    await expect(load).rejects.toThrow(coded('aborted'));
    expect(server.sessions.size).toBe(0);
  });

  it('A12 a server that connects and then cannot list is `failed`, and its session ends with the set', async () => {
    const server = await fake({
      intercept: (received, response) =>
        received.message.method === 'tools/list' &&
        answered(json(response, rpc(received, { error: { code: -32603, message: 'broken' } }))),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(inspectToolSet(tools).servers.s).toMatchObject({
      state: 'failed',
      error: { code: 'protocol_error', message: expect.stringContaining('broken') },
    });
    await closeToolSet(tools);
    expect(server.sessions.size).toBe(0);
  });
});

describe('protocol eras', () => {
  it('speaks the modern era with two round trips, and the legacy one with the probe before it', async () => {
    const modern = await startSdkServer((server) =>
      server.registerTool('hi', { description: 'says hi' }, async () => ({ content: [{ type: 'text', text: 'hi' }] })),
    );
    const legacy = await fake();
    const tools = await toolSet({ servers: { modern: { url: modern.url }, legacy: { url: legacy.url } } });
    expect(inspectToolSet(tools).servers).toMatchObject({
      modern: { era: 'modern', version: '2026-07-28', instructions: 'Be brief.' },
      legacy: { era: 'legacy' },
    });
    expect(await tools.modern_hi?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'hi' }] });
    expect(modern.seen.map(({ rpc: method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call']);
    expect(legacy.log().filter((method) => method !== 'notifications/initialized')).toEqual([
      'server/discover',
      'initialize',
      'tools/list',
    ]);
    await modern.close();
  });

  it.each([
    ['500', (received: Received, response: never) => json(response, { oops: received.method }, 500)],
    [
      '400 with text',
      (_: Received, response: import('node:http').ServerResponse) =>
        void response.writeHead(400).end('Bad Request: Server not initialized'),
    ],
    [
      '-32602',
      (received: Received, response: never) => json(response, rpc(received, { error: { code: -32602, message: 'bad params' } })),
    ],
    [
      'HTML',
      (_: Received, response: import('node:http').ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi</p>'),
    ],
    ['silence', () => {}],
  ])('B10 falls back to the legacy handshake when the probe gets %s', async (_, answer) => {
    const server = await fake({
      intercept: (received, response) =>
        received.message.method === 'server/discover' && answered(answer(received, response as never)),
    });
    const tools = await toolSet({ servers: { s: { url: server.url, timeouts: { connect: 1_500 } } } });
    expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'connected', era: 'legacy' });
  });

  it.each([401, 403, 429])('B10 never downgrades on %i', async (status) => {
    const server = await fake({
      intercept: ({ message }, response) => message.method === 'server/discover' && Boolean(response.writeHead(status).end()),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(inspectToolSet(tools).servers.s?.state).not.toBe('connected');
    expect(server.log()).toEqual(['server/discover']);
  });

  it('remembers the era: no second probe for another principal', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    await provider.tools({ principal: { id: 'a' } });
    await provider.tools({ principal: { id: 'b' } });
    expect(count(server.log(), 'server/discover')).toBe(1);
    expect(count(server.log(), 'initialize')).toBe(2);
    await provider.close();
  });

  it('a pinned modern revision does not fall back', async () => {
    const server = await fake();
    const tools = await toolSet({ servers: { s: { url: server.url, protocol: '2026-07-28' } } });
    expect(inspectToolSet(tools).servers.s?.error?.message).toMatch(/2026-07-28/);
    expect(server.log()).toEqual(['server/discover']);
  });
});

describe('healing', () => {
  it.each(['', '<html>gone</html>', '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}'])(
    'B1 a 404 on the session opens a new one and sends the call once more (%j)',
    async (body) => {
      let expire = false;
      const server = await fake({
        intercept: ({ message }, response) => {
          if (!expire || message.method !== 'tools/call') return false;
          expire = false;
          return Boolean(response.writeHead(404, { 'content-type': 'text/html' }).end(body));
        },
      });
      const tools = await toolSet({ servers: { s: { url: server.url } } });
      expire = true;
      expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {}' }] });
      expect(server.executed).toEqual(['echo']);
      expect(count(server.log(), 'initialize')).toBe(2);
    },
  );

  it('B1 a session that is gone for one call does not cost another that is still under way', async () => {
    let expire = false;
    const held: (() => void)[] = [];
    const server = await fake({
      tools: [{ name: 'slow' }, { name: 'fast' }],
      intercept: async ({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        if (message.params?.name === 'slow') await new Promise<void>((resolve) => held.push(resolve));
        else if (expire) {
          expire = false;
          return Boolean(response.writeHead(404).end());
        }
        return false;
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const slow = tools.s_slow?.execute?.({}, executeOptions());
    await expect.poll(() => held.length).toBe(1);
    expire = true;
    expect(await tools.s_fast?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'fast {}' }] });
    for (const release of held) release();
    expect(await slow).toMatchObject({ content: [{ text: 'slow {}' }] });
    expect(server.executed.sort()).toEqual(['fast', 'slow']);
  });

  it('B1 a session that is always unknown ends after one replay', async () => {
    const server = await fake({
      intercept: ({ message }, response) => message.method === 'tools/call' && Boolean(response.writeHead(404).end()),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('session_expired'));
    expect(count(server.log(), 'tools/call')).toBe(2);
  });

  it.each([
    ['text', 'Bad Request: No valid session ID provided'],
    ['JSON-RPC', JSON.stringify({ jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'Session not found' } })],
    [
      'JSON-RPC without id',
      JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } }),
    ],
  ])('B1 a 400 that says so of the session is as good as a 404 (%s)', async (_, body) => {
    let expire = false;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (!expire || message.method !== 'tools/call') return false;
        expire = false;
        return answered(response.writeHead(400, { 'content-type': 'application/json' }).end(body));
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expire = true;
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {}' }] });
    expect(server.executed).toEqual(['echo']);
  });

  it('H5 an answer of the tool that speaks of sessions is an answer: nothing is sent again', async () => {
    let calls = 0;
    const server = await fake({
      intercept: (received, response) => {
        if (received.message.method !== 'tools/call') return false;
        calls++;
        return answered(
          json(response, rpc(received, { error: { code: -32000, message: 'Checkout session closed, the card was charged' } })),
        );
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('protocol_error'));
    expect(calls).toBe(1);
  });

  it('a modern server that became a legacy one behind its URL works on the call after', async () => {
    const modern = await startSdkServer((server) =>
      server.registerTool('echo', {}, async () => ({ content: [{ type: 'text', text: 'modern' }] })),
    );
    const port = Number(new URL(modern.url).port);
    const tools = await toolSet({ servers: { s: { url: modern.url } } });
    await modern.close();
    const legacy = await startFake({ port });
    const call = () => tools.s_echo?.execute?.({}, executeOptions());
    // The first may find the old server's sockets closed, the next learns that the era is another.
    await Promise.resolve(call()).catch(() => {});
    await Promise.resolve(call()).catch(() => {});
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {}' }] });
    await closeToolSet(tools);
    await legacy.close();
  });

  it('what is borrowed is used once: its end is told, and nothing opens it again', async () => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    let starts = 0;
    const start = ours.start.bind(ours);
    ours.start = () => {
      starts++;
      return start();
    };
    theirs.onmessage = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const results: Record<string, Record<string, unknown>> = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      };
      void theirs.send({ jsonrpc: '2.0', id: message.id, result: results[message.method] ?? { content: [] } });
    };
    await theirs.start();
    const tools = await toolSet({ servers: { s: { transport: ours } } });
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toEqual({ content: [] });
    await theirs.close();
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(/given client or transport has closed/);
    expect(starts).toBe(1);
  });

  it('A18 a restarted server works on the next call (a real one)', async () => {
    const first = await startEverything();
    const tools = await toolSet({ servers: { s: { url: first.url } } });
    await first.stop();
    await expect(tools.s_echo?.execute?.({ message: 'x' }, executeOptions())).rejects.toThrow(coded('unavailable'));
    const second = await startEverything(first.port);
    expect(await tools.s_echo?.execute?.({ message: 'back' }, executeOptions())).toMatchObject({
      content: [{ text: 'Echo: back' }],
    });
    await second.stop();
  });

  it('H5 a call whose answer is lost is not sent again; a listing is', async () => {
    let cut: string | undefined;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== cut) return false;
        cut = undefined;
        response.destroy();
        return true;
      },
    });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    cut = 'tools/list';
    const tools = await provider.tools();
    expect(Object.keys(tools)).toEqual(['s_echo']);
    expect(count(server.log(), 'tools/list')).toBe(2);
    cut = 'tools/call';
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('outcome_unknown'));
    expect(count(server.log(), 'tools/call')).toBe(1);
    await provider.close();
  });

  it('a listing that overtakes `initialized` is repeated for a server that minds', async () => {
    let initialized = false;
    const server = await fake({
      intercept: async (received, response) => {
        if (received.message.method === 'notifications/initialized') {
          await new Promise((resolve) => setTimeout(resolve, 100));
          initialized = true;
          return false;
        }
        if (received.message.method !== 'tools/list' || initialized) return false;
        json(
          response,
          rpc(received, { error: { code: -32602, message: 'Received request before initialization was complete' } }),
        );
        return true;
      },
    });
    expect(Object.keys(await toolSet({ servers: { s: { url: server.url } } }))).toEqual(['s_echo']);
    expect(count(server.log(), 'tools/list')).toBe(2);
  });

  it('a server that fails after it has listed keeps its definitions; its calls end as `unavailable`', async () => {
    const server = await startFake();
    let now = 0;
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url, listTtl: 1_000 } },
      now: () => now,
      onWarning: false,
    });
    await provider.tools();
    await server.close();
    now = 10_000;
    provider.refresh();
    const tools = await provider.tools();
    expect(Object.keys(tools)).toEqual(['s_echo']);
    expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'failed', tools: 1 });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('unavailable'));
    await provider.close();
  });
});

describe('whose connection', () => {
  it('N7 two principals share neither session nor headers, and each request carries its own', async () => {
    const server = await fake();
    const seen: [string, string | undefined][] = [];
    const provider = createMcpToolProvider({
      servers: {
        s: {
          url: server.url,
          headers: ({ principal, request }) => ({
            authorization: `Bearer ${principal?.id}`,
            'x-for': request?.method ?? 'background',
          }),
        },
      },
      onWarning: false,
    });
    const [a, b] = await Promise.all(['a', 'b'].map((id) => provider.tools({ principal: { id, headers: { 'x-tenant': id } } })));
    await Promise.all([
      a?.s_echo?.execute?.({}, executeOptions()),
      b?.s_echo?.execute?.({}, executeOptions()),
      a?.s_echo?.execute?.({}, executeOptions()),
    ]);
    for (const { headers, message } of server.requests) {
      expect(headers.authorization).toBe(`Bearer ${headers['x-tenant']}`);
      const session = headers['mcp-session-id'];
      if (message.method === 'tools/call') seen.push([String(session), headers['x-tenant'] as string]);
    }
    expect(new Set(seen.map(([session]) => session)).size).toBe(2);
    expect(new Set(seen.map((pair) => pair.join())).size).toBe(2);
    expect(count(server.log(), 'initialize')).toBe(2);
    await provider.close();
    expect(server.sessions.size).toBe(0);
  });

  it('N7 without a principal the headers decide, also when they read the current user', async () => {
    const server = await fake();
    const user = new AsyncLocalStorage<string>();
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url, headers: () => ({ authorization: `Bearer ${user.getStore()}` }) } },
      onWarning: false,
    });
    const call = async (): Promise<void> => {
      const tools = await provider.tools();
      await tools.s_echo?.execute?.({}, executeOptions());
    };
    await Promise.all(['ann', 'bob'].flatMap((name) => [user.run(name, call), user.run(name, call)]));
    await user.run('eve', () => provider.close());
    const owners = new Map<string, Set<unknown>>();
    for (const { headers } of server.requests) {
      const session = headers['mcp-session-id'];
      if (session !== undefined)
        owners.set(String(session), (owners.get(String(session)) ?? new Set()).add(headers.authorization));
    }
    expect([...owners.values()].map((set) => [...set]).sort()).toEqual([['Bearer ann'], ['Bearer bob']]);
    expect(server.sessions.size).toBe(0);
  });

  it('N7 the end of a session is told with the headers of its own user, whoever closes', async () => {
    const server = await fake();
    const user = new AsyncLocalStorage<string>();
    const headers = () => ({ authorization: `Bearer ${user.getStore()}` });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url, headers } }, onWarning: false });
    await Promise.all(['ann', 'bob'].map((id) => user.run(id, () => provider.tools({ principal: { id } }))));
    await user.run('eve', () => provider.close());
    const ended = server.requests.filter(({ method }) => method === 'DELETE').map(({ headers }) => headers.authorization);
    expect(ended.sort()).toEqual(['Bearer ann', 'Bearer bob']);
  });

  it('K5 more principals at once than connections are kept: each gets its tools', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    const records = await Promise.all(
      Array.from({ length: 130 }, (_, index) => provider.tools({ principal: { id: `user-${index}` } })),
    );
    expect(new Set(records.map((tools) => inspectToolSet(tools).servers.s?.state))).toEqual(new Set(['connected']));
    await provider.close();
    expect(server.sessions.size).toBe(0);
  });

  it('C4 a token that rotates between two calls is the one of the call', async () => {
    let token = 'one';
    const server = await fake();
    const tools = await toolSet({
      servers: { s: { url: server.url, headers: async () => ({ authorization: token }) } },
      principal: { id: 'me' },
    });
    token = 'two';
    await tools.s_echo?.execute?.({}, executeOptions());
    expect(server.requests.at(-1)).toMatchObject({ message: { method: 'tools/call' }, headers: { authorization: 'two' } });
    expect(count(server.log(), 'initialize')).toBe(1);
  });

  it('`share` gives all principals one connection, and its headers no principal', async () => {
    const server = await fake();
    const told: unknown[] = [];
    const provider = createMcpToolProvider({
      servers: {
        s: { url: server.url, share: true, headers: ({ principal }) => new Headers({ 'x-told': String(told.push(principal)) }) },
      },
      onWarning: false,
    });
    await provider.tools({ principal: { id: 'a' } });
    await provider.tools({ principal: { id: 'b', headers: { 'x-tenant': 'b' } } });
    expect(count(server.log(), 'initialize')).toBe(1);
    expect(count(server.log(), 'tools/list')).toBe(1);
    expect(told.every((principal) => principal === undefined)).toBe(true);
    expect(server.requests.every(({ headers }) => headers['x-tenant'] === undefined)).toBe(true);
    await provider.close();
  });

  it('a headers function that fails costs its server, and its error shows no value', async () => {
    const server = await fake();
    const tools = await toolSet({
      servers: {
        bad: { url: server.url, headers: () => Promise.reject(new Error('sentinel-secret')) },
        worse: { url: server.url, headers: () => ({ a: 'sentinel-secret\nx' }) },
        good: { url: server.url },
      },
    });
    const { servers } = inspectToolSet(tools);
    expect(
      Object.values(servers)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['connected', 'failed', 'needs_auth']);
    expect(JSON.stringify(servers)).not.toContain('sentinel-secret');
  });
});

describe('ending', () => {
  it('L4J-25 A1 TNX-14 TNX-18 after close every call fails with `closed`, closing twice is fine, nothing reconnects', async () => {
    const server = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    await tools[Symbol.asyncDispose]();
    await Promise.all([closeToolSet(tools), closeToolSet(tools)]);
    const before = server.requests.length;
    for (const call of [
      tools.s_echo?.execute?.({}, executeOptions()),
      tools.list_resources?.execute?.({}, executeOptions()),
      tools.get_resource?.execute?.({ mcpServer: 's', uri: 'test://r' }, executeOptions()),
    ]) {
      await expect(call).rejects.toThrow(coded('closed'));
    }
    await expect(inspectToolSet(tools).provider.tools()).rejects.toThrow(coded('closed'));
    expect(server.requests).toHaveLength(before);
    expect(server.sessions.size).toBe(0);
  });

  it('L4J-25 closing while a call and a connect are under way ends both with `closed`', async () => {
    const server = await fake({
      intercept: ({ message }) => (message.method === 'tools/call' ? new Promise(() => {}) : undefined),
    });
    const silent = await fake({ intercept: () => new Promise(() => {}) });
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url }, silent: { url: silent.url } },
      onWarning: false,
    });
    const tools = await provider.tools({ servers: ['s'] });
    const call = tools.s_echo?.execute?.({}, executeOptions());
    const connect = provider.tools({ servers: ['silent'] });
    const ended = Promise.allSettled([call, connect]);
    await expect
      .poll(() => [server.log(), silent.log()].flat())
      .toEqual(expect.arrayContaining(['tools/call', 'server/discover']));
    await provider.close();
    for (const outcome of await ended) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
    expect(server.sessions.size).toBe(0);
  });

  it('A8 a call on a list that was out of date when the provider closed opens nothing', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    const tools = await provider.tools();
    provider.refresh();
    await provider.close();
    const before = server.requests.length;
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('closed'));
    expect(server.requests).toHaveLength(before);
  });

  it('disposing a record of a provider ends that record alone', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    const [one, two] = [await provider.tools(), await provider.tools()];
    await closeToolSet(one);
    await expect(one.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('closed'));
    expect(await two.s_echo?.execute?.({}, executeOptions())).toBeDefined();
    await provider.close();
  });

  it('B16 a hundred sets made and closed leave no session behind', async () => {
    const server = await fake();
    for (let round = 0; round < 10; round++) {
      const sets = await Promise.all(
        Array.from({ length: 10 }, () => createMcpToolSet({ servers: { s: { url: server.url } }, onWarning: false })),
      );
      await Promise.all(sets.map(closeToolSet));
    }
    expect(count(server.log(), 'initialize')).toBe(100);
    expect(server.sessions.size).toBe(0);
  });

  it('an HTTP session that idles is ended on its own, and the next call opens another', async () => {
    const server = await fake();
    const tools = await toolSet({ servers: { s: { url: server.url, timeouts: { idle: 100 } } } });
    expect(server.sessions.size).toBe(1);
    await expect.poll(() => server.sessions.size).toBe(0);
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toBeDefined();
    expect(count(server.log(), 'initialize')).toBe(2);
  });

  it('K2 fifty calls with one signal leave no listener, and a late abort does nothing', async () => {
    const server = await fake();
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const controller = new AbortController();
    await Promise.all(Array.from({ length: 50 }, () => tools.s_echo?.execute?.({}, executeOptions(controller.signal))));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const before = server.requests.length;
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(before);
  });
});

describe('what one request must not do to another', () => {
  it('N8 a record whose connection was evicted is still judged on the list as it is now', async () => {
    const annotations = { readOnlyHint: true };
    const server = await fake({ tools: [{ name: 'look', annotations }] });
    let now = 0;
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url } },
      middleware: [readOnly()],
      now: () => now,
      onWarning: false,
    });
    const old = await provider.tools({ principal: { id: 'first' } });
    now = 5_000;
    for (let index = 0; index < 101; index++) await provider.tools({ principal: { id: `user-${index}` } });
    expect(server.log()).toContain('DELETE');
    annotations.readOnlyHint = false;
    provider.refresh();
    await expect(old.s_look?.execute?.({}, executeOptions())).rejects.toThrow(coded('not_allowed'));
    expect(server.executed).toEqual([]);
    await provider.close();
  });

  it('the middleware of one request stays out of a listing that others share', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({ servers: { s: { url: server.url, share: true } }, onWarning: false });
    const nosy: McpMiddleware = {
      name: 'nosy',
      request: async (request, next) => {
        const result = await next(request);
        return request.method === 'tools/list'
          ? { tools: [...(result.tools as object[]), { name: 'private', inputSchema: {} }] }
          : result;
      },
    };
    await provider.tools({ principal: { id: 'alice' }, middleware: [nosy] });
    expect(Object.keys(await provider.tools({ principal: { id: 'bob' } }))).toEqual(['s_echo']);
    await provider.close();
  });

  it('L5 a header that HTTP refuses is nowhere in the error, whoever added it', async () => {
    const server = await fake();
    const adds: McpMiddleware = {
      name: 'adds',
      request: (request, next) => next({ ...request, headers: { 'x-key': 'sentinel\nsecret' } }),
    };
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [adds] });
    expect(JSON.stringify(inspectToolSet(tools).servers)).toContain('config_invalid');
    expect(JSON.stringify(inspectToolSet(tools).servers)).not.toContain('sentinel');
  });

  it('L5 neither the query of the URL nor an argument is quoted from what a server echoes', async () => {
    const server = await fake({
      intercept: (received, response) => {
        const echo =
          received.message.method === 'tools/call'
            ? received.body
            : received.message.method === 'server/discover'
              ? received.path
              : undefined;
        return echo !== undefined && answered(response.writeHead(502, { 'content-type': 'text/html' }).end(`<p>${echo}</p>`));
      },
    });
    const tools = await toolSet({ servers: { s: { url: `${server.url}?api_key=sentinel-query`, protocol: 'auto' } } });
    const call = tools.s_echo?.execute?.({ text: 'sentinel-argument' }, executeOptions());
    await expect(call).rejects.toSatisfy((error) => McpToolSetError.is(error) && !error.message.includes('sentinel'));
  });

  it('a list that never ends costs its server the total budget', async () => {
    let page = 0;
    const server = await fake({
      intercept: async (received, response) => {
        if (received.message.method !== 'tools/list') return false;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return answered(json(response, rpc(received, { result: { tools: [], nextCursor: String(++page) } })));
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url, timeouts: { total: 300 } } } });
    expect(inspectToolSet(tools).servers.s?.error).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('list of tools'),
    });
  });
});

describe.skipIf(!hasSdkV1)(`clients of the 1.x SDK${sdkV1LeftOut}`, () => {
  it('K2 a call that is finished is not cancelled afterwards', async () => {
    const server = await fake();
    const { Client, StreamableHTTPClientTransport } = await sdkV1();
    const client = async () => {
      const made = new Client({ name: 'v1', version: '1' });
      await made.connect(new StreamableHTTPClientTransport(new URL(server.url)) as Parameters<typeof made.connect>[0]);
      return made;
    };
    const tools = await toolSet({ servers: { s: { client } } });
    for (let call = 0; call < 3; call++) await tools.s_echo?.execute?.({}, executeOptions());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.log()).not.toContain('notifications/cancelled');
  });
});

describe('what users get wrong', () => {
  it('a factory that never settles cannot hold up closing, aborting or failing', async () => {
    const never = { transport: () => new Promise<never>(() => {}), timeouts: { connect: 200 } };
    const tools = await createMcpToolSet({ servers: { never }, onWarning: false });
    expect(inspectToolSet(tools).servers.never?.error?.code).toBe('timeout');
    await closeToolSet(tools);
    await expect(createMcpToolSet({ servers: { never: { ...never, required: true } }, onWarning: false })).rejects.toThrow(
      coded('timeout'),
    );
  });

  it('a factory that makes nothing is told so', async () => {
    const servers = { t: { transport: () => undefined as never }, c: { client: () => ({}) as never } };
    const { servers: status } = inspectToolSet(await toolSet({ servers }));
    expect(status.t?.error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('`transport` function') });
    expect(status.c?.error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('`client` function') });
  });

  it('a headers function that hangs costs its server its connect budget, and closing does not wait for it', async () => {
    const server = await fake();
    let hang = true;
    const headers = () => (hang ? new Promise<never>(() => {}) : {});
    const servers = { hung: { url: server.url, headers, timeouts: { connect: 150 } }, good: { url: server.url } };
    const provider = createMcpToolProvider({ servers, onWarning: false });
    const { servers: status } = inspectToolSet(await provider.tools());
    expect(status).toMatchObject({
      hung: { error: { code: 'timeout', message: expect.stringContaining('`headers` function') } },
      good: { state: 'connected' },
    });
    hang = false;
    provider.refresh();
    const tools = await provider.tools();
    hang = true;
    await expect(tools.hung_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('timeout'));
    const waiting = createMcpToolProvider({ servers: { hung: { url: server.url, headers } }, onWarning: false });
    const asked = waiting.tools();
    await Promise.all([waiting.close(), expect(asked).rejects.toThrow(coded('closed')), provider.close()]);
  });

  it('a connection lost in the handshake says that nothing was executed', async () => {
    const server = await fake({
      intercept: ({ message }, response) => message.method === 'initialize' && answered(response.destroy()),
    });
    const { error } = inspectToolSet(await toolSet({ servers: { s: { url: server.url } } })).servers.s ?? {};
    expect(error?.code).toBe('unavailable');
    expect(error?.message).toMatch(/nothing was executed/);
    expect(error?.message).not.toMatch(/may have been executed/);
  });
});

describe('time', () => {
  it('a call without an answer ends at its budget with a text for the model', async () => {
    const hang = {
      intercept: ({ message }: Received) => (message.method === 'tools/call' ? new Promise<boolean>(() => {}) : undefined),
    };
    const server = await fake(hang as never);
    const tools = await toolSet({ servers: { s: { url: server.url, timeouts: { request: 100 } } } });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('timeout'));
    const worded = await toolSet({
      servers: { s: { url: server.url } },
      timeouts: { request: 100 },
      timeoutMessage: 'Too slow; tell the user.',
    });
    await expect(worded.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(/Too slow; tell the user/);
  });

  it('H1 H3 an abort and a time-out tell the server, with a neutral reason', async () => {
    const server = await fake({
      intercept: ({ message }) => (message.method === 'tools/call' ? new Promise(() => {}) : undefined),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const controller = new AbortController();
    const call = tools.s_echo?.execute?.({}, executeOptions(controller.signal));
    await expect.poll(() => server.log()).toContain('tools/call');
    controller.abort(new Error('sentinel-secret'));
    await expect(call).rejects.toThrow(coded('aborted'));
    await expect.poll(() => server.log()).toContain('notifications/cancelled');
    expect(JSON.stringify(server.requests)).not.toContain('sentinel-secret');
  });
});

describe('a provider in module scope', () => {
  it('I6 asks nothing when nothing changed, answers an aged listing at once and renews it behind', async () => {
    const server = await fake();
    let now = 0;
    const provider: McpToolProvider = createMcpToolProvider({
      servers: { s: { url: server.url, listTtl: 1_000 } },
      now: () => now,
      onWarning: false,
    });
    await provider.tools();
    await provider.tools();
    expect(count(server.log(), 'tools/list')).toBe(1);
    now = 2_000;
    await provider.tools();
    await expect.poll(() => count(server.log(), 'tools/list')).toBe(2);
    provider.refresh('s');
    await provider.tools();
    expect(count(server.log(), 'tools/list')).toBe(3);
    await provider.close();
  });

  it('I3 a change that is told of while the list is under way is not missed', async () => {
    const tools = [{ name: 'old' }];
    const server = await fake({
      tools,
      intercept: (received, response) => {
        if (received.message.method !== 'tools/list' || tools.length > 1) return false;
        const events = [
          { method: 'notifications/tools/list_changed' },
          rpc(received, { result: { tools: [{ name: 'old', inputSchema: {} }] } }),
        ];
        tools.push({ name: 'new' });
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return answered(
          response.end(events.map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...event })}\n\n`).join('')),
        );
      },
    });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    expect(Object.keys(await provider.tools())).toEqual(['s_old']);
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
    await provider.close();
  });

  it('`refresh` is not answered from a listing that is under way', async () => {
    const tools = [{ name: 'old' }];
    let hold: Promise<void> | undefined;
    let release = (): void => {};
    const server = await fake({
      tools,
      intercept: async (received, response) => {
        if (received.message.method !== 'tools/list') return false;
        const listed = rpc(received, { result: { tools: tools.map((tool) => ({ ...tool, inputSchema: { type: 'object' } })) } });
        await hold;
        return answered(json(response, listed));
      },
    });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = provider.tools();
    await expect.poll(() => server.log()).toContain('tools/list');
    tools.push({ name: 'new' });
    provider.refresh();
    const second = provider.tools();
    await expect.poll(() => count(server.log(), 'tools/list')).toBe(2);
    release();
    await first;
    expect(Object.keys(await second)).toEqual(['s_new', 's_old']);
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
    await provider.close();
  });

  it('A9 ten who wait for one failed attempt count as one failure', async () => {
    let now = 0;
    const server = await fake({ intercept: (_, response) => answered(response.writeHead(503).end()) });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, now: () => now, onWarning: false });
    await Promise.all(Array.from({ length: 10 }, () => provider.tools()));
    const asked = server.requests.length;
    now = 1_001;
    await provider.tools();
    expect(server.requests.length).toBeGreaterThan(asked);
    await provider.close();
  });

  it('A9 a server in back-off is not asked again at once', async () => {
    let now = 0;
    const server = await fake({ intercept: (_, response) => Boolean(response.writeHead(503).end()) });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, now: () => now, onWarning: false });
    await provider.tools();
    const asked = server.requests.length;
    await provider.tools();
    expect(server.requests).toHaveLength(asked);
    now = 60_000;
    await provider.tools();
    expect(server.requests.length).toBeGreaterThan(asked);
    await provider.close();
  });

  it('a misspelled option of tools() is refused', async () => {
    const provider = createMcpToolProvider({ servers: {} });
    await expect(provider.tools({ principle: { id: 'x' } } as never)).rejects.toThrow(coded('config_invalid'));
    await expect(provider.tools({ servers: ['nope'] })).rejects.toThrow(coded('config_invalid'));
    expect(Object.keys(await createMcpToolProvider({ servers: {}, onWarning: false }).tools())).toEqual([]);
    await provider.close();
  });
});
