/** Lets requests start, each in the lane of its key. */

import { McpToolSetError } from '../../errors.ts';
import { bindsIoToRequests } from '../../lib/runtime.ts';
import type { McpRequest } from '../../types.ts';
import { timeLeft } from '../shared/deadline.ts';
import { crowded, interrupted, refused, storeFailed } from './errors.ts';
import type { Lane } from './lane.ts';
import { createLanes } from './lanes.ts';
import { createClock } from './memory-store.ts';
import { openLanes } from './open-lanes.ts';
import type { RateLimitOptions } from './options.ts';
import { Slots } from './slots.ts';
import { SourceFailure } from './source.ts';

export interface Gate {
  /** Gives, when the request may start, what it calls when it has ended. Fails with the error that the request fails with. */
  enter(request: McpRequest, key: string, weight: number): (() => void) | Promise<() => void>;
  /** Lets nobody with that key start for so many milliseconds. */
  pause(key: string, milliseconds: number): void;
  usage(): { readonly key: string; readonly used: number; readonly limit: number }[];
}

interface Entry {
  readonly lane: Lane;
  readonly slots: Slots | undefined;
}

export function createGate(options: RateLimitOptions): Gate {
  const { maxWait = 5_000, maxConcurrent, now = createClock() } = options;
  if (maxConcurrent !== undefined && bindsIoToRequests()) throw unsupported();
  const { rule, pace, laneOf } = openLanes(options, now);
  const entries = createLanes<Entry>(now, ({ lane, slots }) => lane.idle && slots?.idle !== false);
  const slotsOf = (): Slots | undefined => (maxConcurrent === undefined ? undefined : new Slots(maxConcurrent, now));
  const entryOf = (key: string): Entry => entries.of(key, pace, () => ({ lane: laneOf(key), slots: slotsOf() }));

  async function wait(entry: Entry, weight: number, request: McpRequest): Promise<() => void> {
    try {
      await pass(entry, weight, request);
    } catch (error) {
      if (request.signal?.aborted) throw interrupted(request);
      throw error instanceof SourceFailure ? storeFailed(request, error) : error;
    }
    return () => entry.slots?.give();
  }

  async function pass({ lane, slots }: Entry, weight: number, request: McpRequest): Promise<void> {
    const { signal } = request;
    const budget = Math.min(maxWait, timeLeft(signal));
    let left = budget;
    if (slots !== undefined) {
      const start = now();
      if (!(await slots.take(budget, signal))) throw crowded(request, slots.size);
      left = Math.max(0, start + budget - now());
    }
    try {
      const refusal = await lane.take(weight, left, signal);
      if (refusal !== undefined) throw refused(request, refusal, rule);
    } catch (error) {
      slots?.give();
      throw error;
    }
  }

  return {
    enter(request, key, weight) {
      if (request.signal?.aborted) throw interrupted(request);
      const entry = entryOf(key);
      // The common case, which costs no turn of the microtask queue.
      if (entry.slots === undefined && entry.lane.startNow?.(weight)) return nothingToDo;
      return wait(entry, weight, request);
    },
    // It may have a new entry by now: one that nothing counts for is dropped, however long its requests last.
    pause: (key, milliseconds) => entryOf(key).lane.pause(milliseconds),
    usage() {
      const rows = entries.entries().map(([key, { lane }]) => ({ key, usage: lane.usage }));
      return rows.flatMap(({ key, usage }) => (usage === undefined ? [] : [{ key, ...usage }]));
    },
  };
}

function nothingToDo(): void {}

function unsupported(): McpToolSetError {
  const detail = 'maxConcurrent of rateLimit() cannot be kept on a runtime that binds I/O to requests. Leave it out here.';
  return new McpToolSetError('runtime_unsupported', detail);
}
