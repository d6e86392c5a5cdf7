/** Counts limits in the memory of this process. */

import { aFunction, checkOptions, type Rule } from '../shared/options.ts';
import type { RateLimitAnswer, RateLimitRule, RateLimitStore } from './answer.ts';
import { createLanes } from './lanes.ts';
import { createMeter, type Meter } from './meter.ts';

export interface MemoryStoreOptions {
  /** A clock in milliseconds that never goes back. Default: since 1970, by `performance`. */
  readonly now?: (() => number) | undefined;
}

const RULES: Readonly<Record<keyof MemoryStoreOptions, Rule>> = { now: aFunction };

type Meters = (key: string, rule: RateLimitRule) => Meter;
const known: WeakMap<RateLimitStore, Meters> = new WeakMap();

/**
 * Counts in this process: what `rateLimit()` uses when it is given no store. Make one of your own to share a limit between several
 * tool sets, or with other code. Keys that nothing counts for are dropped.
 *
 * @example
 * ```ts
 * const store = memoryStore();
 * const limit = { limit: 10, interval: 1_000, name: 'search-api', store };
 * const sets = await Promise.all(configs.map((servers) => createMcpToolSet({ servers, middleware: [rateLimit(limit)] })));
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): RateLimitStore {
  checkOptions('memoryStore', options, RULES);
  const { now = createClock() } = options;
  const lanes = createLanes<Meter>(now, (meter) => meter.used === 0);
  const meterOf: Meters = (key, rule) => lanes.of(key, rule.interval, () => createMeter(rule, now));
  const store: RateLimitStore = {
    take(key, { weight, ahead, ...rule }) {
      const meter = meterOf(key, rule);
      const wait = meter.wait(ahead + weight);
      if (wait <= 0) meter.add(weight);
      return answerOf(meter, rule, wait, now());
    },
  };
  known.set(store, meterOf);
  return store;
}

/** The meters behind a memory store, which answer at once; nothing for any other store. */
export function metersOf(store: RateLimitStore): Meters | undefined {
  return known.get(store);
}

export function answerOf(meter: Meter, { limit, burst = limit }: RateLimitRule, wait: number, time: number): RateLimitAnswer {
  const retryAfter = Math.max(0, wait);
  return {
    allowed: wait <= 0,
    limit: burst,
    remaining: Math.max(0, burst - meter.used),
    resetAt: time + meter.reset,
    retryAfter,
  };
}

/** Milliseconds since 1970 that never go back, whoever sets the clock of the machine. */
export function createClock(): () => number {
  const { timeOrigin } = performance;
  return () => timeOrigin + performance.now();
}
