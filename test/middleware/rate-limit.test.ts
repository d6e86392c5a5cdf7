import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { DeadlineError } from '../../src/lib/abort.ts';
import { type RateLimitOptions, rateLimit } from '../../src/middleware/index.ts';
import type { McpRequest } from '../../src/types.ts';
import { call, OK, request, requestThrough, tool } from './fake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter over a last step that notes when each request started, by the request's id. */
function limited(options: RateLimitOptions) {
  // Faked, this one is whole milliseconds.
  const middleware = rateLimit({ now: () => Date.now(), ...options });
  const started: { id: number; at: number }[] = [];
  const ended: { id: number; code: string; error: McpToolSetError }[] = [];
  const begin = Date.now();
  const run = requestThrough([middleware], async (input) => {
    started.push({ id: Number(input.params.id), at: Date.now() - begin });
    return OK;
  });
  function send(id: number, overrides: Partial<McpRequest> = {}): void {
    run(request({ params: { name: 'read_file', id }, ...overrides })).catch((error) =>
      ended.push({ id, code: error.code, error }),
    );
  }
  return { middleware, started, ended, send, ids: () => started.map(({ id }) => id) };
}

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('L4J-19 rate limit', () => {
  test('L4J-19 lets the limit start at once, makes the next wait, and refuses what would wait too long', async () => {
    const { send, started, ended } = limited({ limit: 2, interval: 1_000, maxWait: 1_500 });
    for (let id = 0; id < 5; id++) send(id);
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual([
      { id: 0, at: 0 },
      { id: 1, at: 0 },
    ]);
    expect(ended).toMatchObject([{ id: 4, code: 'rate_limited' }]);
    await vi.advanceTimersByTimeAsync(999);
    expect(started).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(started.slice(2)).toEqual([
      { id: 2, at: 1_000 },
      { id: 3, at: 1_000 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('L4J-19 the refusal tells the model when to try again, and trying then works', async () => {
    const { send, started, ended } = limited({ limit: 1, interval: 60_000 });
    send(0);
    await vi.advanceTimersByTimeAsync(12_345);
    send(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended[0]?.error.message).toBe(
      'MCP server "files", tool "read_file": the rate limit of 1 requests in 60000 ms is used up. Nothing was sent. Try again in 47.7 s.',
    );
    expect(ended[0]?.error.data).toEqual({
      allowed: false,
      limit: 1,
      remaining: 0,
      resetAt: Date.now() + 47_655,
      retryAfter: 47_655,
      interval: 60_000,
    });
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(47_655);
    send(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(started).toEqual([
      { id: 0, at: 0 },
      { id: 2, at: 60_000 },
    ]);
  });

  test('maxWait: 0 never waits', async () => {
    const { send, ids, ended } = limited({ limit: 1, interval: 10, maxWait: 0 });
    send(0);
    send(1);
    await vi.advanceTimersByTimeAsync(10);
    send(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([0, 2]);
    expect(ended).toMatchObject([{ id: 1, code: 'rate_limited' }]);
  });

  test('an abort ends the wait at once, and those behind move up', async () => {
    const { send, started, ended } = limited({ limit: 1, interval: 100 });
    const controller = new AbortController();
    const { signal } = controller;
    send(0);
    send(1, { signal });
    send(2);
    send(3);
    await vi.advanceTimersByTimeAsync(50);
    expect(listeners(signal)).toBe(1);
    controller.abort(new Error('stop'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toMatchObject([{ id: 1, code: 'aborted' }]);
    expect(ended[0]?.error.cause).toBe(signal.reason);
    expect(listeners(signal)).toBe(0);
    expect(vi.getTimerCount()).toBe(2);
    await vi.advanceTimersByTimeAsync(150);
    expect(started).toEqual([
      { id: 0, at: 0 },
      { id: 2, at: 100 },
      { id: 3, at: 200 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('no listener stays on the signal of a request that got its turn', async () => {
    const { send, ids } = limited({ limit: 1, interval: 100 });
    const { signal } = new AbortController();
    for (let id = 0; id < 4; id++) send(id, { signal });
    await vi.advanceTimersByTimeAsync(300);
    expect(ids()).toEqual([0, 1, 2, 3]);
    expect(listeners(signal)).toBe(0);
  });

  test.each([
    ['the caller', new Error('stop'), 'aborted'],
    ['a deadline', new DeadlineError(50), 'timeout'],
    ['AbortSignal.timeout', new DOMException('late', 'TimeoutError'), 'timeout'],
    ['closing', new McpToolSetError('closed', 'the tool set was closed.'), 'closed'],
  ])('ended by %s, before it came or while it waits', async (_, reason, code) => {
    const { send, ids, ended } = limited({ limit: 1, interval: 100 });
    const controller = new AbortController();
    send(0);
    send(1, { signal: controller.signal });
    controller.abort(reason);
    send(2, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended).toMatchObject([
      { id: 2, code },
      { id: 1, code },
    ]);
    expect(ids()).toEqual([0]);
  });

  test('M4 one tenant never slows another, nor one server another', async () => {
    const { send, started, middleware } = limited({ limit: 1, interval: 1_000 });
    const places = [
      { server: 'files', principal: { id: 'a' } },
      { server: 'files', principal: { id: 'b' } },
      { server: 'files' },
      { server: 'docs', principal: { id: 'a' } },
      // These would be alike, were the two just joined.
      { server: 'x/y', principal: { id: 'z' } },
      { server: 'x', principal: { id: 'y/z' } },
      { server: 'x%2Fy' },
      { server: 'x/y' },
      { server: 'x', principal: { id: '' } },
      { server: 'x' },
    ];
    for (const [id, place] of places.entries()) for (let time = 0; time < 3; time++) send(id, place);
    await vi.advanceTimersByTimeAsync(0);
    expect(started.map(({ id }) => id)).toEqual([...places.keys()]);
    expect(middleware.usage().map(({ key }) => key)).toContain('files/a');
    expect(new Set(middleware.usage().map(({ key }) => key)).size).toBe(places.length);
  });

  test('M5 M6 handshakes and pings are free, listings too unless a tool call asks for them', async () => {
    const { send, ids } = limited({ limit: 1, interval: 1_000, maxWait: 0 });
    const free = ['initialize', 'server/discover', 'ping', 'logging/setLevel', 'notifications/initialized'];
    for (const method of free) for (let time = 0; time < 8; time++) send(1, { method });
    const listings = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'subscriptions/listen'];
    for (const method of listings) send(2, { method, call: undefined });
    for (const method of listings) send(3, { method, server: 'files', call: call(tool({ server: '*', kind: 'resource' })) });
    send(4, { method: 'resources/read', call: undefined });
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([...Array(free.length * 8).fill(1), ...listings.map(() => 2), 3]);
  });

  test("a key of one's own", async () => {
    const { send, ids, middleware } = limited({ limit: 1, interval: 1_000, maxWait: 0, key: ({ method }) => method });
    send(0);
    send(1, { server: 'docs' });
    send(2, { method: 'resources/read' });
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([0, 2]);
    expect(middleware.usage()).toEqual([
      { key: 'tools/call', used: 1, limit: 1, remaining: 0 },
      { key: 'resources/read', used: 1, limit: 1, remaining: 0 },
    ]);
  });

  test('usage says what counts now, and idle keys are dropped', async () => {
    const { send, middleware } = limited({ limit: 3, interval: 1_000 });
    for (let id = 0; id < 1_000; id++) send(id, { principal: { id: `user ${id}` } });
    send(0, { principal: { id: 'user 7' } });
    await vi.advanceTimersByTimeAsync(400);
    expect(middleware.usage()).toHaveLength(1_000);
    expect(middleware.usage()[7]).toEqual({ key: 'files/user 7', used: 2, limit: 3, remaining: 1 });
    await vi.advanceTimersByTimeAsync(600);
    expect(middleware.usage()[7]).toMatchObject({ used: 0, remaining: 3 });
    send(0, { server: 'docs' });
    expect(middleware.usage()).toEqual([{ key: 'docs', used: 1, limit: 3, remaining: 2 }]);
  });

  test('a key is not dropped while somebody waits or anything counts', async () => {
    const { send, started } = limited({ limit: 1, interval: 100 });
    for (let id = 0; id < 4; id++) send(id);
    for (let time = 1; time <= 7; time++) {
      await vi.advanceTimersByTimeAsync(50);
      send(100 + time, { principal: { id: String(time) } });
    }
    send(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started.filter(({ id }) => id < 100).map(({ at }) => at)).toEqual([0, 100, 200, 300, 400]);
  });

  test('one who comes when the turn of others has come, but not yet their timers, lets them go first', async () => {
    const { send, ids } = limited({ limit: 2, interval: 100 });
    for (let id = 0; id < 3; id++) send(id);
    vi.setSystemTime(Date.now() + 100);
    send(3);
    send(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids()).toEqual([0, 1, 2, 3, 4]);
  });

  test('a waiter whose timer died with its request blocks nobody (workerd)', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    const { send, started } = limited({ limit: 1, interval: 100 });
    send(0);
    vi.stubGlobal('setTimeout', () => 0);
    send(1);
    await Promise.resolve();
    vi.unstubAllGlobals();
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    send(2);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.unstubAllGlobals();
    expect(started).toEqual([
      { id: 0, at: 0 },
      // The dead one had its turn when the next one came to look.
      { id: 2, at: 300 },
    ]);
  });

  test.each([
    [{}, 'limit: is missing; it must be a whole number, 1 or more.'],
    [{ limit: 0, interval: 1 }, 'limit: must be a whole number'],
    [{ limit: 1.5, interval: 1 }, 'limit: must be a whole number'],
    [{ limit: '10', interval: 1 }, 'limit: must be a whole number'],
    [{ limit: 1, interval: 0 }, 'interval: must be a number of milliseconds above 0'],
    [{ limit: 1, interval: Number.NaN }, 'interval: must be'],
    [{ limit: 1, interval: Number.POSITIVE_INFINITY }, 'interval: must be'],
    [{ limit: 1, interval: 1, maxWait: -1 }, 'maxWait: must be a number of milliseconds from 0'],
    [{ limit: 1, interval: 1, maxWait: 2 ** 31 }, 'maxWait: must be'],
    [{ limit: 1, interval: 1, maxwait: 1 }, 'maxwait: is not known here. Did you mean "maxWait"?'],
    [{ limit: 1, interval: 1, key: 'server' }, 'key: must be a function'],
    [{ limit: 1, interval: 1, now: 5 }, 'now: must be a function'],
    [undefined, 'must be an object, not missing'],
  ])('bad options throw at once: %j', (options, text) => {
    expect(() => rateLimit(options as never)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });
});

describe('L4J-19 whatever the arrivals', () => {
  const schedule = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    interval: fc.integer({ min: 1, max: 200 }),
    maxWait: fc.integer({ min: 0, max: 1_000 }),
    arrivals: fc.array(
      fc.record({
        after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 150 })),
        abortAfter: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 40 },
    ),
  });

  test('never more than the limit in any interval, first come first served, and nothing is lost or left', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async ({ limit, interval, maxWait, arrivals }) => {
        vi.useFakeTimers();
        const { send, started, ended, ids } = limited({ limit, interval, maxWait });
        for (const [id, { after, abortAfter }] of arrivals.entries()) {
          await vi.advanceTimersByTimeAsync(after);
          const controller = new AbortController();
          if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter);
          send(id, { signal: controller.signal });
        }
        await vi.advanceTimersByTimeAsync(maxWait + 1_000);

        for (let index = limit; index < started.length; index++) {
          expect(started[index]!.at - started[index - limit]!.at).toBeGreaterThanOrEqual(interval);
        }
        expect(ids()).toEqual([...ids()].sort((a, b) => a - b));
        expect([...ids(), ...ended.map(({ id }) => id)].sort((a, b) => a - b)).toEqual([...arrivals.keys()]);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test('what was aborted or refused costs nothing: the rest start exactly as if it had never come', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (input) => {
        // Every arrival comes at a time of its own, at an even one, and aborts at odd ones, so that no order is left open.
        const arrivals = input.arrivals.map(({ after, abortAfter }) => ({ after: after * 2 + 2, abortAfter }));
        const { limit } = input;
        const interval = input.interval * 2;
        async function run(keep: (id: number) => boolean) {
          vi.useFakeTimers();
          const { send, started, ended } = limited({ limit, interval, maxWait: 100_000 });
          for (const [id, { after, abortAfter }] of arrivals.entries()) {
            await vi.advanceTimersByTimeAsync(after);
            if (!keep(id)) continue;
            const controller = new AbortController();
            if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter * 2 + 1);
            send(id, { signal: controller.signal });
          }
          await vi.advanceTimersByTimeAsync(100_000);
          return { started, ended };
        }
        const all = await run(() => true);
        const aborted = new Set(all.ended.map(({ id }) => id));
        const rest = await run((id) => !aborted.has(id));
        expect(rest.ended).toEqual([]);
        expect(rest.started).toEqual(all.started);
      }),
      { numRuns: 150 },
    );
  });

  test('with real timers', async () => {
    vi.useRealTimers();
    const { send, started, ids } = limited({ limit: 5, interval: 40, maxWait: 5_000, now: undefined });
    for (let id = 0; id < 25; id++) send(id);
    await vi.waitFor(() => expect(started).toHaveLength(25), { timeout: 5_000 });
    expect(ids()).toEqual([...Array(25).keys()]);
    // Four intervals; the rest is for clocks that round.
    expect(started[24]!.at - started[0]!.at).toBeGreaterThan(150);
  });
});
