/** What a limit answers, and what can be asked: the words that stores, limiters and the middleware share. */

/** The answer of a limit, as data. */
export interface RateLimitAnswer {
  /** Whether the request may start. Only then it was counted. */
  readonly allowed: boolean;
  /** How much may start at once when nothing is used: the `burst`, else the `limit`. */
  readonly limit: number;
  /** How much may start now. */
  readonly remaining: number;
  /** When nothing counts any longer: milliseconds since 1970, on the clock of whoever counts. */
  readonly resetAt: number;
  /** Milliseconds until this request could start; 0 when it may. */
  readonly retryAfter: number;
}

/** A limit: at most `limit` within any `interval`; with a `burst`, a bucket of that size that fills at that rate instead. */
export interface RateLimitRule {
  readonly limit: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly burst?: number | undefined;
}

/** One question to a store. */
export interface RateLimitTake extends RateLimitRule {
  /** How much the request counts: a whole number from 1 up to the limit, or the burst. */
  readonly weight: number;
  /** How much waits before it in the same process: there must be room for that too, and `retryAfter` takes it into account. */
  readonly ahead: number;
}

/**
 * Where a limit is counted, whatever the limit: `memoryStore()`, `redisStore()`, or one's own. It decides and counts in one step.
 * Rejects, or throws, only when it cannot tell.
 */
export interface RateLimitStore {
  /** What is asked with one key always has the same rule. */
  take(key: string, request: RateLimitTake): RateLimitAnswer | Promise<RateLimitAnswer>;
}

/** An engine that has a limit of its own: `upstashLimiter()`, `rateLimiterFlexible()`, or one's own. Rejects only when it cannot tell. */
export interface RateLimiter {
  take(key: string, weight: number): RateLimitAnswer | Promise<RateLimitAnswer>;
}

/** Why a request may not start: what the limit said, or that the server asked for a pause. */
export interface Refusal extends RateLimitAnswer {
  readonly allowed: false;
  readonly paused: boolean;
}
