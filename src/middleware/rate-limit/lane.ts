/** What a request goes through before it starts, for one key. */

import type { RateLimitRule, Refusal } from './answer.ts';
import { createMeter } from './meter.ts';
import { type Asking, SharedTurns } from './shared-turns.ts';
import { SourceFailure } from './source.ts';
import { Turns } from './turns.ts';

export interface Lane {
  /** Whether nobody would notice if it were gone. */
  readonly idle: boolean;
  /** Nothing before the first answer. */
  readonly usage: { readonly used: number; readonly limit: number } | undefined;
  /** Lets nobody start for so many milliseconds. */
  pause(milliseconds: number): void;
  /** Starts it if that takes neither a wait nor a question. */
  startNow?(weight: number): boolean;
  /** Resolves to nothing when it may start, or to a refusal. Rejects with the signal's reason, or a `SourceFailure` that denies. */
  take(weight: number, maxWait: number, signal: AbortSignal | undefined): Promise<Refusal | undefined>;
}

/** Its limit is counted elsewhere; while that fails it goes on by itself, where it knows the limit. */
export class SharedLane implements Lane {
  readonly #turns: SharedTurns;
  readonly #alone: Turns | undefined;
  readonly #pace: number;
  readonly #now: () => number;

  /** `pace`: for how many milliseconds it is kept without use. */
  constructor(asking: Asking, rule: RateLimitRule | undefined, pace: number, now: () => number) {
    this.#turns = new SharedTurns(asking, now);
    this.#pace = pace;
    this.#now = now;
    if (rule === undefined) return;
    const meter = createMeter(rule, now);
    this.#alone = new Turns(() => meter, rule, now);
  }

  get idle(): boolean {
    return this.#turns.idleFor(this.#pace) && this.#alone?.idle !== false;
  }

  get usage(): { used: number; limit: number } | undefined {
    const { last } = this.#turns;
    return last && { used: last.limit - last.remaining, limit: last.limit };
  }

  pause(milliseconds: number): void {
    this.#turns.pause(milliseconds);
    this.#alone?.pause(milliseconds);
  }

  async take(weight: number, maxWait: number, signal: AbortSignal | undefined): Promise<Refusal | undefined> {
    const deadline = this.#now() + maxWait;
    try {
      return await this.#turns.take(weight, maxWait, signal);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      if (error.policy === 'allow') return undefined;
      if (error.policy !== 'local' || this.#alone === undefined) throw error;
      return this.#alone.take(weight, Math.max(0, deadline - this.#now()), signal);
    }
  }
}
