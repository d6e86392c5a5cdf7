/** Who wants to hear of changes of one server's resources, over one connection and those that take its place. */

import type { Link } from '../connection/link.ts';
import { McpToolSetError } from '../errors.ts';
import { openScope, waitAtMost } from '../lib/abort.ts';
import { isRecord } from '../lib/content/json.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import { isWithin } from '../resources/read-cache.ts';
import { idlePause } from '../transports/http-pause.ts';
import type { McpRequest, McpResult } from '../types.ts';

/** `updated`: the server said so. `reconnected`: the connection was gone for a while, and a change may have gone by untold. */
export type ResourceChange = 'updated' | 'reconnected';

export interface Subscriptions {
  readonly uris: readonly string[];
  /** Resolves once the server has agreed, with the function that ends it. Throws `not_allowed` where the server tells nobody. */
  add(
    uri: string,
    listener: (change: ResourceChange, uri: string) => void,
    signal: AbortSignal | undefined,
  ): Promise<() => Promise<void>>;
  /** The server said that a resource has changed. */
  updated(uri: string): void;
  /** A connection stands. */
  restore(): void;
  /** The connection is gone. */
  reopen(): void;
  /** The channel on which changes are told is open. */
  heard(): void;
  /** It is not any more. */
  silent(): void;
  end(): void;
}

export interface SubscriptionsOptions {
  readonly server: string;
  /** Connects if need be. */
  ready(signal: AbortSignal): Promise<Link>;
  /** Opens, changes or closes the channel on which changes are told. */
  attend(): void;
  send(request: Pick<McpRequest, 'method' | 'params' | 'signal'>): Promise<McpResult>;
}

/** Milliseconds to wait for a channel that the server may not have. */
const CHANNEL_GRACE = 2_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

export function createSubscriptions({ server, ready, attend, send }: SubscriptionsOptions): Subscriptions {
  const listeners = new Map<string, Set<Parameters<Subscriptions['add']>[1]>>();
  /** Ends what keeps the connection open for them. Made when there are some: where I/O belongs to its request, it is of that request. */
  let controller: AbortController | undefined;
  let ended = false;
  let era: Link['facts']['era'] | undefined;
  let finding = false;
  let missed = false;
  /** Waits for the channel to open for a resource that is being added. */
  let adding: { readonly uri: string; readonly opened: () => void } | undefined;
  let waited = false;
  /** The next opening of the channel is part of what was told of already. */
  let told = false;

  function ending(): AbortSignal {
    controller ??= new AbortController();
    return controller.signal;
  }

  /** In the modern era the wish names the resources, so that the channel is opened anew for each. */
  async function openChannel(link: Link, uri: string, signal: AbortSignal): Promise<void> {
    const before = link.listening;
    const heard = new Promise<void>((opened) => {
      adding = { uri, opened };
    });
    attend();
    const opens = era === 'legacy' ? !before && !waited : true;
    if (link.peer.transport === 'http' && opens) await waitAtMost(heard, CHANNEL_GRACE, signal);
    // One that has not come by then is not waited for again: many servers of the legacy era have none.
    waited = true;
    adding = undefined;
  }

  /** What has changed while nobody listened is not known. */
  function tellMissed(but?: string): void {
    for (const [uri, all] of listeners) {
      if (uri !== but) for (const listener of [...all]) tell(listener, 'reconnected', uri);
    }
  }

  async function tellServer(
    method: 'resources/subscribe' | 'resources/unsubscribe',
    uri: string,
    signal?: AbortSignal,
  ): Promise<void> {
    if (era === 'legacy') await send({ method, params: { uri }, signal });
  }

  function tell(listener: Parameters<Subscriptions['add']>[1], change: ResourceChange, uri: string): void {
    try {
      listener(change, uri);
    } catch {
      // An observer's fault is not the work's fault.
    }
  }

  async function remove(uri: string, listener: Parameters<Subscriptions['add']>[1]): Promise<void> {
    const all = listeners.get(uri);
    if (all?.delete(listener) !== true || all.size > 0) return;
    listeners.delete(uri);
    if (ended) return;
    // A server that is gone has forgotten it; one that does not answer is not waited for long.
    const scope = openScope({ parents: [ending()], budget: CHANNEL_GRACE });
    await tellServer('resources/unsubscribe', uri, scope.signal).catch(() => {});
    scope.release();
    attend();
  }

  /** Asks the server until it answers: it may be gone for good reasons and for a while. */
  async function findAgain(ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    if (listeners.size === 0 || finding || ended || bindsIoToRequests()) return;
    finding = true;
    for (let pause = FIRST_PAUSE; listeners.size > 0 && !ended; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        await idlePause(pause, ending());
        await ask(ending());
        break;
      } catch {
        missed = true;
      }
    }
    finding = false;
  }

  async function ping(signal: AbortSignal): Promise<void> {
    await send({ method: 'ping', params: {}, signal }).catch((error: unknown) => {
      // Many servers know no ping; this is an answer all the same.
      if (!McpToolSetError.is(error) || error.code !== 'protocol_error') throw error;
    });
    // One without sessions comes back unnoticed, and knows of nothing any more.
    restore();
    attend();
  }

  function restore(): void {
    if (listeners.size === 0 || !missed) return;
    missed = false;
    // A modern server is told as the channel opens.
    if (era !== 'legacy') return;
    told = true;
    const sent = [...listeners.keys()].map((uri) => tellServer('resources/subscribe', uri, ending()));
    void Promise.allSettled(sent).then(() => tellMissed());
  }

  return {
    get uris() {
      return [...listeners.keys()];
    },
    async add(uri, given, signal) {
      const scope = openScope({ parents: [signal, ending()] });
      // Twice the same function is two subscriptions.
      const listener: typeof given = (...change) => given(...change);
      try {
        const link = await ready(scope.signal);
        era = link.facts.era;
        const { resources } = link.facts.capabilities;
        if (!isRecord(resources) || resources.subscribe !== true) throw tellsNobody(server);
        const all = listeners.get(uri) ?? new Set();
        listeners.set(uri, all.add(listener));
        if (all.size === 1) {
          await openChannel(link, uri, scope.signal);
          await tellServer('resources/subscribe', uri, scope.signal);
        }
        scope.signal.throwIfAborted();
        return () => remove(uri, listener);
      } catch (error) {
        await remove(uri, listener);
        throw error;
      } finally {
        scope.release();
      }
    },
    updated(uri) {
      for (const [watched, all] of listeners) {
        if (isWithin(uri, watched)) for (const listener of [...all]) tell(listener, 'updated', uri);
      }
    },
    restore,
    reopen() {
      missed = true;
      void findAgain(ready);
    },
    silent: () => void findAgain(ping),
    heard() {
      adding?.opened();
      if (!told) tellMissed(adding?.uri);
      told = false;
    },
    end() {
      ended = true;
      try {
        controller?.abort(new McpToolSetError('closed', 'its connection was closed.', { server }));
      } catch {
        // Another request's: it ends with that one.
      }
      listeners.clear();
    },
  };
}

function tellsNobody(server: string): McpToolSetError {
  const detail = 'it does not tell of changes of single resources. Read them anew instead.';
  return new McpToolSetError('not_allowed', detail, { server });
}
