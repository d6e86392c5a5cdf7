/** What is gone comes back with the next use, in bounded time, and nothing runs twice. */

import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { startFake } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, type Intercept, provide, status, textOf } from './support.ts';

const refused = async (port: number, tools: object[] = [{ name: 'echo' }]) => startFake({ port, tools: tools as never });

describe('L4J-23 A9 the back-off', () => {
  it('doubles from `timeouts.backOff` with jitter, and is bounded', async () => {
    let now = 0;
    const server = await fake({ intercept: (_, response) => status(response, 503) });
    const provider = provide({
      servers: { s: { url: server.url } },
      timeouts: { backOff: 200 },
      protocol: '2025-06-18',
      now: () => now,
    });
    const asks = async (): Promise<boolean> => {
      const before = server.requests.length;
      await provider.tools();
      return server.requests.length > before;
    };
    expect(await asks()).toBe(true);
    for (const pause of [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]) {
      now += pause * 0.75 - 1;
      expect(await asks(), `before ${pause}`).toBe(false);
      now += pause * 0.25 + 1;
      expect(await asks(), `after ${pause}`).toBe(true);
    }
  });

  it('`backOff: 0` asks each time, `refresh` asks at once, and a success starts it anew', async () => {
    let down = true;
    let now = 0;
    const server = await fake({ intercept: (_, response) => down && status(response, 503) });
    const provider = provide({
      servers: { s: { url: server.url }, eager: { url: server.url, timeouts: { backOff: 0 } } },
      timeouts: { backOff: 1_000 },
      listTtl: 0,
      protocol: '2025-06-18',
      now: () => now,
    });
    const asked = async (work: () => Promise<unknown>): Promise<number> => {
      const before = count(server, 'initialize');
      await work();
      return count(server, 'initialize') - before;
    };
    expect(await asked(() => provider.tools())).toBe(2);
    expect(await asked(() => provider.tools())).toBe(1);
    provider.refresh('s');
    expect(await asked(() => provider.tools())).toBe(2);
    now += 900;
    down = false;
    provider.refresh('s');
    expect(Object.keys(await provider.tools())).toEqual(['eager_echo', 's_echo']);
  });

  it('A9 a server in back-off is never waited for, and a call is not held up by it', async () => {
    const server = await fake();
    const gone = await startFake();
    const { port } = gone;
    await gone.close();
    const provider = provide({ servers: { s: { url: server.url }, gone: { url: `http://127.0.0.1:${port}/mcp` } } });
    const tools = await provider.tools();
    expect(inspectToolSet(tools).servers.gone).toMatchObject({ state: 'failed', error: { code: 'unavailable' } });
    for (let round = 0; round < 20; round++) await provider.tools();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(await failure(provider.callTool({ server: 'gone', tool: 'x' }))).toMatchObject({
      code: 'unavailable',
      server: 'gone',
    });
  });
});

describe('A18 I9 a server that goes and comes back', () => {
  it('A18 I9 is connected and listed anew by the next use', async () => {
    const first = await startFake();
    const provider = provide({ servers: { s: { url: first.url } } });
    const tools = await provider.tools();
    await first.close();
    // What was written to a socket that was just closing may have arrived.
    expect(['unavailable', 'outcome_unknown']).toContain((await failure(call(tools, 's_echo'))).code);
    const second = await refused(first.port, [{ name: 'echo' }, { name: 'more' }]);
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(Object.keys(await provider.tools())).toEqual(['s_echo', 's_more']);
    await second.close();
  });

  it('A6 a failed reconnect does not stick, and never empties the record in silence', async () => {
    let down = false;
    let now = 0;
    const server = await fake({ intercept: (_, response) => down && status(response, 404) });
    const warned: string[] = [];
    const provider = provide({
      servers: { s: { url: server.url } },
      onWarning: ({ kind }) => void warned.push(kind),
      protocol: '2025-06-18',
      now: () => now,
    });
    const tools = await provider.tools();
    server.sessions.clear();
    down = true;
    for (let attempt = 0; attempt < 3; attempt++) {
      const error = await failure(call(tools, 's_echo'));
      expect(['http_error', 'session_expired', 'unavailable']).toContain(error.code);
    }
    provider.refresh();
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    expect(warned).toContain('server_failed');
    down = false;
    expect(await call(tools, 's_echo')).toBe('echo {}');
    now += 60_000;
    expect(inspectToolSet(await provider.tools()).servers.s).toMatchObject({ tools: 1 });
    await expect.poll(async () => inspectToolSet(await provider.tools()).servers.s?.state).toBe('connected');
  });

  it('A6 a first connect that fails is healed by the next tools() after the pause', async () => {
    const first = await startFake();
    await first.close();
    let now = 0;
    const provider = provide({ servers: { s: { url: first.url } }, now: () => now });
    expect(Object.keys(await provider.tools())).toEqual([]);
    const second = await refused(first.port);
    now += 2_000;
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    await second.close();
  });
});

describe('H5 nothing runs twice', () => {
  const broken = (how: (socket: import('node:net').Socket | null) => void): Intercept & { commits: number } => {
    const intercept: Intercept & { commits: number } = Object.assign(
      (({ message }, response) => {
        if (message.method !== 'tools/call' || intercept.commits > 0) return false;
        intercept.commits++;
        how(response.socket);
        return true;
      }) as Intercept,
      { commits: 0 },
    );
    return intercept;
  };

  it('H5 a call that was committed and then cut off is not sent again: the model is told to check', async () => {
    const cut = broken((socket) => socket?.destroy());
    const server = await fake({ intercept: cut });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    const error = await failure(call(tools, 's_echo'));
    expect(error).toMatchObject({ code: 'outcome_unknown', server: 's', tool: 'echo' });
    expect(error.message).toMatch(/may have been executed/);
    expect(count(server, 'tools/call')).toBe(1);
    expect(await call(tools, 's_echo')).toBe('echo {}');
  });

  it.each([500, 502, 503, 401, 403, 429])('H5 %i to a call is not answered with another', async (code) => {
    const server = await fake({
      intercept: ({ message }, response) => message.method === 'tools/call' && status(response, code),
    });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    await failure(call(tools, 's_echo'));
    expect(count(server, 'tools/call')).toBe(1);
  });

  it('H5 L4J-53 an expired session (404) was surely not executed: one more handshake, and the call once more, never twice', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const tools = await provider.tools();
    server.sessions.clear();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(server.executed).toHaveLength(1);
    expect(count(server, 'initialize')).toBe(2);
    server.sessions.clear();
    await Promise.all(Array.from({ length: 10 }, () => call(tools, 's_echo')));
    expect(server.executed.splice(1)).toHaveLength(10);
    expect(count(server, 'initialize')).toBe(3);
    server.sessions.clear();
    expect(textOf(await provider.callTool({ server: 's', tool: 'echo' }))).toBe('echo {}');
    expect(server.executed).toHaveLength(2);
  });
});
