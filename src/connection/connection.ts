/** One server for one principal: opens when it is first needed, opens again when it is gone, and ends only when it is closed. */

import { McpToolSetError } from '../errors.ts';
import { abortable, openScope, type Scope, waitAtMost } from '../lib/abort.ts';
import { createEndings } from '../lib/endings.ts';
import { isRead } from '../lib/methods.ts';
import { createOngoing } from '../lib/runtime.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { McpRequest, McpResult } from '../types.ts';
import { closedError, lostBorrowed, lostWhileConnecting, RequestEnd, toFailure } from './failure.ts';
import { createIdleWatch } from './idle.ts';
import { requestInTime } from './in-time.ts';
import { ACKNOWLEDGE_GRACE, type Link, type Memory } from './link.ts';
import type { ConnectionOptions } from './options.ts';
import { isGone, isOfOtherEra, mayReplay } from './replay.ts';

/** Milliseconds. Servers that know the probe answer it at once; the others should not make anyone wait. */
const LONGEST_PROBE = 5_000;
const LONGEST_ENDING = 3_000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #flight = createSharedFlight<Link>();
  /** Everything under way, so that closing can end it. */
  readonly #scopes = createOngoing<Scope>();
  readonly #endings = createEndings();
  /** Requests under way on each link. */
  readonly #uses = new WeakMap<Link, number>();
  readonly #memory: Memory = {};
  readonly #idle: ReturnType<typeof createIdleWatch>;
  #link: Link | undefined;
  /** Counts the attempts to connect; the present link's is `#generation`, and nothing is heard from one that is not later than `#past`. */
  #attempts = 0;
  #generation = 0;
  #connections = 0;
  #past = 0;
  #hadState = false;
  /** What was borrowed has ended, and why, where that is known. */
  #spent = false;
  #lost: McpToolSetError | undefined;
  #end: McpToolSetError | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#idle = createIdleWatch({
      now: options.now,
      budget: () => options.budgets().idle,
      onIdle: () => this.#link !== undefined && this.#isSpare(this.#link) && this.#drop(this.#link),
      onQuiet: () => this.#link?.unlisten(),
    });
  }

  /** Whether something is under way: then it must not be evicted. */
  get busy(): boolean {
    return this.#scopes.size > 0;
  }

  /** The link as it is now, without opening anything. */
  get link(): Link | undefined {
    return this.#link?.dead ? undefined : this.#link;
  }

  async request(request: McpRequest, headers: Headers | undefined): Promise<McpResult> {
    return this.#within(request.signal, (scope) => this.#attempt(request, headers, scope, true));
  }

  /** Opens it if need be, and tells what the server said of itself. */
  async ready(headers: Headers | undefined, signal: AbortSignal | undefined): Promise<Link> {
    return this.#within(signal, (scope) => this.#ready(headers, scope.signal));
  }

  /** Opens or closes the stream on which the server tells of changes, as it is wanted now. */
  attend(): void {
    if (this.link === undefined || this.#end !== undefined) return;
    if (this.#options.listens()) this.link.listen({ resources: this.#options.watched() });
    else this.link.unlisten();
  }

  /** Gives up the present link; the next use opens another. */
  discard(): void {
    if (this.#link !== undefined) this.#drop(this.#link);
  }

  /** Ends what is under way with the given error (`closed`), then the connection itself. Resolves when nothing of it is left. */
  close(reason: McpToolSetError = closedError(this.#options.server)): Promise<void> {
    this.#end ??= reason;
    this.#closing ??= this.#close(this.#end);
    return this.#closing;
  }

  async #close(reason: McpToolSetError): Promise<void> {
    this.#idle.end();
    for (const scope of [...this.#scopes]) scope.abort(reason);
    const last = this.#link?.close();
    this.discard();
    // A user's factory or middleware may never settle; a session or a child ends well within this.
    await waitAtMost(Promise.all([last, this.#endings.settled()]), LONGEST_ENDING);
  }

  /** Runs work under a scope of its own, which the caller's signal and closing can end. */
  async #within<T>(parent: AbortSignal | undefined, work: (scope: Scope) => Promise<T>): Promise<T> {
    const { server } = this.#options;
    if (this.#end !== undefined) throw this.#end;
    const scope = openScope({ parents: [parent], disguise: (reason) => new RequestEnd(reason) });
    this.#scopes.add(scope);
    this.#idle.use();
    try {
      return await work(scope);
    } catch (error) {
      const failure = McpToolSetError.is(error)
        ? error.at({ server })
        : toFailure(error, { server, method: 'the request', signal: scope.signal });
      // Its POST may still be open, as after a `notifications/cancelled` of the server's.
      if (this.#link?.peer.transport === 'http') scope.abort(failure);
      throw failure;
    } finally {
      scope.release();
      this.#scopes.delete(scope);
      this.#watchIdle();
    }
  }

  async #attempt(request: McpRequest, headers: Headers | undefined, scope: Scope, first: boolean): Promise<McpResult> {
    const link = await this.#ready(headers, scope.signal);
    this.#uses.set(link, (this.#uses.get(link) ?? 0) + 1);
    Object.assign(request.peer, link.peer);
    const pending = link.unacknowledged;
    try {
      // Only a read may overtake `initialized`: it can be repeated should the server mind.
      if (pending !== undefined && !isRead(request.method)) await waitAtMost(pending, ACKNOWLEDGE_GRACE, scope.signal);
      return await requestInTime(link, request, headers, scope, this.#options);
    } catch (error) {
      if (scope.signal.aborted) throw error;
      const failure = error as McpToolSetError;
      if (isOfOtherEra(failure, link)) this.#forgetEra();
      if (failure.code === 'session_expired' || isGone(link) || isOfOtherEra(failure, link)) this.#drop(link);
      if (!first || !mayReplay(failure, request.method, link, pending !== undefined)) throw failure;
      if (pending !== undefined) await waitAtMost(pending, ACKNOWLEDGE_GRACE, scope.signal);
      if (!(await this.#options.events.stillHolds(request, scope.signal))) throw failure;
      return this.#attempt(request, headers, scope, false);
    } finally {
      this.#leave(link);
    }
  }

  /** A link that was given up ends with the last request on it: those may still be answered. */
  #leave(link: Link): void {
    const uses = (this.#uses.get(link) ?? 1) - 1;
    this.#uses.set(link, uses);
    if (uses === 0 && this.#link !== link) this.#endings.track(link.close());
  }

  async #ready(headers: Headers | undefined, signal: AbortSignal): Promise<Link> {
    const link = this.#link;
    if (link !== undefined && !link.dead && !this.#isIdle(link)) return link;
    if (this.#spent) throw lostBorrowed(this.#lost);
    if (link !== undefined) this.#drop(link);
    return this.#flight.join(signal, (flight) => this.#open(headers, flight));
  }

  async #open(headers: Headers | undefined, parent: AbortSignal): Promise<Link> {
    const { server, shared, borrowed, events } = this.#options;
    const { connect } = this.#options.budgets();
    const scope = openScope({ parents: [parent], budget: connect });
    this.#scopes.add(scope);
    this.#memory.era ??= shared.era;
    this.#memory.discover ??= shared.discover;
    const generation = ++this.#attempts;
    const opening = this.#options.open({
      memory: this.#memory,
      headers,
      signal: scope.signal,
      probeBudget: Math.min(connect / 3, LONGEST_PROBE) || LONGEST_PROBE,
      onEnd: (link) => this.#drop(link),
      onNotification: (method, params) => generation > this.#past && events.onNotification(method, params),
      onListening: (open) => generation > this.#past && events.onListening(open),
    });
    // Also when it is given up it is waited for when closing: it has a child or a socket to end.
    this.#endings.track(opening);
    try {
      return this.#install(await abortable(opening, scope.signal), generation);
    } catch (error) {
      this.#endings.track(opening.then((late) => late.close()));
      this.#forgetEra();
      this.#spent = borrowed;
      const timeoutMessage = `it did not connect within ${connect} ms. Is it running? Raise timeouts.connect if it starts slowly.`;
      const failure = toFailure(error, { server, method: 'connecting', signal: scope.signal, timeoutMessage });
      throw failure.code === 'outcome_unknown' ? lostWhileConnecting(failure) : failure;
    } finally {
      scope.release();
      this.#scopes.delete(scope);
    }
  }

  #install(link: Link, generation: number): Link {
    const { shared, events } = this.#options;
    if (this.#end !== undefined) throw this.#end;
    const other = this.link;
    if (other !== undefined) {
      // Two attempts ran side by side (runtimes that bind I/O to requests); the first one stands.
      this.#endings.track(link.close());
      return other;
    }
    shared.era = this.#memory.era;
    // What a server says of itself may be one user's alone, unless it says otherwise.
    if (this.#memory.discover?.cacheScope === 'public') shared.discover = this.#memory.discover;
    this.#link = link;
    this.#generation = generation;
    this.#past = generation - 1;
    if (this.#hadState) events.onReset();
    this.#hadState = link.sessionId !== undefined || link.peer.transport !== 'http';
    events.onConnected(++this.#connections, link);
    this.attend();
    return link;
  }

  /** The next connection asks again. */
  #forgetEra(): void {
    for (const memory of [this.#memory, this.#options.shared]) memory.discover = memory.era = undefined;
  }

  #drop(link: Link): void {
    if (!link.replaceable) [this.#spent, this.#lost] = [true, link.lost];
    if (this.#link === link) {
      this.#link = undefined;
      this.#past = this.#generation;
      link.unlisten();
      this.#options.events.onDisconnected(this.#connections, link.lost);
    }
    const inUse = (this.#uses.get(link) ?? 0) > 0;
    if (!inUse || link.dead || this.#end !== undefined) this.#endings.track(link.close());
  }

  #isIdle(link: Link): boolean {
    return this.#idle.over && this.#isSpare(link);
  }

  #isSpare(link: Link): boolean {
    return !this.#options.holds() && link.replaceable && link.sessionId !== undefined && this.#scopes.size <= 1;
  }

  #watchIdle(): void {
    const { link } = this;
    if (this.busy || this.#end !== undefined || link === undefined) return;
    const held = this.#options.holds();
    // Whoever listens on it has use of it.
    this.#idle.rest({ session: link.sessionId !== undefined && !held, stream: link.listening && !held });
  }
}
