/** Time: every budget, for all servers, for one, and for one tool; and how a call ends. */

import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpToolProviderOptions, type Timeouts } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import type { Received } from '../support/listen.ts';
import { answer, call, count, failure, gate, type Intercept, provide, silentTo } from './support.ts';

const NONE = 0;
/** Long enough to list in, on a slow machine. */
const LONG = 1_500;
const SHORT = 120;
const elapsed = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work;
  return performance.now() - start;
};
const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Answers a call after so many steps of progress, each after a pause. */
const progressing =
  (steps: number, pause: number): Intercept =>
  async ({ message }, response) => {
    if (message.method !== 'tools/call') return false;
    const { progressToken } = (message.params?._meta ?? {}) as { progressToken?: unknown };
    const send = (body: object): void => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...body })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let progress = 1; progress <= steps && !response.destroyed; progress++) {
      await later(pause);
      send({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    send({ id: message.id, result: { content: [{ type: 'text', text: 'at last' }] } });
    response.end();
    return true;
  };

async function hangs(timeouts: Partial<Record<'set' | 'server', Timeouts>>, options: Partial<McpToolProviderOptions> = {}) {
  const server = await fake({ tools: [{ name: 'slow_read' }, { name: 'other' }], intercept: silentTo('tools/call') });
  const provider = provide({
    servers: { s: { url: server.url, timeouts: timeouts.server } },
    timeouts: timeouts.set,
    ...options,
  });
  return { server, tools: await provider.tools(), provider };
}

describe('L4J-21 H3 budgets of a request', () => {
  it('of the set, of a server, of a tool: the nearest word counts, `total` as well as `request`', async () => {
    const cases: Record<string, [Parameters<typeof hangs>[0], tool: string]> = {
      'request of the set': [{ set: { request: LONG } }, 'slow_read'],
      'total of the set': [{ set: { request: NONE, total: LONG } }, 'slow_read'],
      'request of the server': [{ set: { request: NONE, total: NONE }, server: { request: LONG } }, 'slow_read'],
      'total of the server': [{ set: { total: NONE }, server: { request: NONE, total: LONG } }, 'slow_read'],
      'request of a tool, by glob': [{ set: { tools: { 'slow*': { request: LONG } } } }, 'slow_read'],
      'total of a tool': [{ server: { request: NONE, tools: { slow_read: { total: LONG } } } }, 'slow_read'],
      'the server’s word on a tool before the set’s': [
        { set: { tools: { other: { request: NONE } } }, server: { tools: { 'oth?r': { request: LONG } } } },
        'other',
      ],
      'the first pattern that matches': [{ server: { tools: { '*': { request: LONG }, other: { request: NONE } } } }, 'other'],
    };
    const ends = Object.entries(cases).map(async ([what, [timeouts, tool]]) => {
      const { tools, server } = await hangs(timeouts);
      const { code, tool: named, data } = await failure(call(tools, `s_${tool}`));
      return [what, { code, tool: named, data, calls: count(server, 'tools/call') }];
    });
    const wanted = Object.entries(cases).map(([what, [, tool]]) => [
      what,
      { code: 'timeout', tool, data: { milliseconds: LONG }, calls: 1 },
    ]);
    expect(await Promise.all(ends)).toEqual(wanted);
  });

  it('a tool’s own budget is no other tool’s', async () => {
    const { tools } = await hangs({ set: { request: NONE, total: NONE, tools: { other: { request: SHORT } } } });
    const caller = new AbortController();
    const slow = failure(call(tools, 's_slow_read', {}, caller.signal));
    expect(await failure(call(tools, 's_other'))).toMatchObject({ code: 'timeout' });
    await later(2 * SHORT);
    caller.abort();
    expect(await slow).toMatchObject({ code: 'aborted' });
  });

  it('0 is none: a call goes on past every other budget', async () => {
    const server = await fake({ intercept: progressing(0, 0) });
    const slow: Intercept = async ({ message }) => {
      if (message.method === 'tools/call') await later(3 * SHORT);
      return false;
    };
    const late = await fake({ intercept: slow });
    const none = { connect: 0, request: 0, total: 0, ping: 0, idle: 0, ready: 0, backOff: 0 };
    const tools = await provide({ servers: { s: { url: server.url }, late: { url: late.url } }, timeouts: none }).tools();
    expect(await call(tools, 's_echo')).toBe('at last');
    expect(await call(tools, 'late_echo')).toBe('echo {}');
  });

  it('H4 progress starts `request` anew, and `total` caps it all the same', async () => {
    const server = await fake({ intercept: progressing(8, 250) });
    const servers = { s: { url: server.url } };
    const patient = await provide({ servers, timeouts: { request: LONG, total: 20_000 } }).tools();
    const capped = await provide({ servers, timeouts: { request: LONG, tools: { echo: { total: 700 } } } }).tools();
    const [late, cut] = [call(patient, 's_echo'), failure(call(capped, 's_echo'))];
    expect(await cut).toMatchObject({ code: 'timeout', data: { milliseconds: 700 } });
    expect(await late).toBe('at last');
  });

  it('A13 `connect` ends a handshake without an answer, and the server’s own goes over the set’s', async () => {
    let ended = false;
    const server = await fake({
      intercept: ({ message }, response) => {
        response.on('close', () => {
          ended = true;
        });
        return silentTo('initialize')({ message } as Received, response);
      },
    });
    const provider = provide({
      servers: { s: { url: server.url, timeouts: { connect: SHORT } } },
      timeouts: { connect: NONE },
      protocol: '2025-06-18',
    });
    const { servers } = inspectToolSet(await provider.tools());
    expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    expect(servers.s?.error?.message).toMatch(/120 ms.*timeouts\.connect/);
    await expect.poll(() => ended).toBe(true);
    expect(server.log()).toEqual(['initialize']);
  });

  it('`ready` bounds how long tools() waits, not the connecting', async () => {
    const held = gate();
    const slow = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'initialize') await held.passed;
        return false;
      },
    });
    const quick = await fake();
    const provider = provide({ servers: { slow: { url: slow.url }, quick: { url: quick.url } }, timeouts: { ready: 1_500 } });
    expect(Object.keys(await provider.tools())).toEqual(['quick_echo']);
    held.open();
    await expect.poll(async () => Object.keys(await provider.tools()), { timeout: 5_000 }).toContain('slow_echo');
    expect(count(slow, 'initialize')).toBe(1);
  });

  it('`total` also bounds a listing with all its pages', async () => {
    let page = 0;
    const server = await fake({
      intercept: async (received, response) => {
        if (received.message.method !== 'tools/list') return false;
        await later(20);
        return answer(received, response, { tools: [], nextCursor: `page-${page++}` });
      },
    });
    const provider = provide({ servers: { s: { url: server.url, timeouts: { total: 2 * SHORT } } } });
    expect(inspectToolSet(await provider.tools()).servers.s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    const asked = page;
    await later(SHORT);
    expect(page).toBeLessThanOrEqual(asked + 1);
  });

  it('`ping` is the budget of a health check', async () => {
    const server = await fake({ intercept: silentTo('ping') });
    const provider = provide({ servers: { s: { url: server.url } }, timeouts: { ping: SHORT } });
    await provider.tools();
    const took = await elapsed(provider.status({ probe: true }));
    expect(took).toBeLessThan(5_000);
    expect((await provider.status({ probe: true })).s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
  });

  it('`idle` ends a session that is not used, and none while a call is under way', async () => {
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/call') await later(LONG + 300);
        return false;
      },
    });
    const provider = provide({ servers: { s: { url: server.url, timeouts: { idle: LONG } } } });
    const tools = await provider.tools();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(1);
    await expect.poll(() => server.sessions.size, { timeout: 5_000 }).toBe(0);
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(2);
  });
});
