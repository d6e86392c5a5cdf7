import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { McpToolSetError } from '../../src/errors.ts';
import { memoryStore } from '../../src/middleware/rate-limit/memory-store.ts';
import { type RateLimitOptions, rateLimit } from '../../src/middleware/rate-limit.ts';
import { timeout } from '../../src/middleware/timeout.ts';
import type { McpRequest, McpResult } from '../../src/types.ts';
import { call, OK, request, requestThrough, tool } from './fake.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A limiter over requests that last as long as the test wants. */
function limited(options: RateLimitOptions) {
  const middleware = rateLimit({ now: () => Date.now(), ...options });
  const started: { id: number; at: number }[] = [];
  const ended: { id: number; code: string; error: McpToolSetError }[] = [];
  const running = new Map<number, { finish: (result?: McpResult) => void; fail: (error: unknown) => void }>();
  const begin = Date.now();
  const run = requestThrough([middleware], (input) => {
    const id = Number(input.params.id);
    started.push({ id, at: Date.now() - begin });
    if (input.params.lasts !== true) return Promise.resolve(OK);
    return new Promise((resolve, fail) => running.set(id, { finish: (result = OK) => resolve(result), fail }));
  });
  function send(id: number, overrides: Partial<McpRequest> = {}, lasts = false): void {
    run(request({ params: { name: 'read_file', id, lasts }, ...overrides })).catch((error) =>
      ended.push({ id, code: error.code, error }),
    );
  }
  return { middleware, started, ended, running, send, ids: () => started.map(({ id }) => id) };
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe('rateLimit weights', () => {
  test('a method counts as much as its weight says; 0 is free', async () => {
    const weights = { 'resources/read': 3, 'prompts/get': 0 };
    const { send, ids, ended, middleware } = limited({ limit: 5, interval: 1_000, maxWait: 0, weights });
    for (let id = 0; id < 9; id++) send(id, { method: 'prompts/get' });
    send(10, { method: 'resources/read' });
    send(11, { method: 'resources/read' });
    send(12);
    send(13);
    send(14);
    await settle();
    expect(ids()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13]);
    expect(ended).toMatchObject([{ id: 11, error: { data: { remaining: 2 } } }, { id: 14 }]);
    expect(middleware.usage()).toEqual([{ key: 'files', used: 5, limit: 5, remaining: 0 }]);
  });

  test('a heavy one keeps its place before light ones', async () => {
    const { send, started } = limited({ limit: 2, interval: 100, weights: { 'resources/read': 2 } });
    send(0);
    await vi.advanceTimersByTimeAsync(50);
    send(1);
    send(2, { method: 'resources/read' });
    send(3);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toEqual([
      { id: 0, at: 0 },
      { id: 1, at: 50 },
      { id: 2, at: 150 },
      { id: 3, at: 250 },
    ]);
  });
});

describe('rateLimit burst', () => {
  test('a bucket: so many at once, then one by one at the rate of the limit', async () => {
    const { send, started, middleware } = limited({ limit: 10, interval: 1_000, burst: 3 });
    for (let id = 0; id < 6; id++) send(id);
    await settle();
    expect(middleware.usage()).toEqual([{ key: 'files', used: 3, limit: 3, remaining: 0 }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started.map(({ at }) => at)).toEqual([0, 0, 0, 100, 200, 300]);
    for (let id = 6; id < 10; id++) send(id);
    await settle();
    expect(started.slice(6).map(({ at }) => at)).toEqual([1_000, 1_000, 1_000]);
  });

  test('a burst of one spreads evenly, and one above the limit saves up', async () => {
    const even = limited({ limit: 4, interval: 1_000, burst: 1 });
    const saving = limited({ limit: 4, interval: 1_000, burst: 8, maxWait: 0 });
    for (let id = 0; id < 4; id++) even.send(id);
    for (let id = 0; id < 20; id++) saving.send(id);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(even.started.map(({ at }) => at)).toEqual([0, 250, 500, 750]);
    expect(saving.started).toHaveLength(8);
    expect(saving.ended[0]?.error.data).toMatchObject({ limit: 8, interval: 1_000, retryAfter: 250 });
  });
});

describe('rateLimit keys', () => {
  test('by server, tool and principal, in any combination, and no two are written alike', async () => {
    const places: Partial<McpRequest>[] = [
      { server: 'files', principal: { id: 'a' } },
      { server: 'files', principal: { id: 'b' } },
      { server: 'files', principal: { id: '%' } },
      { server: 'files', principal: { id: '' } },
      { server: 'files' },
      { server: 'docs', principal: { id: 'a' } },
      { server: 'files', principal: { id: 'a' }, call: call(tool({ originalName: 'other' })) },
    ];
    const counts = new Map<string, number>();
    for (const key of [['server'], ['principal'], ['tool'], ['principal', 'server'], ['server', 'tool', 'principal']] as const) {
      const { send, started, middleware } = limited({ limit: 1, interval: 1_000, maxWait: 0, key });
      for (const [id, place] of places.entries()) send(id, place);
      await settle();
      counts.set(key.join('+'), started.length);
      expect(middleware.usage()).toHaveLength(started.length);
    }
    expect(Object.fromEntries(counts)).toEqual({
      server: 2,
      principal: 5,
      tool: 2,
      'principal+server': 6,
      'server+tool+principal': 7,
    });
  });

  test('a key function that fails, fails the request', async () => {
    const key = (): string => Promise.resolve('k') as never;
    const { send, ended } = limited({ limit: 1, interval: 1_000, key });
    send(1);
    await settle();
    expect(ended).toMatchObject([{ code: 'config_invalid' }]);
  });
});

describe('rateLimit maxConcurrent', () => {
  const rule = { limit: 100, interval: 1_000 } as const;

  test('so many at once for each key, first come first served, whether they succeed or fail', async () => {
    const { send, ids, running } = limited({ ...rule, maxConcurrent: 2 });
    for (let id = 0; id < 5; id++) send(id, {}, true);
    send(9, { principal: { id: 'other' } }, true);
    await settle();
    expect(ids()).toEqual([0, 1, 9]);
    running.get(1)?.finish();
    await settle();
    expect(ids()).toEqual([0, 1, 9, 2]);
    running.get(0)?.fail(new Error('failed'));
    await settle();
    expect(ids()).toEqual([0, 1, 9, 2, 3]);
    for (const id of [2, 3]) running.get(id)?.finish();
    await settle();
    running.get(4)?.finish();
    await settle();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('one for which no place comes within maxWait is refused, and so is one that may not wait', async () => {
    const patient = limited({ ...rule, maxConcurrent: 1, maxWait: 200 });
    const hurried = limited({ ...rule, maxConcurrent: 1, maxWait: 0 });
    for (const { send } of [patient, hurried]) {
      send(0, {}, true);
      send(1, {}, true);
    }
    await settle();
    expect(hurried.ended).toMatchObject([{ id: 1, code: 'rate_limited' }]);
    await vi.advanceTimersByTimeAsync(200);
    expect(patient.ended).toMatchObject([{ id: 1, code: 'rate_limited', error: { data: { allowed: false, maxConcurrent: 1 } } }]);
    expect(patient.ended[0]?.error.message).toContain(
      '1 requests are under way, which is as many as may be at once. Nothing was sent.',
    );
    patient.running.get(0)?.finish();
    await settle();
    patient.send(2);
    await settle();
    expect(patient.ids()).toEqual([0, 2]);
  });

  test('an abort ends the wait at once and takes no place', async () => {
    const { send, ids, ended, running } = limited({ ...rule, maxConcurrent: 1 });
    const controller = new AbortController();
    send(0, {}, true);
    send(1, { signal: controller.signal });
    send(2);
    await settle();
    controller.abort();
    await settle();
    expect(ended).toMatchObject([{ id: 1, code: 'aborted' }]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    running.get(0)?.finish();
    await settle();
    expect(ids()).toEqual([0, 2]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a place that comes as its waiter leaves goes to the next one', async () => {
    const { send, ids, running } = limited({ ...rule, maxConcurrent: 1 });
    const controller = new AbortController();
    send(0, {}, true);
    send(1, { signal: controller.signal });
    send(2);
    await settle();
    running.get(0)?.finish();
    controller.abort();
    await settle();
    await settle();
    expect(ids()).toEqual([0, 2]);
    send(3);
    await settle();
    expect(ids()).toEqual([0, 2, 3]);
  });

  test('who is refused or aborted at the limit gives the place back, and the wait for both fits maxWait', async () => {
    const { send, ids, ended, running } = limited({ limit: 1, interval: 1_000, maxConcurrent: 1, maxWait: 1_600 });
    send(0, {}, true);
    send(1);
    await vi.advanceTimersByTimeAsync(500);
    running.get(0)?.finish();
    await settle();
    const controller = new AbortController();
    send(2, { signal: controller.signal });
    await vi.advanceTimersByTimeAsync(500);
    expect(ids()).toEqual([0, 1]);
    controller.abort();
    await settle();
    expect(ended).toMatchObject([{ id: 2, code: 'aborted' }]);
    send(3);
    send(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ids()).toEqual([0, 1, 3]);
    // Its place came after a second, and its turn would have come after another one.
    expect(ended).toMatchObject([{ id: 2 }, { id: 4, code: 'rate_limited', error: { data: { retryAfter: 1_000 } } }]);
    await vi.advanceTimersByTimeAsync(1_000);
    send(5);
    await settle();
    expect(ids()).toEqual([0, 1, 3, 5]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('M5 a handshake inside a request that has the last place does not wait for it', async () => {
    const { middleware } = limited({ ...rule, maxConcurrent: 1 });
    const inner = requestThrough([middleware], async () => OK);
    const outer = requestThrough([middleware], () => inner(request({ method: 'initialize', call: undefined })));
    await expect(outer(request())).resolves.toBe(OK);
  });

  test('where I/O belongs to its request it says at once that it cannot be kept', () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    expect(() => rateLimit({ ...rule, maxConcurrent: 1 })).toThrow(expect.objectContaining({ code: 'runtime_unsupported' }));
    expect(() => rateLimit(rule)).not.toThrow();
  });
});

test('M3 a wait that a time-out outside of it would cut short does not begin', async () => {
  const limits = rateLimit({ limit: 1, interval: 2_000, now: () => Date.now() });
  const run = requestThrough([timeout({ request: 500 }), limits], async () => OK);
  await run(request());
  const second = run(request()).catch((error: unknown) => error);
  await settle();
  expect(await second).toMatchObject({ code: 'rate_limited', data: { retryAfter: 2_000 } });
  await vi.advanceTimersByTimeAsync(1_800);
  const third = run(request());
  await vi.advanceTimersByTimeAsync(200);
  expect(await third).toBe(OK);
  expect(vi.getTimerCount()).toBe(0);
});

test('resetAt is in milliseconds since 1970, on a clock that nobody sets back', async () => {
  vi.useRealTimers();
  const { request: hook } = rateLimit({ limit: 1, interval: 60_000, maxWait: 0 });
  await hook!(request(), async () => OK);
  const refusal: unknown = await hook!(request(), async () => OK).catch((error: unknown) => error);
  expect(Math.abs(Number((refusal as McpToolSetError).data.resetAt) - Date.now() - 60_000)).toBeLessThan(5_000);
  const answer = await memoryStore().take('k', { limit: 1, interval: 60_000, weight: 1, ahead: 0 });
  expect(Math.abs(answer.resetAt - Date.now() - 60_000)).toBeLessThan(5_000);
});
