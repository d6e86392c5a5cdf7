import { BurstyRateLimiter, RateLimiterMemory, RateLimiterQueue, RateLimiterUnion } from 'rate-limiter-flexible';
import { describe, expect, test } from 'vitest';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { rateLimiterFlexible } from '../../src/stores/index.ts';
import { OK, request } from '../middleware/fake.ts';

describe('rateLimiterFlexible()', () => {
  test('limiters with a burst, and blocked keys', async () => {
    const slow = new RateLimiterMemory({ points: 1, duration: 60 });
    const burst = new RateLimiterMemory({ points: 2, duration: 60, keyPrefix: 'burst' });
    const { request: hook } = rateLimit({ limiter: rateLimiterFlexible(new BurstyRateLimiter(slow, burst)), maxWait: 0 });
    const outcomes = [];
    for (let count = 0; count < 4; count++) {
      outcomes.push(
        await hook!(request(), async () => OK).then(
          () => 'ok',
          (error) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual(['ok', 'ok', 'ok', 'rate_limited']);

    const blocking = new RateLimiterMemory({ points: 5, duration: 1 });
    await blocking.block('k', 30);
    const answer = await rateLimiterFlexible(blocking, { now: () => 0 }).take('k', 1);
    expect(answer).toMatchObject({ allowed: false, limit: 5, remaining: 0 });
    expect(answer.retryAfter).toBeGreaterThan(25_000);
    expect(answer.resetAt).toBe(answer.retryAfter);
  });

  test('points that never come back are not waited for', async () => {
    const limiter = rateLimiterFlexible(new RateLimiterMemory({ points: 1, duration: 0 }));
    await limiter.take('k', 1);
    expect(await limiter.take('k', 1)).toMatchObject({ allowed: false, retryAfter: Number.POSITIVE_INFINITY });
  });

  test('says at once what it cannot read', () => {
    const memory = new RateLimiterMemory({ points: 1, duration: 1 });
    for (const other of [undefined, {}, new RateLimiterUnion(memory, memory), new RateLimiterQueue(memory)]) {
      expect(() => rateLimiterFlexible(other as never)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    }
  });
});
