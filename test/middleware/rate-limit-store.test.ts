import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { McpToolSetError } from '../../src/errors.ts';
import type { RateLimitAnswer, RateLimiter, RateLimitStore, RateLimitTake } from '../../src/middleware/rate-limit/answer.ts';
import { memoryStore } from '../../src/middleware/rate-limit/memory-store.ts';
import { type RateLimitOptions, rateLimit } from '../../src/middleware/rate-limit.ts';
import type { McpRequest } from '../../src/types.ts';
import { OK, request, requestThrough } from './fake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const now = (): number => Date.now();

/** A store elsewhere: it answers after some milliseconds, by a count of its own. */
function distant(delay = 3) {
  const inner = memoryStore({ now });
  const asked: { key: string; request: RateLimitTake }[] = [];
  const store: RateLimitStore = {
    async take(key, ask) {
      asked.push({ key, request: ask });
      const answer = await inner.take(key, ask);
      await new Promise((resolve) => setTimeout(resolve, delay));
      return answer;
    },
  };
  return { store, asked };
}

/** A limiter over a last step that notes when each request started, by the request's id. */
function limited(options: RateLimitOptions) {
  const middleware = rateLimit({ now, ...options });
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

describe('M4 a store that processes share', () => {
  test('M4 those who wait take turns, and what has no time is refused at once', async () => {
    const { store } = distant();
    const { send, started, ended } = limited({ limit: 2, interval: 1_000, maxWait: 1_500, store });
    for (let id = 0; id < 5; id++) {
      send(id);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(started.map(({ id }) => id)).toEqual([0, 1]);
    expect(ended).toMatchObject([
      { id: 4, code: 'rate_limited', error: { data: { allowed: false, limit: 2, interval: 1_000 } } },
    ]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(started.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
    expect(started[2]!.at).toBeGreaterThanOrEqual(1_000);
    expect(started[2]!.at).toBeLessThan(1_020);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('two sets of middleware on one store share what has one name, and only that', async () => {
    const store = memoryStore({ now });
    const rule = { limit: 1, interval: 1_000, maxWait: 0, store } as const;
    const ids: number[] = [];
    for (const options of [rule, rule, { ...rule, limit: 2 }, { ...rule, name: 'mine' }, { ...rule, name: 'mine' }]) {
      const { send, started } = limited(options);
      send(ids.length);
      await vi.advanceTimersByTimeAsync(0);
      ids.push(started.length);
    }
    expect(ids).toEqual([1, 0, 1, 1, 0]);
  });

  test('sharing a memory store: who waits behind another set still starts, or is refused in time', async () => {
    const store = memoryStore({ now });
    const one = limited({ limit: 1, interval: 100, maxWait: 350, store });
    const two = limited({ limit: 1, interval: 100, maxWait: 350, store });
    for (let id = 0; id < 4; id++) {
      one.send(id);
      two.send(id);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    const all = [...one.started, ...two.started].map(({ at }) => at).sort((a, b) => a - b);
    expect(all).toEqual([0, 100, 200, 300]);
    expect(one.ended.length + two.ended.length).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an abort ends the wait at once, and those behind move up', async () => {
    const { store } = distant(0);
    const { send, started, ended } = limited({ limit: 1, interval: 100, store });
    const controller = new AbortController();
    const { signal } = controller;
    send(0);
    send(1, { signal });
    await vi.advanceTimersByTimeAsync(1);
    send(2);
    await vi.advanceTimersByTimeAsync(1);
    send(3);
    await vi.advanceTimersByTimeAsync(50);
    expect(listeners(signal)).toBe(1);
    controller.abort(new Error('stop'));
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toMatchObject([{ id: 1, code: 'aborted', error: { cause: signal.reason } }]);
    expect(listeners(signal)).toBe(0);
    await vi.advanceTimersByTimeAsync(300);
    expect(started.map(({ id }) => id)).toEqual([0, 2, 3]);
    // The place of the one who left: not the third interval.
    expect(started[2]!.at).toBeLessThan(250);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an abort while the store is asked is told at once, and nothing is left', async () => {
    const { send, ids, ended } = limited({ limit: 1, interval: 100, store: { take: () => new Promise(() => {}) } });
    const controller = new AbortController();
    send(1, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(10);
    controller.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toMatchObject([{ id: 1, code: 'aborted' }]);
    expect(listeners(controller.signal)).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(ids()).toEqual([]);
  });

  test('a waiter whose timer died with its request blocks nobody for ever (workerd)', async () => {
    const { store } = distant(0);
    const { send, ids } = limited({ limit: 1, interval: 100, store });
    send(0);
    await vi.advanceTimersByTimeAsync(1);
    const { setTimeout: real } = globalThis;
    let left = 2;
    vi.stubGlobal('setTimeout', (callback: () => void, milliseconds: number) => {
      // The answer still comes, and the wait after it never ends.
      return left-- > 0 ? real(callback, milliseconds) : 0;
    });
    send(1);
    await vi.advanceTimersByTimeAsync(1);
    vi.unstubAllGlobals();
    for (let id = 2; id < 40; id++) {
      await vi.advanceTimersByTimeAsync(100);
      send(id);
    }
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ids()).not.toContain(1);
    expect(ids().length).toBeGreaterThan(30);
  });

  test('whatever the arrivals: never above the limit, nothing is lost, nothing is left', async () => {
    const arrival = fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 150 })),
      abortAfter: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
      heavy: fc.boolean(),
    });
    const setting = fc.record({
      limit: fc.integer({ min: 2, max: 5 }),
      interval: fc.integer({ min: 1, max: 200 }),
      maxWait: fc.integer({ min: 0, max: 1_000 }),
      delay: fc.integer({ min: 0, max: 30 }),
      arrivals: fc.array(arrival, { minLength: 1, maxLength: 30 }),
    });
    await fc.assert(
      fc.asyncProperty(setting, async ({ limit, interval, maxWait, delay, arrivals }) => {
        vi.useFakeTimers();
        const { store } = distant(delay);
        const granted: { at: number; weight: number }[] = [];
        const noting: RateLimitStore = {
          async take(key, ask) {
            const at = Date.now();
            const answer = await store.take(key, ask);
            if (answer.allowed) granted.push({ at, weight: ask.weight });
            return answer;
          },
        };
        const { send, ended, ids } = limited({ limit, interval, maxWait, store: noting, weights: { 'resources/read': 2 } });
        for (const [id, { after, abortAfter, heavy }] of arrivals.entries()) {
          await vi.advanceTimersByTimeAsync(after);
          const controller = new AbortController();
          if (abortAfter !== undefined) setTimeout(() => controller.abort(), abortAfter);
          send(id, { signal: controller.signal, method: heavy ? 'resources/read' : 'tools/call' });
        }
        await vi.advanceTimersByTimeAsync(maxWait + 2_000);
        for (const { at } of granted) {
          const within = granted.filter((other) => other.at >= at && other.at < at + interval);
          expect(within.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(limit);
        }
        expect([...ids(), ...ended.map(({ id }) => id)].sort((a, b) => a - b)).toEqual([...arrivals.keys()]);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('usage is as of the last answer, and unused keys are dropped', async () => {
    const { store } = distant();
    const { send, middleware } = limited({ limit: 3, interval: 1_000, store });
    for (let id = 0; id < 50; id++) send(id, { principal: { id: `user ${id}` } });
    expect(middleware.usage()).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(middleware.usage()).toHaveLength(50);
    expect(middleware.usage()[7]).toEqual({ key: 'files/user 7', used: 1, limit: 3, remaining: 2 });
    await vi.advanceTimersByTimeAsync(1_000);
    send(0, { server: 'docs' });
    await vi.advanceTimersByTimeAsync(100);
    expect(middleware.usage()).toEqual([{ key: 'docs', used: 1, limit: 3, remaining: 2 }]);
  });
});

describe('M4 when the store is down', () => {
  const SENTINEL = 'sentinel-secret';
  const broken: RateLimitStore = { take: () => Promise.reject(new Error(`redis://user:${SENTINEL}@host`)) };
  const silent: RateLimitStore = { take: () => new Promise(() => {}) };
  const rule = { limit: 2, interval: 60_000, maxWait: 0 } as const;

  test('local, the default: the process keeps the limit by itself', async () => {
    for (const options of [rule, { ...rule, onStoreError: 'local' } as const]) {
      const { send, ids, ended } = limited({ ...options, store: broken });
      for (let id = 0; id < 4; id++) send(id);
      await vi.advanceTimersByTimeAsync(0);
      expect(ids()).toEqual([0, 1]);
      expect(ended).toMatchObject([{ code: 'rate_limited', error: { data: { limit: 2, remaining: 0 } } }, { id: 3 }]);
    }
  });

  test('allow lets everything through, deny nothing, and what is said holds no secret', async () => {
    const open = limited({ ...rule, store: broken, onStoreError: 'allow' });
    const closed = limited({ ...rule, store: broken, onStoreError: 'deny' });
    for (let id = 0; id < 4; id++) {
      open.send(id);
      closed.send(id);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(open.ids()).toEqual([0, 1, 2, 3]);
    expect(closed.ids()).toEqual([]);
    expect(closed.ended).toHaveLength(4);
    const [{ error } = { error: undefined }] = closed.ended;
    expect(error).toMatchObject({ code: 'rate_limited', data: { retryAfter: 1_000 }, cause: expect.any(Error) });
    expect(error?.message).toBe(
      'MCP server "files", tool "read_file": the rate limit cannot be checked, because its store failed. Nothing was sent. Try again in 1 s.',
    );
    expect(`${error?.message} ${JSON.stringify(error?.data)}`).not.toContain(SENTINEL);
  });

  test('a function is told of the failure, and decides', async () => {
    const told: unknown[] = [];
    const onStoreError = (error: unknown) => {
      told.push(error);
      return told.length > 1 ? ('allow' as const) : ('deny' as const);
    };
    const { send, ids, ended } = limited({ ...rule, store: broken, onStoreError });
    send(1);
    send(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([2]);
    expect(ended).toMatchObject([{ id: 1, code: 'rate_limited' }]);
    expect(told).toEqual([expect.any(Error), expect.any(Error)]);
  });

  test('one that does not answer in time is left alone for a second, then asked again', async () => {
    let asked = 0;
    const told: unknown[] = [];
    const store: RateLimitStore = {
      take() {
        asked++;
        return asked < 4 ? new Promise(() => {}) : memoryStore({ now }).take('k', { ...rule, weight: 1, ahead: 0 });
      },
    };
    const onStoreError = (error: unknown) => {
      told.push(error);
      return 'deny' as const;
    };
    const { send, ids, ended } = limited({ ...rule, store, storeTimeout: 200, onStoreError });
    for (const id of [0, 1, 2]) send(id, { principal: { id: String(id) } });
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toMatchObject([{ id: 0, code: 'rate_limited' }, { id: 1 }, { id: 2 }]);
    expect(told).toHaveLength(1);
    send(3);
    await vi.advanceTimersByTimeAsync(0);
    // At once, without asking.
    expect(ended[3]).toMatchObject({ id: 3, error: { data: { retryAfter: 1_000 } } });
    expect(asked).toBe(3);
    await vi.advanceTimersByTimeAsync(1_000);
    send(4);
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([4]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('who waits when the store goes down goes on locally, within the same budget', async () => {
    const inner = memoryStore({ now });
    let down = false;
    const store: RateLimitStore = {
      async take(key, ask) {
        if (down) throw new Error('down');
        return inner.take(key, ask);
      },
    };
    const { send, started, ended } = limited({ limit: 1, interval: 100, maxWait: 150, store });
    const patient = limited({ limit: 1, interval: 100, maxWait: 250, store, name: 'patient' });
    for (let id = 0; id < 2; id++) send(id);
    for (let id = 0; id < 3; id++) patient.send(id);
    await vi.advanceTimersByTimeAsync(60);
    down = true;
    send(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(patient.started.map(({ at }) => at)).toEqual([0, 100, 200]);
    expect(patient.ended).toEqual([]);
    // The process knows nothing of what the store counted; the first one had 50 ms left, and not 60.
    expect(started).toEqual([
      { id: 0, at: 0 },
      { id: 2, at: 60 },
    ]);
    expect(ended).toMatchObject([{ id: 1, code: 'rate_limited' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['nothing', undefined],
    ['no answer', {}],
    ['a refusal without a time', { allowed: false, retryAfter: Number.NaN }],
  ])('%s instead of an answer is a failure', async (_, answer) => {
    const store: RateLimitStore = { take: async () => answer as RateLimitAnswer };
    const { send, ids, ended } = limited({ ...rule, store, onStoreError: 'deny' });
    send(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(ids()).toEqual([]);
    expect(ended).toMatchObject([{ code: 'rate_limited', error: { cause: expect.any(TypeError) } }]);
  });

  test('a store that throws instead of rejecting is no different', async () => {
    const store: RateLimitStore = {
      take() {
        throw new Error('at once');
      },
    };
    const { send, ids } = limited({ ...rule, store });
    send(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([1]);
  });

  test('an abort is told as an abort, whatever the policy', async () => {
    const { send, ids, ended } = limited({ ...rule, store: silent, onStoreError: 'allow' });
    const controller = new AbortController();
    send(1, { signal: controller.signal });
    controller.abort();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ids()).toEqual([]);
    expect(ended).toMatchObject([{ code: 'aborted' }]);
  });
});

describe('M4 a limiter', () => {
  /** Fixed windows, as most engines count. */
  function windowed(limit: number, length: number) {
    let asked = 0;
    const counts = new Map<string, number>();
    const limiter: RateLimiter = {
      async take(key, weight) {
        asked++;
        const window = Math.floor(Date.now() / length);
        const used = (counts.get(`${window} ${key}`) ?? 0) + weight;
        const allowed = used <= limit;
        if (allowed) counts.set(`${window} ${key}`, used);
        const left = (window + 1) * length - Date.now();
        return { allowed, limit, remaining: limit - used, resetAt: Date.now() + left, retryAfter: allowed ? 0 : left };
      },
    };
    return { limiter, asked: () => asked };
  }

  test('nobody who comes later is asked for before those who wait', async () => {
    vi.setSystemTime(1_000_000);
    const { limiter, asked } = windowed(2, 1_000);
    const { send, started } = limited({ limiter, maxWait: 5_000 });
    for (let id = 0; id < 7; id++) {
      send(id);
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(asked()).toBe(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(started.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('deny, the default when it fails; local is not to be had', async () => {
    const limiter: RateLimiter = { take: () => Promise.reject(new Error('down')) };
    const { send, ids, ended } = limited({ limiter });
    send(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(ids()).toEqual([]);
    expect(ended).toMatchObject([{ code: 'rate_limited' }]);
  });

  test('one that never lets anything through again says so, rather than to wait', async () => {
    const never: RateLimitAnswer = {
      allowed: false,
      limit: 1,
      remaining: 0,
      resetAt: Number.POSITIVE_INFINITY,
      retryAfter: Number.POSITIVE_INFINITY,
    };
    const { send, ended } = limited({ limiter: { take: () => never } });
    send(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(ended[0]?.error.message).toMatch(/is used up\. Nothing was sent\. Do not try again/);
  });

  test('one that says no and at once together is not asked in a circle', async () => {
    let asked = 0;
    const limiter: RateLimiter = {
      take() {
        asked++;
        return { allowed: false, limit: 1, remaining: 0, resetAt: 0, retryAfter: 0 };
      },
    };
    const { send, ended } = limited({ limiter, maxWait: 1_000 });
    send(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toMatchObject([{ code: 'rate_limited' }]);
    expect(asked).toBeLessThan(150);
  });
});

describe('options of shared limits', () => {
  const store = memoryStore();
  const limiter: RateLimiter = { take: async () => ({ allowed: true, limit: 1, remaining: 1, resetAt: 0, retryAfter: 0 }) };
  test.each([
    [{ limiter, limit: 1 }, 'limit: must be left out: the limiter has a limit of its own'],
    [{ limiter, interval: 1 }, 'interval: must be left out'],
    [{ limiter, store }, 'store: must be left out'],
    [{ limiter, onStoreError: 'local' }, 'onStoreError: must be "allow", "deny" or a function'],
    [{ limiter: {} }, 'limiter: must be a limiter such as upstashLimiter()'],
    [{ limit: 1, interval: 1, store: {} }, 'store: must be a store such as memoryStore() or redisStore()'],
    [{ limit: 1, interval: 1, store: 'redis' }, 'store: must be a store'],
    [{ limit: 1, interval: 1, onStoreError: 'ignore' }, 'onStoreError: must be "allow", "deny", "local" or a function'],
    [{ limit: 1, interval: 1, storeTimeout: 0 }, 'storeTimeout: must be a number of milliseconds above 0'],
    [{ limit: 1, interval: 1, name: '' }, 'name: must be a text'],
    [{ limit: 1, interval: 1, burst: 0 }, 'burst: must be a whole number, 1 or more'],
    [{ limit: 1, interval: 1, maxConcurrent: 0 }, 'maxConcurrent: must be a whole number, 1 or more'],
    [
      { limit: 2, interval: 1, weights: { 'tools/call': 3 } },
      'weights: must be an object of methods with whole numbers, 0 up to the limit',
    ],
    [{ limit: 2, interval: 1, weights: { 'tools/call': 0.5 } }, 'weights: must be'],
    [{ limit: 1, interval: 1, key: ['user'] }, 'key: must be a function, or a list of "server", "tool" and "principal"'],
    [{ limit: 1, interval: 1, key: [] }, 'key: must be a function, or a list'],
    [{ limit: 1, interval: 1, limited: 5 }, 'limited: must be a function'],
  ])('bad ones throw at once: %j', (options, text) => {
    expect(() => rateLimit(options as never)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });

  test('memoryStore() checks its own', () => {
    expect(() => memoryStore({ clock: now } as never)).toThrow(/clock: is not known here/);
  });
});
