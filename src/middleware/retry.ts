/** Sends a request again when that is safe. */

import { McpToolSetError } from '../errors.ts';
import { sleep } from '../lib/abort.ts';
import { isUpkeep } from '../lib/methods.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { createJudge, type JudgeOptions } from './retry/judge.ts';
import { timeLeft } from './shared/deadline.ts';
import { ended } from './shared/ended.ts';
import { refuseForeign } from './shared/foreign.ts';
import { aDuration, aWholeNumber } from './shared/numbers.ts';
import { aBoolean, aFunction, checkOptions, type Rule } from './shared/options.ts';
import { PATTERNS, SERVERS } from './shared/patterns.ts';

export interface RetryOptions extends JudgeOptions {
  /** How often a request is sent at most, the first time included. Default 3. */
  readonly attempts?: number | undefined;
  /** Milliseconds from the first attempt on, within which a further one may begin. A wait that would pass it does not begin. Default 30 000. */
  readonly budget?: number | undefined;
  /** Longest first wait in milliseconds; it doubles each time, and a random part of it is waited. Default 250. */
  readonly delay?: number | undefined;
  /** Longest wait in milliseconds, where the server does not ask for a longer one. Default 10 000. */
  readonly maxDelay?: number | undefined;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const RULES: Readonly<Record<keyof RetryOptions, Rule>> = {
  attempts: aWholeNumber(1),
  budget: aDuration(0),
  delay: aDuration(0),
  maxDelay: aDuration(0),
  reads: aBoolean,
  trust: SERVERS,
  allow: PATTERNS,
  retryIf: aFunction,
  now: aFunction,
};

/**
 * Repeats a failed request, but never executes a write twice. Always repeated is what was surely not executed: `unavailable`,
 * `rate_limited` (429 included), `session_expired`. After `timeout`, `outcome_unknown` and a 5xx (503 included) nobody knows, so only
 * reads are repeated, and the tools that `trust` or `allow` say may be. Everything else is an answer and stands: errors of the protocol
 * and of tools, refusals, aborts. Handshakes and pings are left alone.
 *
 * Waits as long as the server asks (`data.retryAfter`), else exponentially with full jitter. A wait past the budget, or past the limit of
 * a `timeout` outside of it, does not begin: the error comes at once and says when to try again. The signal ends a wait at once.
 *
 * Hooks: `request`, outermost in the recommended order: then each attempt costs a token, has a span and a time-out of its own. `list`
 * refuses tools of `wrapToolSet()` with `config_invalid` unless `retryIf` judges their errors; one that streams begins anew. Throws
 * `config_invalid` at once.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [retry({ attempts: 4, trust: ['docs'] }), timeout({ request: 10_000 })],
 * });
 * ```
 */
export function retry(options: RetryOptions = {}): McpMiddleware {
  checkOptions('retry', options, RULES);
  const { attempts = 3, budget = 30_000, delay = 250, maxDelay = 10_000, retryIf, now = () => performance.now() } = options;
  const isSafe = createJudge(options);

  /** Milliseconds until the next attempt; nothing when there is to be none. */
  function pauseBefore(attempt: number, error: unknown, request: McpRequest, start: number): number | undefined {
    if (attempt > attempts || request.signal?.aborted || !isSafe(error, request)) return undefined;
    const pause = Math.random() * Math.min(maxDelay, delay * 2 ** (attempt - 2));
    const asked = McpToolSetError.is(error) ? error.data.retryAfter : undefined;
    // All who were sent away at once are not to come back at once.
    const wait = typeof asked === 'number' ? asked + Math.random() * Math.min(delay, asked) : pause;
    const left = Math.min(budget - (now() - start), timeLeft(request.signal));
    return wait <= left ? wait : undefined;
  }

  return {
    name: 'retry',
    ...(retryIf === undefined && {
      list: refuseForeign('retry', 'which of its errors are safe to repeat after? Say so in `retryIf`, or leave retry() out.'),
    }),
    async request(request, next) {
      if (isUpkeep(request.method)) return next(request);
      const start = now();
      for (let attempt = 2; ; attempt++) {
        try {
          return await next(request);
        } catch (error) {
          const wait = pauseBefore(attempt, error, request, start);
          if (wait === undefined) throw error;
          await sleep(wait, request.signal).catch(() => {
            const last = McpToolSetError.is(error) ? ` after ${error.code}` : '';
            throw ended(request, `while it waited to try again${last}.`);
          });
        }
      }
    },
  };
}
