/** What `rateLimit()` can be told. */

import type { McpRequest, McpResult } from '../../types.ts';
import { aDuration, aWholeNumber, LONGEST_TIMER } from '../shared/numbers.ts';
import { aFunction, checkOptions, type Rule } from '../shared/options.ts';
import type { RateLimiter, RateLimitStore } from './answer.ts';
import { KEY_PARTS, type RateLimitKeyPart } from './key.ts';
import type { StorePolicy } from './source.ts';

interface Settings {
  /** How many milliseconds a request may wait for its turn. One that would have to wait longer fails at once. Default 5 000; 0 = never wait. */
  readonly maxWait?: number | undefined;
  /** What shares one limit: a function, or any of `server`, `tool` and `principal`. Default `['server', 'principal']`. */
  readonly key?: readonly RateLimitKeyPart[] | ((request: McpRequest) => string) | undefined;
  /** How much a request of a method counts, such as `{ 'resources/read': 2 }`; 0 = free. Default 1. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** How many requests of one key may be under way at once in this process. Default: any number. */
  readonly maxConcurrent?: number | undefined;
  /**
   * Finds a limit that the server reports inside a result: gives the milliseconds for which it wants to be left alone, or nothing. The
   * result is handed on as it is. One that throws counts as nothing.
   */
  readonly limited?: ((result: McpResult, request: McpRequest) => number | undefined) | undefined;
  /** How many milliseconds a store or limiter has for one answer before it counts as failed. Default 1 000. */
  readonly storeTimeout?: number | undefined;
  /** A clock in milliseconds that never goes back. Default: since 1970, by `performance`. */
  readonly now?: (() => number) | undefined;
}

/** A limit that `rateLimit()` keeps, on a store that counts. */
export interface OwnLimitOptions extends Settings {
  /** How many requests may start within any `interval`. */
  readonly limit: number;
  /** Milliseconds. */
  readonly interval: number;
  /** How many may start at once: a bucket of this size, filled at `limit` per `interval`, instead of a strict count of each interval. */
  readonly burst?: number | undefined;
  /** Tells limits on one store apart; those of one name are one. Default: made of `limit`, `interval` and `burst`. */
  readonly name?: string | undefined;
  /** Where it is counted: `memoryStore()`, `redisStore()`. Default: a memory of its own. */
  readonly store?: RateLimitStore | undefined;
  /**
   * What holds while the store fails, or a function that is told of the failure and decides: `local` (default) counts in this process
   * alone, `allow` lets everything through, `deny` nothing. One that did not answer in time is left alone for a second.
   */
  readonly onStoreError?: StorePolicy | ((error: unknown) => StorePolicy) | undefined;
  readonly limiter?: undefined;
}

/** A limit that an existing engine keeps. */
export interface LimiterOptions extends Settings {
  /** `upstashLimiter()`, `rateLimiterFlexible()`, or one's own. */
  readonly limiter: RateLimiter;
  /** What holds while the limiter fails, or a function that is told of the failure and decides. Default `deny`. */
  readonly onStoreError?: 'allow' | 'deny' | ((error: unknown) => 'allow' | 'deny') | undefined;
  readonly limit?: undefined;
  readonly interval?: undefined;
  readonly burst?: undefined;
  readonly name?: undefined;
  readonly store?: undefined;
}

export type RateLimitOptions = OwnLimitOptions | LimiterOptions;

/** Throws `config_invalid`. */
export function checkRateLimit(options: RateLimitOptions): void {
  const isForeign = options?.limiter !== undefined;
  const size = options?.burst ?? options?.limit ?? Number.MAX_SAFE_INTEGER;
  checkOptions<RateLimitOptions>('rateLimit', options, {
    ...SETTINGS,
    ...(isForeign ? FOREIGN : OWN),
    weights: {
      phrase: 'an object of methods with whole numbers, 0 up to the limit, or the burst',
      test: (value) => isObject(value) && Object.values(value).every((one) => aWholeNumber(0, size).test(one)),
    },
  });
}

const count: Rule = aWholeNumber(1);
const duration: Rule = {
  phrase: 'a number of milliseconds above 0',
  test: (value) => Number.isFinite(value) && Number(value) > 0,
};
const taking = (phrase: string): Rule => ({ phrase, test: (value) => isObject(value) && typeof value.take === 'function' });
const leftOut: Rule = { phrase: 'left out: the limiter has a limit of its own', test: () => false };
const policy = (...policies: StorePolicy[]): Rule => ({
  phrase: `${policies.map((one) => `"${one}"`).join(', ')} or a function`,
  test: (value) => typeof value === 'function' || policies.some((one) => one === value),
});

const SETTINGS = {
  maxWait: aDuration(0),
  key: {
    phrase: 'a function, or a list of "server", "tool" and "principal"',
    test: (value: unknown) =>
      typeof value === 'function' || (Array.isArray(value) && value.length > 0 && value.every((part) => KEY_PARTS.has(part))),
  },
  maxConcurrent: count,
  limited: aFunction,
  storeTimeout: {
    phrase: `a number of milliseconds above 0, up to ${LONGEST_TIMER}`,
    test: (value: unknown) => duration.test(value) && Number(value) <= LONGEST_TIMER,
  },
  now: aFunction,
};

const OWN: Readonly<Record<'limit' | 'interval' | 'burst' | 'name' | 'store' | 'limiter' | 'onStoreError', Rule>> = {
  limit: { ...count, required: true },
  interval: { ...duration, required: true },
  burst: count,
  name: { phrase: 'a text', test: (value) => typeof value === 'string' && value !== '' },
  store: taking('a store such as memoryStore() or redisStore()'),
  limiter: taking('a limiter such as upstashLimiter()'),
  onStoreError: policy('allow', 'deny', 'local'),
};

const FOREIGN: typeof OWN = {
  limit: leftOut,
  interval: leftOut,
  burst: leftOut,
  name: leftOut,
  store: leftOut,
  limiter: OWN.limiter,
  onStoreError: policy('allow', 'deny'),
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
