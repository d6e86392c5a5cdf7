/** Equal calls at the same time, made once. */

import { createSharedFlight, type SharedFlight } from '../../lib/shared-flight.ts';
import type { ToolCall } from '../../types.ts';
import type { CacheKey } from './key.ts';

export interface Flights {
  /**
   * Waits for the equal call that is under way, or makes it; `own` says which. The work's signal is nobody's in particular: it aborts
   * when nobody waits any longer.
   */
  join<T>(
    key: CacheKey,
    call: ToolCall,
    work: (call: ToolCall) => Promise<T>,
  ): Promise<{ readonly own: boolean; readonly value: T }>;
}

type Outcome = { readonly owner: ToolCall } & ({ readonly value: unknown } | { readonly error: unknown });

interface Shared {
  readonly flight: SharedFlight<Outcome>;
  waiting: number;
}

export function createFlights(): Flights {
  const flights = new Map<string, Shared>();

  async function board(id: string, call: ToolCall, work: (call: ToolCall) => Promise<unknown>): Promise<Outcome> {
    const shared = flights.get(id) ?? { flight: createSharedFlight<Outcome>(), waiting: 0 };
    flights.set(id, shared);
    shared.waiting++;
    try {
      return await shared.flight.join(call.signal, (signal) =>
        work({ ...call, signal }).then(
          (value) => ({ owner: call, value }),
          (error: unknown) => ({ owner: call, error }),
        ),
      );
    } finally {
      if (--shared.waiting === 0 && flights.get(id) === shared) flights.delete(id);
    }
  }

  return {
    async join<T>(key: CacheKey, call: ToolCall, work: (call: ToolCall) => Promise<T>) {
      const id = JSON.stringify([key.text, key.fingerprint]);
      for (;;) {
        const outcome = await board(id, call, work);
        const own = outcome.owner === call;
        if ('value' in outcome) return { own, value: outcome.value as T };
        // It may have failed with whoever made it (the reader of a stream that left): that is not this call's failure.
        if (own || !outcome.owner.signal?.aborted) throw outcome.error;
      }
    },
  };
}
