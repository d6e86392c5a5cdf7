/** One server for one principal: opens when it is first needed, opens again when it is gone, and ends only when it is closed. */

import { McpToolSetError } from '../errors.ts';
import { abortable, openScope, type Scope, waitAtMost } from '../lib/abort.ts';
import { bindsIoToRequests, createOngoing, unrefTimer } from '../lib/runtime.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { McpRequest, McpResult } from '../types.ts';
import { closedError, lostBorrowed, lostWhileConnecting, RequestEnd, toFailure } from './failure.ts';
import { mergeHeaders } from './headers.ts';
import { ACKNOWLEDGE_GRACE, type Link, type Memory } from './link.ts';
import type { ConnectionOptions } from './options.ts';
import { isOfOtherEra, isRead, mayReplay } from './replay.ts';

/** Milliseconds. Servers that know the probe answer it at once; the others should not make anyone wait. */
const LONGEST_PROBE = 5_000;
const LONGEST_ENDING = 3_000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #flight = createSharedFlight<Link>();
  /** Everything under way, so that closing can end it. */
  readonly #scopes = createOngoing<Scope>();
  /** Endings under way, so that closing can wait for them. */
  readonly #endings = createOngoing<Promise<unknown>>();
  /** Requests under way on each link. */
  readonly #uses = new WeakMap<Link, number>();
  readonly #memory: Memory = {};
  #link: Link | undefined;
  #hadState = false;
  /** What was borrowed has ended, and why, where that is known. */
  #spent = false;
  #lost: McpToolSetError | undefined;
  #usedAt = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
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

  /** Ends what is under way with `closed`, then the connection itself. Resolves when nothing of it is left. */
  close(): Promise<void> {
    this.#closed = true;
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idleTimer);
    const reason = closedError(this.#options.server);
    for (const scope of [...this.#scopes]) scope.abort(reason);
    const last = this.#link?.close();
    const ended = async (): Promise<void> => {
      await last;
      while (this.#endings.size > 0) await Promise.all(this.#endings);
    };
    // A user's factory or middleware may never settle; a session or a child ends well within this.
    await waitAtMost(ended(), LONGEST_ENDING);
  }

  /** Runs work under a scope of its own, which the caller's signal and closing can end. */
  async #within<T>(parent: AbortSignal | undefined, work: (scope: Scope) => Promise<T>): Promise<T> {
    const { server } = this.#options;
    if (this.#closed) throw closedError(server);
    const scope = openScope({ parents: [parent], disguise: (reason) => new RequestEnd(reason) });
    this.#scopes.add(scope);
    clearTimeout(this.#idleTimer);
    try {
      return await work(scope);
    } catch (error) {
      throw McpToolSetError.is(error)
        ? error.at({ server })
        : toFailure(error, { server, method: 'the request', signal: scope.signal });
    } finally {
      // Its answer may have come on another request's stream: then its own is still open. Clients of the 1.x SDK never take their
      // listener back, and would cancel what is finished.
      if (this.#link?.peer.transport === 'http') scope.abort(undefined);
      else scope.release();
      this.#scopes.delete(scope);
      this.#usedAt = this.#options.now();
      this.#watchIdle();
    }
  }

  async #attempt(request: McpRequest, headers: Headers | undefined, scope: Scope, first: boolean): Promise<McpResult> {
    const { signal } = scope;
    const link = await this.#ready(headers, signal);
    Object.assign(request.peer, link.peer);
    const { unacknowledged } = link;
    // Only a read may overtake `initialized`: it can be repeated should the server mind.
    if (unacknowledged !== undefined && !isRead(request.method)) await waitAtMost(unacknowledged, ACKNOWLEDGE_GRACE, signal);
    this.#uses.set(link, (this.#uses.get(link) ?? 0) + 1);
    try {
      return await this.#send(link, request, headers, scope);
    } catch (error) {
      const failure = error as McpToolSetError;
      if (isOfOtherEra(failure, link)) this.#forgetEra();
      if (failure.code === 'session_expired' || link.dead || isOfOtherEra(failure, link)) this.#drop(link);
      if (!first || !mayReplay(failure, request.method, link, unacknowledged !== undefined)) throw failure;
      if (unacknowledged !== undefined) await waitAtMost(unacknowledged, ACKNOWLEDGE_GRACE, signal);
      return this.#attempt(request, headers, scope, false);
    } finally {
      this.#leave(link);
    }
  }

  /** A link that was given up ends with the last request on it: those may still be answered. */
  #leave(link: Link): void {
    const uses = (this.#uses.get(link) ?? 1) - 1;
    this.#uses.set(link, uses);
    if (uses === 0 && this.#link !== link) this.#track(link.close());
  }

  async #send(link: Link, request: McpRequest, headers: Headers | undefined, scope: Scope): Promise<McpResult> {
    const { server, budgets, timeoutMessage } = this.#options;
    const { method, params, peer } = request;
    const { signal } = scope;
    scope.arm(budgets.request, budgets.total);
    try {
      const onprogress = method === 'tools/call' ? scope.renew : undefined;
      return await link.request(method, params, { headers: mergeHeaders(headers, request.headers), signal, peer }, onprogress);
    } catch (error) {
      throw toFailure(error, {
        server,
        method,
        signal,
        timeoutMessage,
        lost: link.lost,
        hasSession: link.sessionId !== undefined,
      });
    } finally {
      scope.arm(0);
    }
  }

  async #ready(headers: Headers | undefined, signal: AbortSignal): Promise<Link> {
    const link = this.#link;
    if (link !== undefined && !link.dead && !this.#isIdle(link)) return link;
    if (this.#spent) throw lostBorrowed(this.#lost);
    if (link !== undefined) this.#drop(link);
    return this.#flight.join(signal, (flight) => this.#open(headers, flight));
  }

  async #open(headers: Headers | undefined, parent: AbortSignal): Promise<Link> {
    const { server, budgets, shared, borrowed } = this.#options;
    const scope = openScope({ parents: [parent], budget: budgets.connect });
    this.#scopes.add(scope);
    this.#memory.era ??= shared.era;
    const opening = this.#options.open({
      memory: this.#memory,
      headers,
      signal: scope.signal,
      probeBudget: Math.min(budgets.connect / 3, LONGEST_PROBE) || LONGEST_PROBE,
      onEnd: (link) => this.#drop(link),
    });
    // Also when it is given up it is waited for when closing: it has a child or a socket to end.
    this.#track(opening);
    try {
      return this.#install(await abortable(opening, scope.signal));
    } catch (error) {
      this.#track(opening.then((late) => late.close()));
      this.#forgetEra();
      this.#spent = borrowed;
      const timeoutMessage = `it did not connect within ${budgets.connect} ms. Is it running? Raise timeouts.connect if it starts slowly.`;
      const failure = toFailure(error, { server, method: 'connecting', signal: scope.signal, timeoutMessage });
      throw failure.code === 'outcome_unknown' ? lostWhileConnecting(failure) : failure;
    } finally {
      scope.release();
      this.#scopes.delete(scope);
    }
  }

  #install(link: Link): Link {
    const { shared, server, onReset } = this.#options;
    if (this.#closed) throw closedError(server);
    const other = this.link;
    if (other !== undefined) {
      // Two attempts ran side by side (runtimes that bind I/O to requests); the first one stands.
      this.#track(link.close());
      return other;
    }
    shared.era = this.#memory.era;
    this.#link = link;
    if (this.#hadState) onReset();
    this.#hadState = link.sessionId !== undefined || link.peer.transport !== 'http';
    return link;
  }

  /** The next connection asks again. */
  #forgetEra(): void {
    this.#memory.discover = undefined;
    this.#memory.era = this.#options.shared.era = undefined;
  }

  #drop(link: Link): void {
    if (!link.replaceable) [this.#spent, this.#lost] = [true, link.lost];
    if (this.#link === link) this.#link = undefined;
    const inUse = (this.#uses.get(link) ?? 0) > 0;
    if (!inUse || link.dead || this.#closed) this.#track(link.close());
  }

  #track(ending: Promise<unknown>): void {
    const tracked = ending.catch(() => {}).finally(() => this.#endings.delete(tracked));
    this.#endings.add(tracked);
  }

  #isIdle(link: Link): boolean {
    const { budgets, now } = this.#options;
    const counts = budgets.idle > 0 && link.replaceable && link.sessionId !== undefined;
    return counts && this.#scopes.size <= 1 && now() - this.#usedAt >= budgets.idle;
  }

  /** Hastens what the next use would find out anyway. */
  #watchIdle(): void {
    const { budgets } = this.#options;
    const link = this.link;
    if (this.busy || this.#closed || budgets.idle <= 0 || link?.sessionId === undefined || bindsIoToRequests()) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#isIdle(link) && this.#drop(link), budgets.idle);
    unrefTimer(this.#idleTimer);
  }
}
