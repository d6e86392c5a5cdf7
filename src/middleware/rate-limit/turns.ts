/** Whose turn it is where the count is at hand: a queue in front of a meter, first come, first served. */

import type { RateLimitRule, Refusal } from './answer.ts';
import type { Lane } from './lane.ts';
import { answerOf } from './memory-store.ts';
import type { Meter } from './meter.ts';
import { notify, pause, type Waiter } from './pause.ts';

const NEVER = Number.NEGATIVE_INFINITY;

interface Turn extends Waiter {
  admitted: boolean;
}

/** Those who share one limit in this process. */
export class Turns implements Lane {
  // Asked for each time, since the store drops a meter for which nothing counts.
  readonly #meter: () => Meter;
  readonly #rule: RateLimitRule;
  readonly #now: () => number;
  readonly #queue: Turn[] = [];
  #pausedUntil = NEVER;

  constructor(meter: () => Meter, rule: RateLimitRule, now: () => number) {
    this.#meter = meter;
    this.#rule = rule;
    this.#now = now;
  }

  get usage(): { used: number; limit: number } {
    const { limit, burst = limit } = this.#rule;
    return { used: this.#meter().used, limit: burst };
  }

  /** Whether nobody waits and nothing counts. */
  get idle(): boolean {
    this.#admit();
    return this.#queue.length === 0 && this.#pausedUntil <= this.#now() && this.usage.used === 0;
  }

  /** Lets nobody start for so many milliseconds. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + milliseconds);
    for (const turn of [...this.#queue]) notify(turn);
  }

  startNow(weight: number): boolean {
    // Whoever is in the queue goes first, even when their turn has come and only their timers are late.
    if (this.#queue.length > 0 || this.#until(weight) > 0) return false;
    this.#meter().add(weight);
    return true;
  }

  /**
   * Resolves to nothing when it is one's turn, or to a refusal once it is known that it does not come within `maxWait`. Rejects with
   * the signal's reason. Only a turn that came counts.
   */
  async take(weight: number, maxWait: number, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    if (this.startNow(weight)) return undefined;
    const wait = this.#until(weightOf(this.#queue) + weight);
    if (wait > maxWait) return this.#refuse(wait);
    const turn: Turn = { weight, deadline: this.#now() + maxWait, admitted: false, wake() {} };
    this.#queue.push(turn);
    while (!turn.admitted) {
      const left = this.#until(weightOf(this.#queue, turn) + weight);
      // It can only have grown by a pause, a heavier one ahead, or others who count on the same meter.
      if (left > turn.deadline - this.#now() + ROUNDING) {
        this.#leave(turn);
        return this.#refuse(left);
      }
      await pause(turn, left, signal, () => this.#admit());
      if (signal?.aborted && !turn.admitted) {
        this.#leave(turn);
        throw signal.reason;
      }
    }
    return undefined;
  }

  #until(amount: number): number {
    const wait = this.#meter().wait(amount);
    return this.#pausedUntil === NEVER ? wait : Math.max(wait, this.#pausedUntil - this.#now());
  }

  /** Lets in everyone whose turn it is, also those whose own timer is late or died with their request: nobody blocks those behind. */
  #admit(): void {
    for (let turn = this.#queue[0]; turn !== undefined && this.#until(turn.weight) <= 0; turn = this.#queue[0]) {
      this.#queue.shift();
      this.#meter().add(turn.weight);
      turn.admitted = true;
      notify(turn);
    }
  }

  #leave(turn: Turn): void {
    const place = this.#queue.indexOf(turn);
    this.#queue.splice(place, 1);
    for (const behind of this.#queue.slice(place)) notify(behind);
  }

  #refuse(wait: number): Refusal {
    const paused = this.#pausedUntil - this.#now() > this.#meter().wait(1);
    return { ...answerOf(this.#meter(), this.#rule, wait, this.#now()), allowed: false, paused };
  }
}

// Timers and clocks differ by less than this.
const ROUNDING = 1;

/** How much waits, or how much of it waits before one. */
function weightOf(queue: readonly Waiter[], until?: Waiter): number {
  let sum = 0;
  for (const waiter of queue) {
    if (waiter === until) break;
    sum += waiter.weight;
  }
  return sum;
}
