/** Counts what has started, so that no more than the limit does. */

import type { RateLimitRule } from './answer.ts';

export interface Meter {
  /** How much counts now. */
  readonly used: number;
  /** Milliseconds until nothing counts any longer. */
  readonly reset: number;
  /** Milliseconds until there is room for so much more; 0 or less: now. */
  wait(amount: number): number;
  add(amount: number): void;
}

export function createMeter({ limit, interval, burst }: RateLimitRule, now: () => number): Meter {
  return burst === undefined ? createSlidingLog(limit, interval, now) : createBucket(interval / limit, burst, now);
}

/**
 * A log of the starts that still count, which holds `limit` numbers at most. Cheaper ways of counting (fixed windows, token buckets)
 * let up to twice the limit pass within some interval, and a server that counts strictly then answers 429.
 */
function createSlidingLog(limit: number, interval: number, now: () => number): Meter {
  const starts: number[] = [];
  // Those before it no longer count. They are removed many at a time, which costs less than one by one.
  let first = 0;

  function used(time: number): number {
    while (first < starts.length && endOf(first) <= time) first++;
    if (first * 2 > starts.length) {
      starts.splice(0, first);
      first = 0;
    }
    return starts.length - first;
  }

  function endOf(index: number): number {
    return (starts[index] ?? 0) + interval;
  }

  return {
    get used() {
      return used(now());
    },
    get reset() {
      const time = now();
      return used(time) === 0 ? 0 : endOf(starts.length - 1) - time;
    },
    wait(amount) {
      const time = now();
      // The n-th start has to wait for the end of the one `limit` places before it; every `limit` ahead of it cost one interval.
      const ahead = amount - 1;
      const place = used(time) + (ahead % limit) - limit;
      const freed = place < 0 ? 0 : endOf(first + place) - time;
      return freed + Math.floor(ahead / limit) * interval;
    },
    add(amount) {
      const time = now();
      for (let count = 0; count < amount; count++) starts.push(time);
    },
  };
}

/** How full a bucket is that leaks one in each `step` milliseconds. */
function createBucket(step: number, size: number, now: () => number): Meter {
  let level = 0;
  let at = 0;

  function settle(): number {
    const time = now();
    level = Math.max(0, level - (time - at) / step);
    at = time;
    return level;
  }

  return {
    get used() {
      return Math.ceil(settle() - EPSILON);
    },
    get reset() {
      return settle() * step;
    },
    wait(amount) {
      const over = settle() + amount - size;
      return over <= EPSILON ? 0 : over * step;
    },
    add(amount) {
      level = settle() + amount;
    },
  };
}

// What sums of fractions are off by.
const EPSILON = 1e-6;
