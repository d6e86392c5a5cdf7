/** Whose turn it is where the count is elsewhere: everyone asks for themselves, and waits as long as the answer says. */

import type { RateLimitAnswer, Refusal } from './answer.ts';
import { notify, pause, type Waiter } from './pause.ts';

export interface Asking {
  /** Whether the answer takes into account what waits ahead. Where it does not, nobody asks before those who wait. */
  readonly inPlace: boolean;
  /** Asks for so much, behind so much that waits. */
  ask(weight: number, ahead: number, signal: AbortSignal | undefined): Promise<RateLimitAnswer>;
}

interface Sleeper extends Waiter {
  /** When it asks again; nothing while it asks. */
  dueAt: number | undefined;
}

// A store that says "at once" and "no" together is not asked in a circle.
const SHORTEST = 10;
// One whose timer is so late died with its request (workerd): it must not stand in the way of others for ever.
const LOST = 1_000;

/** Those who share one limit, in this process; the limit itself is shared with others. */
export class SharedTurns {
  readonly #asking: Asking;
  readonly #now: () => number;
  readonly #queue: Sleeper[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #last: RateLimitAnswer | undefined;
  #lastAt: number;

  constructor(asking: Asking, now: () => number) {
    this.#asking = asking;
    this.#now = now;
    this.#lastAt = now();
  }

  /** As of the last answer. */
  get last(): RateLimitAnswer | undefined {
    return this.#last;
  }

  /** Whether nobody waits and nobody came for so many milliseconds. */
  idleFor(milliseconds: number): boolean {
    const time = this.#now();
    this.#forget(time);
    return this.#queue.length === 0 && this.#pausedUntil <= time && time - this.#lastAt >= milliseconds;
  }

  /** Lets nobody start for so many milliseconds. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
    for (const sleeper of [...this.#queue]) notify(sleeper);
  }

  /**
   * Resolves to nothing when it may start, or to a refusal once it is known that it may not within `maxWait`. Rejects with the
   * signal's reason, or with what `ask` rejects with.
   */
  async take(weight: number, maxWait: number, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    const sleeper: Sleeper = { weight, deadline: this.#now() + maxWait, dueAt: undefined, wake() {} };
    this.#lastAt = this.#now();
    this.#queue.push(sleeper);
    try {
      for (;;) {
        const refusal = await this.#try(sleeper, signal);
        if (refusal === undefined) return undefined;
        if (refusal.retryAfter > sleeper.deadline - this.#now()) return refusal;
        await this.#sleep(sleeper, refusal.retryAfter > 0 ? refusal.retryAfter : SHORTEST, signal);
      }
    } catch (error) {
      this.#moveUp(sleeper);
      throw error;
    } finally {
      const place = this.#queue.indexOf(sleeper);
      if (place >= 0) this.#queue.splice(place, 1);
    }
  }

  async #try(sleeper: Sleeper, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    const time = this.#now();
    this.#forget(time);
    if (this.#pausedUntil > time) return this.#refuse(this.#pausedUntil - time, true);
    const ahead = this.#queue.slice(0, Math.max(0, this.#queue.indexOf(sleeper))).filter(isAsleep);
    const { dueAt } = ahead.at(-1) ?? {};
    if (dueAt !== undefined && !this.#asking.inPlace) return this.#refuse(Math.max(0, dueAt - time), false);
    const weights = ahead.reduce((sum, { weight }) => sum + weight, 0);
    const answer = await this.#asking.ask(sleeper.weight, weights, signal);
    this.#last = answer;
    return answer.allowed ? undefined : { ...answer, allowed: false, paused: false };
  }

  /** Without asking. */
  #refuse(retryAfter: number, paused: boolean): Refusal {
    const { limit = 0, remaining = 0, resetAt = this.#now() + retryAfter } = this.#last ?? {};
    return { allowed: false, limit, remaining, resetAt, retryAfter, paused };
  }

  async #sleep(sleeper: Sleeper, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    sleeper.dueAt = this.#now() + milliseconds;
    // Woken, it finds a new time at which it is due, or a pause that it has no time for.
    for (let left = milliseconds; left > 0 && !this.#isHeld(sleeper); left = sleeper.dueAt - this.#now()) {
      await pause(sleeper, left, signal);
      signal?.throwIfAborted();
    }
    sleeper.dueAt = undefined;
  }

  #isHeld({ deadline }: Sleeper): boolean {
    return this.#pausedUntil > deadline;
  }

  #forget(time: number): void {
    for (let first = this.#queue[0]; first && isAsleep(first) && first.dueAt + LOST < time; first = this.#queue[0]) {
      this.#queue.shift();
    }
  }

  /** One leaves while it waits: everybody behind it takes the place, and so the time, of the one before. */
  #moveUp(sleeper: Sleeper): void {
    let { dueAt } = sleeper;
    const place = this.#queue.indexOf(sleeper);
    if (dueAt === undefined || place < 0) return;
    for (const behind of this.#queue.slice(place + 1).filter(isAsleep)) {
      [behind.dueAt, dueAt] = [dueAt, behind.dueAt];
      notify(behind);
    }
  }
}

/** Whoever asks at this moment is heard before those who ask now, so only these are ahead of them. */
function isAsleep(sleeper: Sleeper): sleeper is Sleeper & { dueAt: number } {
  return sleeper.dueAt !== undefined;
}
