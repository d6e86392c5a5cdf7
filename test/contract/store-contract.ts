/** What every store of `rateLimit()` does: one suite for all of them. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { RateLimitStore, RateLimitTake } from '../../src/middleware/rate-limit/answer.ts';

const LONG = { limit: 5, interval: 60_000, weight: 1, ahead: 0 };

/** `open` makes a store on which nothing counts yet. */
export function storeContract(open: () => RateLimitStore | Promise<RateLimitStore>): void {
  /** Asks with one key. */
  async function opened(key: string = randomUUID()) {
    const store = await open();
    return (request: Partial<RateLimitTake> = {}, other = key) => store.take(other, { ...LONG, ...request });
  }
  const about = (milliseconds: number) => expect.toSatisfy((value) => Math.abs(value - milliseconds) < 2_000);

  it('allows the limit and no more, and its answer is data', async () => {
    const take = await opened();
    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await take()).toEqual({ allowed: true, limit: 5, remaining, resetAt: about(Date.now() + 60_000), retryAfter: 0 });
    }
    const refused = await take();
    expect(refused).toEqual({
      allowed: false,
      limit: 5,
      remaining: 0,
      resetAt: about(Date.now() + 60_000),
      retryAfter: about(60_000),
    });
    expect(refused.retryAfter).toBeLessThanOrEqual(60_000);
  });

  it('what asks at once shares one limit, and other keys have their own', async () => {
    const take = await opened();
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => take({ limit: 70 }, index % 3 ? 'many' : 'few')));
    const allowed = (parity: boolean) => answers.filter(({ allowed }, index) => allowed && index % 3 > 0 === parity);
    expect(allowed(true)).toHaveLength(70);
    expect(allowed(false)).toHaveLength(70);
    expect(new Set(allowed(true).map(({ remaining }) => remaining)).size).toBe(70);
  });

  it('a refusal costs nothing, and who waits as long as it says may start', async () => {
    const take = await opened();
    const rule = { limit: 2, interval: 120 };
    const grants: number[] = [];
    for (let count = 0; count < 12; count++) {
      let answer = await take(rule);
      for (let asked = 0; !answer.allowed && asked < 5; asked++) {
        await Promise.all([take(rule), take(rule)]);
        await sleep(Math.ceil(answer.retryAfter));
        answer = await take(rule);
      }
      expect(answer.allowed).toBe(true);
      grants.push(answer.resetAt - rule.interval);
    }
    for (let index = 2; index < grants.length; index++) {
      // On the store's own clock, up to what doubles of milliseconds since 1970 hold.
      expect(grants[index]! - grants[index - 2]!).toBeGreaterThanOrEqual(rule.interval - 0.01);
    }
  });

  it('a weight counts as so many, whole or not at all', async () => {
    const take = await opened();
    expect(await take({ weight: 3 })).toMatchObject({ allowed: true, remaining: 2 });
    expect(await take({ weight: 3 })).toMatchObject({ allowed: false, remaining: 2, retryAfter: about(60_000) });
    expect(await take({ weight: 2 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  it('leaves room for what waits ahead, and tells those behind when it is their turn', async () => {
    const take = await opened();
    for (let count = 0; count < 4; count++) await take();
    expect(await take({ ahead: 1 })).toMatchObject({ allowed: false, remaining: 1, retryAfter: about(60_000) });
    expect(await take({ ahead: 6 })).toMatchObject({ allowed: false, remaining: 1, retryAfter: about(120_000) });
    expect(await take({ ahead: 0 })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await take({ ahead: 1 }, 'empty')).toMatchObject({ allowed: true });
  });

  it('a burst is a bucket that fills at the rate of the limit', async () => {
    const take = await opened();
    const rule = { limit: 10, interval: 2_000, burst: 3 };
    const answers = [await take(rule), await take(rule), await take(rule)];
    expect(answers).toMatchObject([{ remaining: 2 }, { remaining: 1 }, { allowed: true, limit: 3, remaining: 0 }]);
    const refused = await take(rule);
    expect(refused).toMatchObject({ allowed: false, limit: 3, remaining: 0, resetAt: about(Date.now() + 600) });
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(refused.retryAfter).toBeLessThanOrEqual(200);
    expect((await take({ ...rule, ahead: 2 })).retryAfter).toBeGreaterThan(refused.retryAfter + 300);
    await sleep(Math.ceil(refused.retryAfter) + 1);
    expect(await take(rule)).toMatchObject({ allowed: true });
    expect(await take({ ...rule, weight: 3 })).toMatchObject({ allowed: false });
    expect(await take({ ...rule, weight: 2 }, 'heavy')).toMatchObject({ allowed: true, remaining: 1 });
    expect(await take({ ...rule, weight: 2 }, 'heavy')).toMatchObject({ allowed: false, remaining: 1 });
  });

  it('a burst in the long run keeps to the rate', async () => {
    const take = await opened();
    const rule = { limit: 100, interval: 100, burst: 20 };
    const start = performance.now();
    let allowed = 0;
    while (performance.now() - start < 400) if ((await take(rule)).allowed) allowed++;
    // One in each millisecond, and the bucket.
    expect(allowed).toBeLessThanOrEqual(20 + (performance.now() - start) + 1);
    expect(allowed).toBeGreaterThan(200);
  });
}
