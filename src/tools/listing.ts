/** One server's tools as one principal sees them: fetched page by page, kept until they are stale, kept also when the server fails. */

import type { ServerFacts } from '../connection/engine.ts';
import type { Link } from '../connection/link.ts';
import { listAll } from '../connection/pages.ts';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope } from '../lib/abort.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { ToolNote } from '../report.ts';
import type { SendRequest, ToolDefinition } from '../types.ts';
import { readDefinition } from './definition.ts';

/** What a server offered when it was last asked. */
export interface Listing {
  /** By original name, in the server's order. */
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly dropped: readonly ToolNote[];
  readonly facts: ServerFacts;
  /** Whether the server tells of changes by itself, so that its listing need not age. */
  readonly pushed: boolean;
  /** How long connecting and listing took. */
  readonly milliseconds: number;
}

/** A listing, or the last good one (if any) beside the reason why it could not be renewed. */
export interface ListingState {
  readonly listing: Listing | undefined;
  readonly error: McpToolSetError | undefined;
}

export interface ListingOptions {
  readonly server: string;
  /** Milliseconds a listing counts as fresh; 0 = never. */
  readonly ttl: number;
  readonly now: () => number;
  /** Milliseconds that one listing may take, all its pages together; 0 = any. */
  readonly budget: number;
  /** Connects if need be. */
  readonly ready: (signal: AbortSignal) => Promise<Pick<Link, 'facts' | 'peer'>>;
}

/** First wait after a failure; doubled with each further one. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

export class ToolListing {
  readonly #options: ListingOptions;
  #flight = createSharedFlight<void>();
  #listing: Listing | undefined;
  #error: McpToolSetError | undefined;
  #freshUntil = 0;
  #failures = 0;
  /** Counts the changes that were told of, so that one during a listing is not taken for seen. */
  #changes = 0;
  /** The count when the present listing was begun. */
  #seen = 0;
  #renewing = 0;

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  get server(): string {
    return this.#options.server;
  }

  /** What was last listed, without asking. */
  get state(): ListingState {
    return { listing: this.#listing, error: this.#error };
  }

  /** Whether the server is being asked. */
  get busy(): boolean {
    return this.#renewing > 0;
  }

  /** Whether what was listed is known to be out of date. */
  get outdated(): boolean {
    return this.#listing !== undefined && this.#freshUntil === 0;
  }

  /** The server said that its list has changed, or the user wants to know: the next `get` asks again. */
  expire(): void {
    this.#changes++;
    // Whoever asks from now on must not be answered from a listing that is under way.
    this.#flight = createSharedFlight();
    this.#freshUntil = 0;
    this.#failures = 0;
    this.#error = undefined;
  }

  /**
   * Answers from memory while fresh. A listing that has merely aged is answered at once and renewed behind; one that is missing or
   * known to be wrong is waited for. A server that keeps failing is left alone for a while. Rejects only when the caller's signal aborts.
   */
  async get(send: SendRequest, signal: AbortSignal | undefined): Promise<ListingState> {
    const { now } = this.#options;
    if (now() < this.#freshUntil) return this.state;
    const aged = this.#listing !== undefined && this.#freshUntil > 0 && this.#options.ttl > 0;
    if (aged) void this.#renew(send, undefined);
    else await this.#renew(send, signal);
    return this.state;
  }

  async #renew(send: SendRequest, signal: AbortSignal | undefined): Promise<void> {
    this.#renewing++;
    try {
      await this.#flight.join(signal, (flight) => this.#list(send, flight));
    } catch {
      // What came of it is in the state, for all who waited; only one's own abort is one's own.
      signal?.throwIfAborted();
    } finally {
      this.#renewing--;
    }
  }

  /** One listing, and its mark on the state. A change that is told of meanwhile is newer than what comes of it. */
  async #list(send: SendRequest, signal: AbortSignal): Promise<void> {
    const { now, ttl } = this.#options;
    const changes = this.#changes;
    try {
      const listing = await this.#fetchInTime(send, signal);
      if (changes < this.#seen) return;
      this.#seen = changes;
      this.#listing = listing;
      this.#error = undefined;
      this.#failures = 0;
      if (changes !== this.#changes) return;
      this.#freshUntil = ttl > 0 && listing.pushed ? Number.POSITIVE_INFINITY : now() + ttl;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#error = McpToolSetError.is(error)
        ? error
        : new McpToolSetError('bad_response', 'listing its tools failed in a middleware; see the cause.', {
            server: this.#options.server,
            cause: error,
          });
      this.#failures++;
      if (changes === this.#changes) this.#freshUntil = now() + Math.min(FIRST_PAUSE * 2 ** (this.#failures - 1), LONGEST_PAUSE);
    }
  }

  async #fetchInTime(send: SendRequest, parent: AbortSignal): Promise<Listing> {
    const { server, budget } = this.#options;
    const scope = openScope({ parents: [parent], budget });
    try {
      return await abortable(this.#fetch(send, scope.signal), scope.signal);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const detail = `its list of tools did not end within ${budget} ms. Raise timeouts.total, or fix the server's paging.`;
      throw new McpToolSetError('timeout', detail, { server, cause: error });
    } finally {
      scope.release();
    }
  }

  async #fetch(send: SendRequest, signal: AbortSignal): Promise<Listing> {
    const { server, now, ready } = this.#options;
    const start = now();
    const { facts, peer } = await ready(signal);
    const tools = facts.capabilities.tools as { readonly listChanged?: unknown } | undefined;
    const raw = tools === undefined ? [] : await listAll(send, { server, method: 'tools/list', signal }, 'tools');
    const pushed = peer.transport === 'stdio' && tools?.listChanged === true;
    return { ...readAll(raw, server), facts, pushed, milliseconds: Math.round(now() - start) };
  }
}

/** Reads each entry for itself, so that a bad one costs only itself; of two with one name the first stands. */
function readAll(raw: readonly unknown[], server: string): Pick<Listing, 'definitions' | 'dropped'> {
  const definitions = new Map<string, ToolDefinition>();
  const dropped: ToolNote[] = [];
  for (const entry of raw) {
    const read = readDefinition(entry, server);
    if ('problem' in read) dropped.push({ server, originalName: read.name ?? '(no name)', what: 'dropped', why: read.problem });
    else if (!definitions.has(read.originalName)) definitions.set(read.originalName, read);
    else
      dropped.push({
        server,
        originalName: read.originalName,
        what: 'dropped',
        why: 'the server lists this name twice; the first one is used.',
      });
  }
  return { definitions, dropped };
}
