/** Whose turn it is: a queue in front of a sliding window, first come, first served. */

import { onAbort } from '../lib/abort.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

interface Waiter {
  admitted: boolean;
  /** Makes it look at its place again. */
  wake(): void;
}

/** Those who share one limit. */
export class Turns {
  readonly #window: SlidingWindow;
  readonly #now: () => number;
  readonly #queue: Waiter[] = [];

  constructor(limit: number, interval: number, now: () => number) {
    this.#window = createSlidingWindow(limit, interval);
    this.#now = now;
  }

  /** How many starts still count. */
  get used(): number {
    return this.#window.used(this.#now());
  }

  /** Milliseconds until the turn of one who comes now; 0 or less: at once. */
  get wait(): number {
    return this.#until(this.#queue.length);
  }

  /** Whether nobody waits and nothing counts. */
  get idle(): boolean {
    this.#admit();
    return this.#queue.length === 0 && this.used === 0;
  }

  /** Resolves when it is one's turn; rejects with the signal's reason. Only a turn that came counts. */
  async take(signal: AbortSignal | undefined): Promise<void> {
    // Whoever is in the queue goes first, even when their turn has come and only their timers are late.
    if (this.#queue.length === 0 && this.wait <= 0) return this.#window.start(this.#now());
    const waiter: Waiter = { admitted: false, wake() {} };
    this.#queue.push(waiter);
    while (!waiter.admitted) {
      await this.#pause(waiter, signal);
      if (signal?.aborted && !waiter.admitted) {
        this.#leave(waiter);
        throw signal.reason;
      }
    }
  }

  #until(ahead: number): number {
    const now = this.#now();
    return this.#window.due(ahead, now) - now;
  }

  /** Waits for the waiter's turn, for a change in the queue, or for the end of the signal, whichever comes first. */
  #pause(waiter: Waiter, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      function end(): void {
        clearTimeout(timer);
        ignore?.();
        resolve();
      }
      const onTime = (): void => {
        this.#admit();
        end();
      };
      const timer = setTimeout(onTime, Math.ceil(this.#until(this.#queue.indexOf(waiter))));
      waiter.wake = end;
      const ignore = signal && onAbort(signal, end);
    });
  }

  /** Lets in everyone whose turn it is, also those whose own timer is late or died with their request: nobody blocks those behind. */
  #admit(): void {
    for (let waiter = this.#queue[0]; waiter !== undefined && this.#until(0) <= 0; waiter = this.#queue[0]) {
      this.#queue.shift();
      this.#window.start(this.#now());
      waiter.admitted = true;
      notify(waiter);
    }
  }

  #leave(waiter: Waiter): void {
    const place = this.#queue.indexOf(waiter);
    this.#queue.splice(place, 1);
    for (const behind of this.#queue.slice(place)) notify(behind);
  }
}

/** Where waiting belongs to a request, nobody else may end it: then the waiter finds what changed when its own timer ends. */
function notify(waiter: Waiter): void {
  if (!bindsIoToRequests()) waiter.wake();
}
