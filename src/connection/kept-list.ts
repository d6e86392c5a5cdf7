/** A list of one server's as one principal sees it: fetched when it is needed, kept until it is stale, kept also when the server fails. */

import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope } from '../lib/abort.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { ServerFacts } from './engine.ts';
import type { Link } from './link.ts';

/** What a server said when it was last asked. */
export interface Kept {
  readonly facts: ServerFacts;
  /** Milliseconds for which the server calls it fresh, where it says so. */
  readonly ttl?: number | undefined;
  /** It comes from a snapshot: the server itself has not been asked yet. */
  readonly unverified?: true | undefined;
}

/** A list, or the last good one (if any) beside the reason why it could not be renewed. */
export interface KeptState<T> {
  readonly listing: T | undefined;
  readonly error: McpToolSetError | undefined;
}

export interface KeptListOptions<T, Asker> {
  readonly server: string;
  /** In messages: `its list of tools`. */
  readonly what: string;
  /** Milliseconds a listing counts as fresh; 0 = never. Asked anew each time. */
  readonly ttl: () => number;
  /** Whether a change would be told of, as things are now: then the listing need not age. */
  readonly pushed: (facts: ServerFacts) => boolean;
  readonly now: () => number;
  /** Milliseconds that one listing may take, all its pages together; 0 = any. */
  readonly budget: () => number;
  /** Milliseconds of the first pause after a failure; 0 = none. */
  readonly backOff: () => number;
  /** Keeps a runtime awake for work that nobody waits for. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Connects if need be. */
  readonly ready: (signal: AbortSignal) => Promise<Pick<Link, 'facts' | 'peer'>>;
  /** Asks for the whole of it, for whoever is the first to want it. */
  readonly fetch: (facts: ServerFacts, signal: AbortSignal, asker: Asker) => Promise<Omit<T, 'facts'>>;
}

const LONGEST_PAUSE = 30_000;

export class KeptList<T extends Kept, Asker = void> {
  readonly #options: KeptListOptions<T, Asker>;
  #flight = createSharedFlight<void>();
  #listing: T | undefined;
  #error: McpToolSetError | undefined;
  #state: KeptState<T> = { listing: undefined, error: undefined };
  /** Up to when what is here is good: a listing, or the pause after a failure. 0 = known to be out of date. */
  #goodUntil = 0;
  /** A change may have gone by untold. */
  #aged = false;
  #failures = 0;
  #listedAt = 0;
  /** Counts the changes that were told of, so that one during a listing is not taken for seen. */
  #changes = 0;
  /** The count when the present listing was begun. */
  #seen = 0;
  #renewing = 0;

  constructor(options: KeptListOptions<T, Asker>, preloaded?: T) {
    this.#options = options;
    if (preloaded !== undefined) {
      this.#listing = preloaded;
      this.#aged = true;
      this.#goodUntil = 1;
    }
    this.#settle();
  }

  get server(): string {
    return this.#options.server;
  }

  /** What was last listed, without asking. The same object for as long as nothing changes. */
  get state(): KeptState<T> {
    return this.#state;
  }

  /** Whether the server is being asked. */
  get busy(): boolean {
    return this.#renewing > 0;
  }

  /** Whether what was listed is known to be out of date; it stays so while the server fails to list anew. */
  get outdated(): boolean {
    return this.#listing !== undefined && this.#seen < this.#changes;
  }

  /** Whether it is older than the user lets a listing be, whatever its server says of that, or a change may have gone by untold. */
  get overdue(): boolean {
    const { now, ttl, pushed } = this.#options;
    if (this.#listing === undefined || this.#error !== undefined) return false;
    return this.#aged || (!pushed(this.#listing.facts) && now() - this.#listedAt >= ttl());
  }

  /** Whether it was asked for so few milliseconds ago. */
  listedWithin(milliseconds: number): boolean {
    return this.#listing !== undefined && !this.outdated && this.#options.now() - this.#listedAt < milliseconds;
  }

  /** Whether the state can be used as it is. */
  get fresh(): boolean {
    const { now, pushed } = this.#options;
    const good = now() < this.#goodUntil;
    if (this.#error !== undefined) return good;
    if (this.#listing === undefined || this.#aged) return false;
    return good || (this.#ages && pushed(this.#listing.facts));
  }

  /** Whether it has merely grown old: good enough to answer with while the server is asked. */
  get #ages(): boolean {
    return this.#listing !== undefined && this.#goodUntil > 0 && this.#options.ttl() > 0;
  }

  /** The server said that its list has changed, or the user wants to know: the next `get` asks again. */
  expire(): void {
    this.#changes++;
    // Whoever asks from now on must not be answered from a listing that is under way.
    this.#flight = createSharedFlight();
    this.#goodUntil = 0;
    this.#failures = 0;
    this.#error = undefined;
    this.#settle();
  }

  /** A change may have gone by untold: the next `get` answers at once and asks behind. */
  age(): void {
    this.#aged = true;
  }

  /**
   * Answers from memory while fresh. A listing that has merely aged is answered at once and renewed behind; one that is missing or
   * known to be wrong is waited for. A server that keeps failing is left alone for a while. Rejects only when the caller's signal aborts.
   */
  async get(signal: AbortSignal | undefined, asker: Asker): Promise<KeptState<T>> {
    if (this.fresh) return this.#state;
    if (!this.#ages) await this.#renew(signal, asker);
    else {
      const renewing = this.#renew(undefined, asker);
      this.#options.waitUntil?.(renewing);
    }
    return this.#state;
  }

  /** The same, but a listing that nobody has verified with the server is not enough. */
  async verified(signal: AbortSignal | undefined, asker: Asker): Promise<KeptState<T>> {
    if (this.#listing?.unverified !== true) return this.get(signal, asker);
    await this.#renew(signal, asker);
    return this.#state;
  }

  /** Asks, unless the server is being left alone for a while. */
  async renewed(signal: AbortSignal | undefined, asker: Asker): Promise<KeptState<T>> {
    if (this.#error === undefined || !this.fresh) await this.#renew(signal, asker);
    return this.#state;
  }

  #settle(): void {
    this.#state = { listing: this.#listing, error: this.#error };
  }

  async #renew(signal: AbortSignal | undefined, asker: Asker): Promise<void> {
    this.#renewing++;
    try {
      await this.#flight.join(signal, (flight) => this.#list(flight, asker));
    } catch {
      // What came of it is in the state, for all who waited; only one's own abort is one's own.
      signal?.throwIfAborted();
    } finally {
      this.#renewing--;
    }
  }

  /** One listing, and its mark on the state. A change that is told of meanwhile is newer than what comes of it. */
  async #list(signal: AbortSignal, asker: Asker): Promise<void> {
    const { now, ttl, server, what } = this.#options;
    const changes = this.#changes;
    try {
      const listing = await this.#fetchInTime(signal, asker);
      if (changes < this.#seen) return;
      this.#seen = changes;
      this.#listing = listing;
      this.#listedAt = now();
      this.#error = undefined;
      this.#aged = false;
      this.#failures = 0;
      // Never 0, which would mean that it is known to be out of date.
      if (changes === this.#changes) this.#goodUntil = Math.max(1, now() + (ttl() && (listing.ttl ?? ttl())));
    } catch (error) {
      if (signal.aborted) throw error;
      this.#error = McpToolSetError.is(error) ? error : unreadable(server, what, error);
      this.#failures++;
      if (changes === this.#changes) this.#goodUntil = now() + this.#pause();
    }
    this.#settle();
  }

  /** Doubles with each failure, and is up to a quarter shorter, so that many do not ask at one moment. */
  #pause(): number {
    const pause = Math.min(this.#options.backOff() * 2 ** (this.#failures - 1), LONGEST_PAUSE);
    return pause * (1 - Math.random() / 4);
  }

  async #fetchInTime(parent: AbortSignal, asker: Asker): Promise<T> {
    const { server, what, budget, ready, fetch } = this.#options;
    // Connecting has a budget of its own.
    const { facts } = await ready(parent);
    const scope = openScope({ parents: [parent], budget: budget() });
    try {
      const listed = await abortable(fetch(facts, scope.signal, asker), scope.signal);
      return { ...listed, facts } as T;
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const detail = `${what} did not end within ${error.milliseconds} ms. Raise timeouts.total, or fix the server's paging.`;
      throw new McpToolSetError('timeout', detail, { server, cause: error });
    } finally {
      scope.release();
    }
  }
}

function unreadable(server: string, what: string, cause: unknown): McpToolSetError {
  return new McpToolSetError('bad_response', `asking for ${what} failed in a middleware; see the cause.`, { server, cause });
}
