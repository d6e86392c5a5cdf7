/** Whether requests may go to something that keeps failing: a state machine that reads no clock and waits for nobody. */

export type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Opens it also when more than `share` of the last `of` requests failed. */
  readonly rate?: { readonly share: number; readonly of: number } | undefined;
  /** Milliseconds after which a probe is let through, and within which it must be over. */
  readonly openFor: number;
}

/** What became of a request: `unknown` says nothing about the other side. */
export type Outcome = 'answered' | 'failed' | 'unknown';

/** Gives the way back for one request, to be called once; or how many milliseconds to stay away. */
export type Entry = ((outcome: Outcome, time: number) => void) | number;

export class Circuit {
  readonly #options: CircuitOptions;
  readonly #latest: boolean[] = [];
  #state: CircuitState = 'closed';
  #failures = 0;
  /** When the next probe may start; until then one may be under way. */
  #next = 0;
  /** Counts the changes of state: what began before the last one tells nothing about the present. */
  #era = 0;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  get state(): CircuitState {
    return this.#state;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Whether there is nothing to remember. */
  get blank(): boolean {
    return this.#state === 'closed' && this.#failures === 0 && !this.#latest.includes(true);
  }

  /** Milliseconds until a probe may start. */
  wait(time: number): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#next - time);
  }

  enter(time: number): Entry {
    if (this.#state !== 'closed') {
      const wait = this.wait(time);
      if (wait > 0) return wait;
      this.#change('half_open');
      // A probe may never end (its request died with its runtime): then the next one follows.
      this.#next = time + this.#options.openFor;
    }
    const era = this.#era;
    return (outcome, now) => {
      if (era === this.#era) this.#leave(outcome, now);
    };
  }

  #leave(outcome: Outcome, time: number): void {
    if (outcome === 'unknown') {
      if (this.#state === 'half_open') this.#next = time;
      return;
    }
    const failed = outcome === 'failed';
    this.#failures = failed ? this.#failures + 1 : 0;
    if (this.#state === 'half_open' && !failed) this.#close();
    else if (this.#state === 'half_open' || this.#isTooMuch(failed)) this.#open(time);
  }

  #isTooMuch(failed: boolean): boolean {
    const { failures, rate } = this.#options;
    if (rate === undefined) return this.#failures >= failures;
    this.#latest.push(failed);
    if (this.#latest.length > rate.of) this.#latest.shift();
    const share = this.#latest.filter(Boolean).length / rate.of;
    return this.#failures >= failures || (failed && this.#latest.length === rate.of && share > rate.share);
  }

  #open(time: number): void {
    this.#change('open');
    this.#next = time + this.#options.openFor;
  }

  #close(): void {
    this.#change('closed');
    this.#latest.length = 0;
  }

  #change(state: CircuitState): void {
    this.#state = state;
    this.#era++;
  }
}
