/** Which kind of lane the options ask for. */

import type { RateLimitRule } from './answer.ts';
import { type Lane, SharedLane } from './lane.ts';
import { memoryStore, metersOf } from './memory-store.ts';
import type { LimiterOptions, OwnLimitOptions, RateLimitOptions } from './options.ts';
import { createSource } from './source.ts';
import { Turns } from './turns.ts';

export interface OpenLanes {
  /** Nothing where an existing engine has it. */
  readonly rule: RateLimitRule | undefined;
  /** For how many milliseconds something is kept without use. */
  readonly pace: number;
  laneOf(key: string): Lane;
}

const ANSWER_TIME = 1_000;
// Where the interval is not known.
const FOREIGN_PACE = 60_000;

export function openLanes(options: RateLimitOptions, now: () => number): OpenLanes {
  return options.limiter === undefined ? openOwn(options, now) : openForeign(options, now);
}

function openOwn(options: OwnLimitOptions, now: () => number): OpenLanes {
  const { limit, interval, burst, storeTimeout: timeout = ANSWER_TIME, onStoreError: onError } = options;
  const rule = { limit, interval, burst };
  const { name = [limit, interval, burst ?? []].flat().join('/'), store = memoryStore({ now }) } = options;
  const meters = metersOf(store);
  const source = createSource({ timeout, onError, otherwise: 'local', now });
  function laneOf(key: string): Lane {
    const full = `${name}:${key}`;
    if (meters !== undefined) return new Turns(() => meters(full, rule), rule, now);
    const ask = (weight: number, ahead: number, signal?: AbortSignal) =>
      source(() => store.take(full, { ...rule, weight, ahead }), signal);
    return new SharedLane({ inPlace: true, ask }, rule, interval, now);
  }
  return { rule, pace: interval, laneOf };
}

function openForeign(options: LimiterOptions, now: () => number): OpenLanes {
  const { limiter, storeTimeout: timeout = ANSWER_TIME, onStoreError: onError } = options;
  const source = createSource({ timeout, onError, otherwise: 'deny', now });
  function laneOf(key: string): Lane {
    const ask = (weight: number, _ahead: number, signal?: AbortSignal) => source(() => limiter.take(key, weight), signal);
    return new SharedLane({ inPlace: false, ask }, undefined, FOREIGN_PACE, now);
  }
  return { rule: undefined, pace: FOREIGN_PACE, laneOf };
}
