/** One piece of work that any number of callers wait for, none of whom depends on another. */

import { abortable } from './abort.ts';
import { bindsIoToRequests } from './runtime.ts';

export interface SharedFlight<T> {
  /**
   * Waits for the work that is under way, or starts it. A waiter that leaves (its signal aborts) takes nothing with it, unless it
   * was the last one: then the work's own signal aborts.
   */
  join(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Where I/O belongs to the request that made it, every caller starts work of its own: another's may die with its request. */
export function createSharedFlight<T>(shared: boolean = !bindsIoToRequests()): SharedFlight<T> {
  let current: { readonly result: Promise<T>; readonly controller: AbortController; waiting: number } | undefined;

  function start(work: (signal: AbortSignal) => Promise<T>): NonNullable<typeof current> {
    const controller = new AbortController();
    const flight = { result: work(controller.signal), controller, waiting: 0 };
    const land = (): void => {
      if (current === flight) current = undefined;
    };
    flight.result.then(land, land);
    return flight;
  }

  return {
    async join(signal, work) {
      signal?.throwIfAborted();
      const flight = (shared && current) || start(work);
      if (shared) current = flight;
      flight.waiting++;
      try {
        return await abortable(flight.result, signal);
      } finally {
        if (--flight.waiting === 0) {
          // Whoever comes now must not join work that is being aborted.
          if (current === flight) current = undefined;
          flight.controller.abort(new Error('nobody waits for this any longer'));
        }
      }
    },
  };
}
