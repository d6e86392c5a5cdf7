import { Ratelimit } from '@upstash/ratelimit';
import { describe, expect, test } from 'vitest';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { type UpstashRatelimitLike, upstashLimiter } from '../../src/stores/index.ts';
import { OK, request } from '../middleware/fake.ts';
import { describeOnRedis, freshPrefix } from './redis.ts';
import { upstash } from './upstash-client.ts';
import { upstashServer } from './upstash-server.ts';

const NOW = 1_000_000;
type Response = Awaited<ReturnType<UpstashRatelimitLike['limit']>>;

/** A Ratelimit that gives this response. */
function answering(response: Partial<Response>): UpstashRatelimitLike {
  const whole = { success: true, limit: 10, remaining: 9, reset: NOW + 500, pending: Promise.resolve(), ...response };
  return { limit: async () => whole };
}
const take = (response: Partial<Response>, options = {}) =>
  upstashLimiter(answering(response), { now: () => NOW, ...options }).take('k', 1);

describe('upstashLimiter()', () => {
  test('its answers are read', async () => {
    expect(await take({})).toEqual({ allowed: true, limit: 10, remaining: 9, resetAt: NOW + 500, retryAfter: 0 });
    const refused = { allowed: false, limit: 10, remaining: 0, resetAt: NOW + 500, retryAfter: 500 };
    expect(await take({ success: false, remaining: -1, reason: 'cacheBlock' })).toEqual(refused);
  });

  test('a pass for want of an answer is a failure, not a pass', async () => {
    await expect(take({ success: true, reset: 0, reason: 'timeout' })).rejects.toThrow(/did not answer within the `timeout`/);
  });

  test('whom its deny list names is refused, without being asked in a circle', async () => {
    const answer = await take({ success: false, limit: 0, remaining: 0, reset: 0, reason: 'denyList' });
    expect(answer).toMatchObject({ allowed: false, retryAfter: 60_000, resetAt: NOW + 60_000 });
  });

  test('what it does afterwards is handed to waitUntil, and may fail', async () => {
    const kept: Promise<unknown>[] = [];
    const pending = Promise.reject(new Error('analytics are down'));
    await take({ pending }, { waitUntil: (promise: Promise<unknown>) => kept.push(promise) });
    await take({ pending: Promise.reject(new Error('analytics are down')) });
    await expect(Promise.all(kept)).resolves.toHaveLength(1);
    const waitUntil = (): never => {
      throw new Error('the response has been sent');
    };
    expect(await take({}, { waitUntil })).toMatchObject({ allowed: true });
  });

  test.each([undefined, {}, { limit: 10 }])('says at once that %j is no Ratelimit', (ratelimit) => {
    expect(() => upstashLimiter(ratelimit as never)).toThrow(/must be a Ratelimit of "@upstash\/ratelimit"/);
  });
});

describeOnRedis('upstashLimiter() over HTTP', () => {
  test.each(['fixedWindow', 'slidingWindow', 'tokenBucket'] as const)('with its %s', async (algorithm) => {
    const server = await upstashServer();
    const limiter = algorithm === 'tokenBucket' ? Ratelimit.tokenBucket(2, '600 s', 2) : Ratelimit[algorithm](2, '600 s');
    const ratelimit = new Ratelimit({ redis: upstash(server), limiter, prefix: freshPrefix() });
    const { request: hook } = rateLimit({ limiter: upstashLimiter(ratelimit), maxWait: 0 });
    const outcomes = [];
    for (let count = 0; count < 4; count++) {
      outcomes.push(
        await hook!(request(), async () => OK).then(
          () => 'ok',
          (error) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual(['ok', 'ok', 'rate_limited', 'rate_limited']);
    expect(server.commands()).toBeGreaterThan(2);
  });

  test('when it is down, onStoreError says what holds; when it is slow, its own timeout does not let anything pass', async () => {
    const server = await upstashServer();
    const limiter = Ratelimit.fixedWindow(100, '600 s');
    const ratelimit = new Ratelimit({ redis: upstash(server), limiter, prefix: freshPrefix(), timeout: 100 });
    const denying = rateLimit({ limiter: upstashLimiter(ratelimit) });
    const allowing = rateLimit({ limiter: upstashLimiter(ratelimit), onStoreError: 'allow' });
    server.broken = true;
    await expect(denying.request?.(request(), async () => OK)).rejects.toMatchObject({
      code: 'rate_limited',
      data: { allowed: false },
    });
    await expect(allowing.request?.(request(), async () => OK)).resolves.toBe(OK);
    server.broken = false;
    await expect(denying.request?.(request(), async () => OK)).resolves.toBe(OK);
    server.delay = 500;
    await expect(denying.request?.(request(), async () => OK)).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
