/** When a server is asked for its tools, and when memory answers. */

import { describe, expect, it } from 'vitest';
import type { McpToolProviderOptions } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, gate, type Intercept, listed, provide, pushing, status } from './support.ts';

/** Lists these names, which the test may change. */
const listing =
  (names: readonly string[], more: object = {}): Intercept =>
  (received, response) =>
    received.message.method === 'tools/list' && listed(received, response, names, more);

async function ageing(options: Partial<McpToolProviderOptions> = {}, more: object = {}, settings: object = {}) {
  const time = { at: 1_000_000 };
  const names = ['old'];
  const server = await fake({ intercept: listing(names, more) });
  const provider = provide({ servers: { s: { url: server.url, ...settings } }, now: () => time.at, ...options });
  return { time, names, server, provider, lists: () => count(server, 'tools/list') };
}

describe('L4J-24 I6 the list of a server', () => {
  it('L4J-24 I6 is asked for once, however many want it at once and after; nothing at all is asked when nothing changed', async () => {
    const { provider, server, lists } = await ageing();
    await Promise.all(Array.from({ length: 20 }, () => provider.tools()));
    expect(lists()).toBe(1);
    const asked = server.requests.length;
    for (let round = 0; round < 50; round++) await provider.tools();
    await Promise.all([
      provider.tools({ filter: () => true }),
      provider.tools({ servers: ['s'] }),
      provider.instructions(),
      provider.status(),
    ]);
    expect(server.requests.length).toBe(asked);
  });

  it('I7 I8 without a push channel is fresh for `listTtl`, then answered at once and listed anew behind', async () => {
    const background: Promise<unknown>[] = [];
    const { provider, time, names, lists } = await ageing({ listTtl: 5_000, waitUntil: (work) => void background.push(work) });
    await provider.tools();
    names.push('new');
    time.at += 4_999;
    expect(Object.keys(await provider.tools())).toEqual(['s_old']);
    expect(lists()).toBe(1);
    time.at += 2;
    expect(Object.keys(await provider.tools())).toEqual(['s_old']);
    await Promise.all(background);
    expect(background).toHaveLength(1);
    expect(lists()).toBe(2);
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
  });

  it('a `waitUntil` that refuses costs nobody a tool', async () => {
    const waitUntil = (): void => {
      throw new Error('outside of a request');
    };
    const { provider, time, lists } = await ageing({ listTtl: 1_000, waitUntil });
    await provider.tools();
    time.at += 1_001;
    expect(Object.keys(await provider.tools())).toEqual(['s_old']);
    await expect.poll(lists).toBe(2);
  });

  it('the default is 60 s, and a server’s own `listTtl` goes over the set’s', async () => {
    const { provider, time, lists } = await ageing();
    await provider.tools();
    time.at += 59_999;
    await provider.tools();
    expect(lists()).toBe(1);
    time.at += 2;
    await provider.tools();
    await expect.poll(lists).toBe(2);
    const own = await ageing({ listTtl: 0 }, {}, { listTtl: 10_000 });
    await own.provider.tools();
    own.time.at += 9_000;
    await own.provider.tools();
    expect(own.lists()).toBe(1);
  });

  it('I8 the server’s own `ttlMs` counts in place of it', async () => {
    const { provider, time, lists } = await ageing({}, { ttlMs: 2_000 });
    await provider.tools();
    time.at += 1_999;
    await provider.tools();
    expect(lists()).toBe(1);
    time.at += 2;
    await provider.tools();
    await expect.poll(lists).toBe(2);
    const long = await ageing({}, { ttlMs: 500_000 });
    await long.provider.tools();
    long.time.at += 400_000;
    await long.provider.tools();
    expect(long.lists()).toBe(1);
  });

  it.each<[string, Partial<McpToolProviderOptions>, object]>([
    ['of the set', { listTtl: 0 }, {}],
    ['of the server', {}, { listTtl: 0 }],
  ])('L4J-65 `listTtl: 0` %s asks each time, and waits for the answer', async (_whose, options, settings) => {
    const { provider, names, lists } = await ageing(options, { ttlMs: 60_000 }, settings);
    await provider.tools();
    names.push('new');
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
    expect(lists()).toBe(2);
    await Promise.all([provider.tools(), provider.tools(), provider.tools()]);
    expect(lists()).toBe(3);
  });

  it('L4J-24 `refresh(server)` makes the next tools() ask that one alone, `refresh()` all', async () => {
    const [one, two] = [await fake(), await fake()];
    const provider = provide({ servers: { one: { url: one.url }, two: { url: two.url } } });
    const lists = () => [count(one, 'tools/list'), count(two, 'tools/list')];
    await provider.tools();
    provider.refresh('one');
    expect(lists()).toEqual([1, 1]);
    await provider.tools();
    expect(lists()).toEqual([2, 1]);
    provider.refresh();
    await provider.tools();
    expect(lists()).toEqual([3, 2]);
  });
});

describe('L4J-24 I3 list_changed', () => {
  it('I3 what is under way when a change is told of, or `refresh` is called, answers nobody who asks later', async () => {
    const names = ['old'];
    const held = gate();
    const server = await fake({
      intercept: async (received, response) => {
        if (received.message.method !== 'tools/list') return false;
        const then = [...names];
        if (then.length === 1) await held.passed;
        return listed(received, response, then);
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const early = provider.tools();
    await expect.poll(() => count(server, 'tools/list')).toBe(1);
    names.push('new');
    provider.refresh('s');
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
    held.open();
    await early;
    // Nor does the older answer, which came last, take the place of the newer.
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
  });

  it('I3 is applied at the next tools(); a run keeps what it has, and what is gone says so clearly', async () => {
    const names = ['old', 'stays'];
    const server = await pushing({ tools: names.map((name) => ({ name })), intercept: listing(names) });
    const provider = provide({ servers: { s: { url: server.url } } });
    let told = 0;
    provider.on('list_changed', () => told++);
    const run = await provider.tools();
    await expect.poll(() => server.streams.size).toBe(1);
    names.splice(0, 1, 'new');
    for (let burst = 0; burst < 20; burst++) server.push('notifications/tools/list_changed');
    await expect.poll(() => told).toBe(20);
    const before = count(server, 'tools/list');
    expect(Object.keys(run)).toEqual(['s_old', 's_stays']);
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_stays']);
    expect(count(server, 'tools/list')).toBe(before + 1);
    expect(await call(run, 's_stays')).toBeDefined();
    const gone = await failure(call(run, 's_old'));
    expect(gone).toMatchObject({ code: 'tool_not_found', server: 's', tool: 'old' });
    expect(gone.message).toMatch(/no longer offers/);
    expect(server.executed).toEqual(['stays']);
  });

  it('I3 where the push channel stands, a listing does not age', async () => {
    const time = { at: 1_000 };
    const server = await pushing();
    const provider = provide({ servers: { s: { url: server.url, stream: true } }, now: () => time.at });
    await provider.tools();
    await expect.poll(() => server.streams.size).toBe(1);
    await provider.tools();
    await expect.poll(() => count(server, 'tools/list')).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = count(server, 'tools/list');
    time.at += 3_600_000 - 60_000;
    await provider.tools();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(count(server, 'tools/list')).toBe(before);
  });

  it('I3 a notification of a connection that was given up is ignored', async () => {
    const server = await pushing();
    const provider = provide({ servers: { s: { url: server.url, stream: true } } });
    const told: string[] = [];
    provider.on('notification', ({ method }) => void told.push(method));
    const tools = await provider.tools();
    await expect.poll(() => server.streams.size).toBe(1);
    const [stale] = server.streams;
    server.sessions.clear();
    await call(tools, 's_echo');
    await provider.tools();
    const before = count(server, 'tools/list');
    stale?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(told).toEqual([]);
    await provider.tools();
    expect(count(server, 'tools/list')).toBe(before);
  });

  it('I9 a session that was lost is listed anew', async () => {
    const { provider, server, names, lists } = await ageing();
    const tools = await provider.tools();
    names.push('new');
    server.sessions.clear();
    await call(tools, 's_old').catch(() => {});
    expect(Object.keys(await provider.tools())).toEqual(['s_new', 's_old']);
    expect(lists()).toBe(2);
  });
});

describe('N8 hints after a change that cannot be listed', () => {
  it('N8 fail closed until the server has listed again, not only once', async () => {
    let fails = false;
    const server = await fake({
      tools: [{ name: 'look', annotations: { readOnlyHint: true } }],
      intercept: ({ message }, response) => fails && message.method === 'tools/list' && status(response, 500),
    });
    const provider = provide({ servers: { s: { url: server.url } }, middleware: [readOnly()] });
    const tools = await provider.tools();
    expect(await call(tools, 's_look')).toBe('look {}');
    fails = true;
    provider.refresh();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failure(call(tools, 's_look'))).toMatchObject({ code: 'not_allowed' });
      expect(await failure(provider.callTool({ server: 's', tool: 'look' }))).toMatchObject({ code: 'not_allowed' });
    }
    expect(server.executed).toHaveLength(1);
    fails = false;
    provider.refresh();
    expect(await call(tools, 's_look')).toBe('look {}');
  });
});
