/** A limit that `@upstash/ratelimit` keeps, over HTTP: for edge runtimes too. */

import { describe, invalid } from '../lib/issues.ts';
import type { RateLimitAnswer, RateLimiter } from '../middleware/rate-limit/answer.ts';
import { asked } from '../middleware/shared/asked.ts';
import { aFunction, checkOptions, type Rule } from '../middleware/shared/options.ts';

/** What is needed of a `Ratelimit` of `@upstash/ratelimit`. */
export interface UpstashRatelimitLike {
  limit(identifier: string, options?: { rate?: number }): Promise<UpstashResponse>;
}

interface UpstashResponse {
  readonly success: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds since 1970. */
  readonly reset: number;
  readonly pending: Promise<unknown>;
  readonly reason?: string | undefined;
}

export interface UpstashLimiterOptions {
  /** Keeps the runtime alive for what Upstash does after its answer (analytics, several regions), as `ctx.waitUntil` does. */
  readonly waitUntil?: ((pending: Promise<unknown>) => void) | undefined;
  /** Milliseconds since 1970, to read when the limit is reset. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const RULES: Readonly<Record<keyof UpstashLimiterOptions, Rule>> = { waitUntil: aFunction, now: aFunction };

// How long Upstash itself remembers whom its deny list names.
const DENIED = 60_000;

/**
 * A limiter for `rateLimit({ limiter })` on a `Ratelimit` of yours, with its own limit, window and prefix. Upstash lets a request pass
 * when Redis does not answer within its `timeout`; here that is a failure, for which `onStoreError` says what holds. How strictly the
 * limit is kept is up to its algorithm: all of Upstash's let more than the limit pass within some interval.
 *
 * @example
 * ```ts
 * const ratelimit = new Ratelimit({ redis: Redis.fromEnv(), limiter: Ratelimit.slidingWindow(10, '1 s') });
 * const limits = rateLimit({ limiter: upstashLimiter(ratelimit, { waitUntil: (pending) => ctx.waitUntil(pending) }) });
 * ```
 */
export function upstashLimiter(ratelimit: UpstashRatelimitLike, options: UpstashLimiterOptions = {}): RateLimiter {
  checkOptions('upstashLimiter', options, RULES);
  const { waitUntil, now = Date.now } = options;
  if (typeof ratelimit?.limit !== 'function') {
    const message = `must be a Ratelimit of "@upstash/ratelimit", not ${describe(ratelimit)}.`;
    throw invalid('The argument of upstashLimiter()', [{ path: '', message }]);
  }
  return {
    async take(key, weight) {
      // Without a rate where it is 1: a custom algorithm need not know it.
      const response = await (weight === 1 ? ratelimit.limit(key) : ratelimit.limit(key, { rate: weight }));
      // Its failure is no failure of this request.
      const pending = Promise.resolve(response.pending).catch(() => {});
      asked<unknown>(
        () => waitUntil?.(pending),
        () => undefined,
      );
      if (response.reason === 'timeout') throw new Error('Upstash did not answer within the `timeout` of its Ratelimit');
      return answerOf(response, now());
    },
  };
}

function answerOf({ success, limit, remaining, reset, reason }: UpstashResponse, time: number): RateLimitAnswer {
  const wait = reason === 'denyList' ? DENIED : Math.max(0, reset - time);
  return {
    allowed: success,
    limit,
    remaining: Math.max(0, remaining),
    resetAt: reason === 'denyList' ? time + DENIED : reset,
    retryAfter: success ? 0 : wait,
  };
}
