/** One server's tools as one principal sees them: fetched page by page, kept until they are stale, kept also when the server fails. */

import type { ServerFacts } from '../connection/engine.ts';
import type { Link } from '../connection/link.ts';
import { listPages, type Pages } from '../connection/pages.ts';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope } from '../lib/abort.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { ToolNote } from '../report.ts';
import type { SendRequest, ToolDefinition } from '../types.ts';
import { readListing } from './read-listing.ts';

/** What a server offered when it was last asked. */
export interface Listing {
  /** By original name, in the server's order. */
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly dropped: readonly ToolNote[];
  readonly facts: ServerFacts;
  /** Milliseconds for which the server calls it fresh, where it says so. */
  readonly ttl?: number | undefined;
  /** How long connecting and listing took. */
  readonly milliseconds: number;
  /** It comes from a snapshot: the server itself has not been asked yet. */
  readonly unverified?: true | undefined;
}

/** A listing, or the last good one (if any) beside the reason why it could not be renewed. */
export interface ListingState {
  readonly listing: Listing | undefined;
  readonly error: McpToolSetError | undefined;
}

export interface ListingOptions {
  readonly server: string;
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
  /** Sends over the very connection that it is the listing of: asked anew, the user's headers might lead to another user's. */
  readonly send: SendRequest;
  /** Connects if need be. */
  readonly ready: (signal: AbortSignal) => Promise<Pick<Link, 'facts' | 'peer'>>;
}

const LONGEST_PAUSE = 30_000;

export class ToolListing {
  readonly #options: ListingOptions;
  #flight = createSharedFlight<void>();
  #listing: Listing | undefined;
  #error: McpToolSetError | undefined;
  #state: ListingState = { listing: undefined, error: undefined };
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

  constructor(options: ListingOptions, preloaded?: Listing) {
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
  get state(): ListingState {
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
  async get(signal: AbortSignal | undefined): Promise<ListingState> {
    if (this.fresh) return this.#state;
    if (!this.#ages) await this.#renew(signal);
    else {
      const renewing = this.#renew(undefined);
      this.#options.waitUntil?.(renewing);
    }
    return this.#state;
  }

  /** The same, but a listing that nobody has verified with the server is not enough. */
  async verified(signal: AbortSignal | undefined): Promise<ListingState> {
    if (this.#listing?.unverified !== true) return this.get(signal);
    await this.#renew(signal);
    return this.#state;
  }

  /** Asks, unless the server is being left alone for a while. */
  async renewed(signal: AbortSignal | undefined): Promise<ListingState> {
    if (this.#error === undefined || !this.fresh) await this.#renew(signal);
    return this.#state;
  }

  #settle(): void {
    this.#state = { listing: this.#listing, error: this.#error };
  }

  async #renew(signal: AbortSignal | undefined): Promise<void> {
    this.#renewing++;
    try {
      await this.#flight.join(signal, (flight) => this.#list(flight));
    } catch {
      // What came of it is in the state, for all who waited; only one's own abort is one's own.
      signal?.throwIfAborted();
    } finally {
      this.#renewing--;
    }
  }

  /** One listing, and its mark on the state. A change that is told of meanwhile is newer than what comes of it. */
  async #list(signal: AbortSignal): Promise<void> {
    const { now, ttl, server } = this.#options;
    const changes = this.#changes;
    try {
      const listing = await this.#fetchInTime(signal);
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
      this.#error = McpToolSetError.is(error) ? error : unreadable(server, error);
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

  async #fetchInTime(parent: AbortSignal): Promise<Listing> {
    const { server, budget, now, ready } = this.#options;
    const start = now();
    // Connecting has a budget of its own.
    const { facts } = await ready(parent);
    const scope = openScope({ parents: [parent], budget: budget() });
    try {
      const { entries, ttl } = await abortable(this.#fetch(facts, scope.signal), scope.signal);
      return { ...readListing(entries, server, facts.era), facts, ttl, milliseconds: Math.round(now() - start) };
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const detail = `its list of tools did not end within ${error.milliseconds} ms. Raise timeouts.total, or fix the server's paging.`;
      throw new McpToolSetError('timeout', detail, { server, cause: error });
    } finally {
      scope.release();
    }
  }

  async #fetch({ capabilities }: ServerFacts, signal: AbortSignal): Promise<Pages> {
    if (capabilities.tools === undefined) return { entries: [], ttl: undefined };
    const { send, server } = this.#options;
    return listPages(send, { server, method: 'tools/list', signal }, 'tools');
  }
}

function unreadable(server: string, cause: unknown): McpToolSetError {
  return new McpToolSetError('bad_response', 'listing its tools failed in a middleware; see the cause.', { server, cause });
}
