/** A limit that `rate-limiter-flexible` keeps, on any of its stores. */

import { describe, invalid } from '../lib/issues.ts';
import type { RateLimitAnswer, RateLimiter } from '../middleware/rate-limit/answer.ts';
import { aFunction, checkOptions, type Rule } from '../middleware/shared/options.ts';

/** What is needed of a limiter of `rate-limiter-flexible`. */
export interface RateLimiterFlexibleLike {
  /** Needed, though the types of some of its limiters do not have it. */
  readonly points?: number | undefined;
  consume(key: string, points?: number): Promise<Consumed>;
}

interface Consumed {
  readonly msBeforeNext: number;
  readonly remainingPoints: number;
}

export interface RateLimiterFlexibleOptions {
  /** Milliseconds since 1970, to say when the limit is reset. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const RULES: Readonly<Record<keyof RateLimiterFlexibleOptions, Rule>> = { now: aFunction };

/**
 * A limiter for `rateLimit({ limiter })` on a limiter of yours, with its own points, duration and key prefix. It counts fixed windows, so
 * up to twice its points may pass around their border, and a refused request counts too. Leave its `execEvenly` off: `rateLimit()`
 * does the waiting. Throws `config_invalid` at once for what has no `consume()` and `points` (a union of limiters, a queue).
 *
 * @example
 * ```ts
 * const limiter = new RateLimiterRedis({ storeClient: redis, points: 10, duration: 1 });
 * const limits = rateLimit({ limiter: rateLimiterFlexible(limiter), onStoreError: 'allow' });
 * ```
 */
export function rateLimiterFlexible(limiter: RateLimiterFlexibleLike, options: RateLimiterFlexibleOptions = {}): RateLimiter {
  checkOptions('rateLimiterFlexible', options, RULES);
  const { now = Date.now } = options;
  const limit = limiter?.points;
  if (typeof limiter?.consume !== 'function' || limit === undefined) {
    const message = `must be a limiter of "rate-limiter-flexible" with consume() and points, not ${describe(limiter)}.`;
    throw invalid('The argument of rateLimiterFlexible()', [{ path: '', message }]);
  }

  const answerOf = (allowed: boolean, { msBeforeNext, remainingPoints }: Consumed): RateLimitAnswer => {
    // Negative: it never resets.
    const left = msBeforeNext < 0 ? Number.POSITIVE_INFINITY : msBeforeNext;
    const remaining = Math.max(0, remainingPoints);
    return { allowed, limit: limiter.points ?? limit, remaining, resetAt: now() + left, retryAfter: allowed ? 0 : left };
  };

  return {
    async take(key, weight) {
      try {
        return answerOf(true, await limiter.consume(key, weight));
      } catch (reason) {
        // It rejects with an answer where the limit is used up, and with an error where the store failed.
        if (isConsumed(reason)) return answerOf(false, reason);
        throw reason;
      }
    },
  };
}

function isConsumed(reason: unknown): reason is Consumed {
  return !(reason instanceof Error) && typeof (reason as Consumed | null)?.msBeforeNext === 'number';
}
