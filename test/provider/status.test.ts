/** How servers are, what they say of themselves, and who may see a session's id. */

import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inspectToolSet, type McpMiddleware, type McpPeer } from '../../src/index.ts';
import { startFake } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { answer, call, count, either, failure, type Intercept, PONG, provide, silentTo, status } from './support.ts';

const saying =
  (instructions: string): Intercept =>
  (received, response) => {
    if (received.message.method !== 'initialize') return false;
    const { protocolVersion } = received.message.params as { protocolVersion: string };
    response.setHeader('mcp-session-id', `session-of-${instructions.trim().slice(0, 1)}`);
    return answer(received, response, {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'said', version: '2' },
      instructions,
    });
  };
/** Any session will do. */
const stateless: Intercept = (received, response) => {
  const { method } = received.message;
  if (received.message.id === undefined) return received.method === 'POST' && status(response, 202);
  return method === 'tools/list' && answer(received, response, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
};

describe('L4J-34 instructions', () => {
  it('are in the report, in status(), and one text for a system prompt, in the order of the keys', async () => {
    const [b, a, none] = [
      await fake({ intercept: either(saying('Be kind.'), stateless) }),
      await fake({ intercept: either(saying('  Ask first.\n'), stateless) }),
      await fake(),
    ];
    const provider = provide({ servers: { b: { url: b.url }, a: { url: a.url }, none: { url: none.url } } });
    expect(await provider.instructions()).toBe('# a\n\nAsk first.\n\n# b\n\nBe kind.');
    expect(await provider.instructions({ servers: ['b'] })).toBe('# b\n\nBe kind.');
    expect(await provider.instructions({ servers: ['none'] })).toBe('');
    expect(inspectToolSet(await provider.tools()).servers.b?.instructions).toBe('Be kind.');
    expect((await provider.status()).b?.instructions).toBe('Be kind.');
    expect(count(a, 'initialize') + count(a, 'tools/list')).toBe(2);
  });
});

describe('L4J-35 status', () => {
  it('from memory opens nothing: idle, disabled, connected, failed, needs_auth', async () => {
    const [fine, broken, closed] = [
      await fake(),
      await fake({ intercept: (_, response) => status(response, 500) }),
      await fake({ intercept: (_, response) => status(response, 401) }),
    ];
    const provider = provide({
      servers: {
        fine: { url: fine.url },
        broken: { url: broken.url },
        closed: { url: closed.url },
        off: { url: fine.url, enabled: false },
      },
    });
    const states = async (probe?: boolean) =>
      Object.entries(await provider.status({ probe })).map(([key, { state }]) => `${key} ${state}`);
    expect(await states()).toEqual(['fine idle', 'broken idle', 'closed idle', 'off disabled']);
    expect(fine.requests.length + broken.requests.length + closed.requests.length).toBe(0);
    await provider.tools();
    expect(await states()).toEqual(['fine connected', 'broken failed', 'closed needs_auth', 'off disabled']);
    const { fine: known } = await provider.status();
    expect(known).toMatchObject({
      era: 'legacy',
      serverInfo: { name: 'fake' },
      tools: 1,
      version: expect.stringMatching(/^\d{4}-/),
    });
    expect(known?.milliseconds).toBeGreaterThanOrEqual(0);
    expect(known?.approximateTokens).toBeGreaterThan(0);
  });

  it('`probe` connects what is not connected and pings it now; one that fails costs only itself', async () => {
    const fine = await fake({ intercept: PONG });
    const deaf = await fake({ intercept: silentTo('ping') });
    const provider = provide({
      servers: { fine: { url: fine.url }, deaf: { url: deaf.url }, gone: { url: 'http://127.0.0.1:1/mcp' } },
      timeouts: { ping: 2_000 },
    });
    const probed = await provider.status({ probe: true });
    expect(probed).toMatchObject({
      fine: { state: 'connected' },
      deaf: { state: 'failed', error: { code: 'timeout' } },
      gone: { state: 'failed', error: { code: 'unavailable' } },
    });
    expect(count(fine, 'ping')).toBe(1);
    await provider.status({ probe: true });
    expect(count(fine, 'ping')).toBe(2);
    expect(count(fine, 'initialize')).toBe(1);
  });

  it('a server that knows no ping has answered', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    expect((await provider.status({ probe: true })).s).toMatchObject({ state: 'connected' });
  });

  it('`probe` tells of now: a server that was down when it was listed, and is up again, is connected', async () => {
    const first = await startFake();
    await first.close();
    const provider = provide({ servers: { s: { url: first.url } } });
    await provider.tools();
    expect((await provider.status({ probe: true })).s).toMatchObject({ state: 'failed' });
    const second = await startFake({ port: first.port, intercept: PONG });
    onTestFinished(() => second.close());
    expect((await provider.status({ probe: true })).s).toMatchObject({ state: 'connected' });
    await second.close();
    expect((await provider.status({ probe: true })).s).toMatchObject({ state: 'failed' });
  });

  it('`probe` of a modern server asks what it is, for it knows no ping', async () => {
    const server = await startSdkServer(() => {});
    onTestFinished(() => server.close());
    const provider = provide({ servers: { s: { url: server.url } } });
    expect((await provider.status({ probe: true })).s).toMatchObject({
      state: 'connected',
      era: 'modern',
      instructions: 'Be brief.',
    });
    expect(server.seen.map(({ rpc }) => rpc)).not.toContain('ping');
  });

  it('is of one principal, goes through the middleware, and an abort ends it at once', async () => {
    const server = await fake({ intercept: silentTo('ping') });
    const pings: unknown[] = [];
    const see: McpMiddleware = {
      name: 'see',
      async request(request, next) {
        if (request.method === 'ping') pings.push(request.principal?.id);
        return next(request);
      },
    };
    const provider = provide({ servers: { s: { url: server.url } }, middleware: [see] });
    await provider.tools({ principal: { id: 'zoe' } });
    expect((await provider.status()).s?.state).toBe('idle');
    expect((await provider.status({ principal: { id: 'zoe' } })).s?.state).toBe('connected');
    const caller = new AbortController();
    const asking = failure(provider.status({ probe: true, principal: { id: 'zoe' }, signal: caller.signal }));
    await expect.poll(() => pings).toEqual(['zoe']);
    caller.abort();
    expect(await asking).toMatchObject({ code: 'aborted' });
  });
});

describe('L4J-70 the id of a session', () => {
  it('is in status() and on `peer` after `next`, and in no error, warning, report or record', async () => {
    const secret = 'sentinel-session-id';
    const fails: Intercept = ({ message }, response) => message.method === 'tools/call' && status(response, 500);
    const named: Intercept = (received, response) => {
      if (received.message.method !== 'initialize') return false;
      const { protocolVersion } = received.message.params as { protocolVersion: string };
      response.setHeader('mcp-session-id', secret);
      return answer(received, response, {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      });
    };
    const server = await fake({ intercept: either(named, fails, stateless) });
    const peers: McpPeer[] = [];
    const said: unknown[] = [];
    const provider = provide({
      servers: { s: { url: server.url, tools: { allow: ['*', 'none'] } } },
      onWarning: (warning) => void said.push(warning.message, warning.error),
      middleware: [{ name: 'peer', request: (request, next) => next(request).finally(() => peers.push(request.peer)) }],
    });
    const tools = await provider.tools();
    expect((await provider.status()).s?.sessionId).toBe(secret);
    said.push(await failure(call(tools, 's_echo')), await failure(call(tools, 's_echo')));
    expect(peers.at(-1)).toMatchObject({
      sessionId: secret,
      transport: 'http',
      address: '127.0.0.1',
      port: server.port,
      era: 'legacy',
    });
    said.push(inspectToolSet(tools).servers, inspectToolSet(tools).notes, Object.entries(tools), provider.snapshot());
    expect(said.length).toBeGreaterThan(6);
    for (const each of said) expect(inspect(each, { depth: 20, showHidden: false })).not.toContain(secret);
  });
});
