/** How many requests run at once: places that are taken, given back, and waited for first come, first served. */

import { pause, type Waiter } from './pause.ts';

interface Claim extends Waiter {
  granted: boolean;
}

export class Slots {
  #free: number;
  /** How many there are in all. */
  readonly size: number;
  readonly #now: () => number;
  readonly #queue: Claim[] = [];

  constructor(size: number, now: () => number) {
    this.#free = size;
    this.size = size;
    this.#now = now;
  }

  get idle(): boolean {
    return this.#free === this.size;
  }

  /** Resolves to whether a place came within `maxWait`; who got one gives it back. Rejects with the signal's reason. */
  async take(maxWait: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    if (maxWait <= 0) return false;
    const claim: Claim = { weight: 1, deadline: this.#now() + maxWait, granted: false, wake() {} };
    this.#queue.push(claim);
    await pause(claim, maxWait, signal);
    if (claim.granted) {
      // It was woken with a place just before its caller left.
      if (signal?.aborted) this.give();
      else return true;
    } else this.#queue.splice(this.#queue.indexOf(claim), 1);
    signal?.throwIfAborted();
    return false;
  }

  give(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free++;
    else {
      next.granted = true;
      next.wake();
    }
  }
}
