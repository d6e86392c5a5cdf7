/** Keeps the requests to each server under a limit, for each principal of its own. */

import { isUpkeep } from '../lib/methods.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { pauseAfter } from './rate-limit/errors.ts';
import { createGate } from './rate-limit/gate.ts';
import { keyOf } from './rate-limit/key.ts';
import { checkRateLimit, type RateLimitOptions } from './rate-limit/options.ts';
import { asked } from './shared/asked.ts';

export type { RateLimitOptions } from './rate-limit/options.ts';

/** How much of a limit is used within the interval that ends now. */
export interface RateLimitUsage {
  /** `server`, or `server/principal`. */
  readonly key: string;
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
}

export interface RateLimitMiddleware extends McpMiddleware {
  /** One row for each key of late; those that were idle for an interval may be missing. On a store elsewhere: as of its last answer. */
  usage(): readonly RateLimitUsage[];
}

// Counted when the model asked (`list_resources`), not when a listing is refreshed: that would hold up every tool of the server.
const COUNTED_IN_CALLS: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'subscriptions/listen',
]);

/** Milliseconds. A server that asks for more is asked again all the same: its word may be a mistake, and nobody could take it back. */
const LONGEST_PAUSE = 3_600_000;

/**
 * Lets `limit` requests start within any `interval`, for each server and principal of its own, so no tenant slows another. The next
 * ones wait their turn, first come first served; their signal ends the wait at once and gives the place to those behind. Counted in
 * memory, on a `store` that processes share, or by an existing engine: `rateLimit({ limiter })`.
 *
 * Hooks: `request`; place: after `retry`, before `circuitBreaker`, `tracing` and `timeout`. So each attempt costs, an answer from a
 * cache does not. Handshakes, pings and listings that no tool call asked for are free.
 *
 * A server's own 429, or `Retry-After`, stops the key for as long as it says (a second where it does not, an hour at most), in this process.
 *
 * A request that would have to wait longer than `maxWait`, or than a `timeout` outside of it leaves, fails at once with `rate_limited`;
 * its text tells the model when to try again, `data` is the answer: `{ allowed, limit, remaining, resetAt, retryAfter, interval }`
 * (milliseconds). Throws `config_invalid` at once for bad options, `runtime_unsupported` for `maxConcurrent` where I/O belongs to its
 * request (Cloudflare Workers).
 *
 * @example
 * ```ts
 * const limits = rateLimit({ limit: 10, interval: 1_000, maxWait: 2_000 });
 * const tools = await createMcpToolSet({ servers, middleware: [limits] });
 * limits.usage(); // [{ key: 'docs', used: 3, limit: 10, remaining: 7 }]
 *
 * rateLimit({ limit: 1_000, interval: 60_000, store: redisStore(redis), key: ['server'], maxConcurrent: 8 });
 * ```
 */
export function rateLimit(options: RateLimitOptions): RateLimitMiddleware {
  checkRateLimit(options);
  const { limited } = options;
  const weights = { ...options.weights };
  const nameOf = keyOf(options.key);
  const gate = createGate(options);

  function slow(key: string, milliseconds: number | undefined): void {
    if (milliseconds !== undefined && milliseconds > 0) gate.pause(key, Math.min(milliseconds, LONGEST_PAUSE));
  }

  return {
    name: 'rateLimit',
    async request(request, next) {
      const weight = counts(request) ? (weights[request.method] ?? 1) : 0;
      if (weight === 0) return next(request);
      const key = nameOf(request);
      const leave = await gate.enter(request, key, weight);
      try {
        const result = await next(request);
        if (limited !== undefined)
          slow(
            key,
            asked(
              () => limited(result, request),
              () => undefined,
            ),
          );
        return result;
      } catch (error) {
        slow(key, pauseAfter(error));
        throw error;
      } finally {
        leave();
      }
    },
    usage() {
      return gate.usage().map((row) => ({ ...row, remaining: Math.max(0, row.limit - row.used) }));
    },
  };
}

function counts({ method, call }: McpRequest): boolean {
  // Making a request of the model wait for upkeep, or fail by it, would help nobody.
  if (isUpkeep(method)) return false;
  return call !== undefined || !COUNTED_IN_CALLS.has(method);
}
