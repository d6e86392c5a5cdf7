/** What every limiter of `rateLimit({ limiter })` does: one suite for all of them. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { McpToolSetError } from '../../src/errors.ts';
import type { RateLimiter } from '../../src/middleware/rate-limit/answer.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { OK, request } from '../middleware/fake.ts';

export interface LimiterSubject {
  readonly limiter: RateLimiter;
  /** Makes the engine's store fail from now on. */
  breakStore(): void;
}

/** `open` makes a limiter that allows so many in so many seconds, counted from the first on. */
export function limiterContract(open: (limit: number, seconds: number) => Promise<LimiterSubject>): void {
  it('allows its limit and no more, and its answer is data', async () => {
    const { limiter } = await open(3, 60);
    const resetAt = expect.toSatisfy((at: number) => at > Date.now() && at < Date.now() + 62_000);
    for (const remaining of [2, 1, 0]) {
      expect(await limiter.take('k', 1)).toEqual({ allowed: true, limit: 3, remaining, resetAt, retryAfter: 0 });
    }
    for (let count = 0; count < 2; count++) {
      const refused = await limiter.take('k', 1);
      expect(refused).toEqual({ allowed: false, limit: 3, remaining: 0, resetAt, retryAfter: expect.any(Number) });
      expect(refused.retryAfter).toBeGreaterThan(50_000);
      expect(refused.retryAfter).toBeLessThanOrEqual(60_000);
    }
    expect(await limiter.take('other', 1)).toMatchObject({ allowed: true });
  });

  it('what asks at once shares one limit', async () => {
    const { limiter } = await open(20, 60);
    const answers = await Promise.all(Array.from({ length: 60 }, () => limiter.take('k', 1)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(20);
  });

  it('a weight counts as so many', async () => {
    const { limiter } = await open(5, 60);
    expect(await limiter.take('k', 4)).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.take('k', 4)).toMatchObject({ allowed: false });
  });

  it('who waits as long as it says may start', async () => {
    const { limiter } = await open(1, 1);
    await limiter.take('k', 1);
    const { allowed, retryAfter } = await limiter.take('k', 1);
    expect(allowed).toBe(false);
    await sleep(retryAfter + 50);
    expect(await limiter.take('k', 1)).toMatchObject({ allowed: true });
  });

  it('rejects when its store fails, rather than to allow or refuse', async () => {
    const { limiter, breakStore } = await open(5, 60);
    await limiter.take('k', 1);
    breakStore();
    await expect(limiter.take('k', 1)).rejects.toBeInstanceOf(Error);
  });

  it('M4 rateLimit() waits for it, refuses what has no time, and keeps tenants apart', async () => {
    const { limiter } = await open(2, 1);
    const { request: hook } = rateLimit({ limiter, maxWait: 3_000 });
    const send = (id: string, signal?: AbortSignal) =>
      hook!(request({ principal: { id }, signal }), async () => OK).then(
        () => performance.now() - start,
        (error: unknown) => error as McpToolSetError,
      );
    const start = performance.now();
    const times = await Promise.all(['a', 'a', 'a', 'b', 'b'].map((id) => send(id)));
    // The third one had to wait for the next second, nobody else.
    expect(times.map((time) => typeof time === 'number' && time > 500)).toEqual([false, false, true, false, false]);

    const { request: impatient } = rateLimit({ limiter: (await open(1, 60)).limiter });
    await impatient!(request(), async () => OK);
    const refusal = await impatient!(request(), async () => OK).catch((error: unknown) => error as McpToolSetError);
    expect(refusal).toMatchObject({ code: 'rate_limited', data: { allowed: false, limit: 1, remaining: 0 } });
    expect((refusal as McpToolSetError).message).toMatch(
      /the rate limit of 1 requests is used up\. Nothing was sent\. Try again in \d/,
    );
  });
}
