/** Asks a store or a limiter, for a bounded time, and says what holds while it fails. */

import { abortable, DeadlineError, openScope } from '../../lib/abort.ts';
import { asked } from '../shared/asked.ts';
import type { RateLimitAnswer } from './answer.ts';

/** What holds while the store cannot tell. */
export type StorePolicy = 'allow' | 'deny' | 'local';

/** The store failed: `policy` says what holds now. */
export class SourceFailure extends Error {
  override readonly name: string = 'SourceFailure';
  readonly policy: StorePolicy;
  /** Milliseconds until it is worth another try. */
  readonly retryAfter: number;
  constructor(policy: StorePolicy, cause: unknown, retryAfter: number) {
    super('the store of the rate limit failed', { cause });
    this.policy = policy;
    this.retryAfter = retryAfter;
  }
}

/** Asks once. Rejects with the signal's reason, or a `SourceFailure`. */
export type Source = (
  ask: () => RateLimitAnswer | Promise<RateLimitAnswer>,
  signal: AbortSignal | undefined,
) => Promise<RateLimitAnswer>;

// A store that did not answer in time is left alone for so long: else every request would wait for it.
const REST = 1_000;

export interface SourceOptions<Policy extends StorePolicy = StorePolicy> {
  /** Milliseconds. */
  readonly timeout: number;
  readonly onError: Policy | ((error: unknown) => Policy) | undefined;
  /** What holds where `onError` is not given, throws, or says something else. */
  readonly otherwise: Policy;
  readonly now: () => number;
}

export function createSource({ timeout, onError, otherwise, now }: SourceOptions): Source {
  let silent: { readonly failure: SourceFailure; readonly until: number } | undefined;

  function resting(): SourceFailure | undefined {
    const left = silent === undefined ? 0 : silent.until - now();
    return silent !== undefined && left > 0 ? new SourceFailure(silent.failure.policy, silent.failure.cause, left) : undefined;
  }

  function policyFor(cause: unknown): StorePolicy {
    const policy =
      typeof onError === 'function'
        ? asked(
            () => onError(cause),
            () => otherwise,
          )
        : (onError ?? otherwise);
    return policy === 'allow' || policy === 'deny' || (policy === 'local' && otherwise === 'local') ? policy : otherwise;
  }

  function fail(cause: unknown): SourceFailure {
    const failure = new SourceFailure(policyFor(cause), cause, REST);
    if (cause instanceof DeadlineError) silent = { failure, until: now() + REST };
    return failure;
  }

  return async (ask, signal) => {
    const known = resting();
    if (known !== undefined) throw known;
    const scope = openScope({ parents: [signal], budget: timeout });
    try {
      return checked(await abortable(Promise.resolve(ask()), scope.signal));
    } catch (error) {
      signal?.throwIfAborted();
      // Those who asked at the same time are told the same, once.
      throw resting() ?? fail(error);
    } finally {
      scope.release();
    }
  };
}

function checked(answer: RateLimitAnswer): RateLimitAnswer {
  if (answer?.allowed === true || (answer?.allowed === false && answer.retryAfter >= 0)) return answer;
  throw new TypeError('the answer is none: it needs { allowed, limit, remaining, resetAt, retryAfter }');
}
