/** One way to a server: a connection for one identity, and what was listed over it. */

import type { Connection } from '../connection/connection.ts';
import type { Link } from '../connection/link.ts';
import type { Identity, Server } from '../connection/server.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpEvents } from '../events.ts';
import { sameJson } from '../lib/content/json.ts';
import type { Emitter } from '../lib/emitter.ts';
import { createPromptMemory, type PromptMemory } from '../prompts/memory.ts';
import type { McpWarning } from '../report.ts';
import { createResourceMemory, type ResourceMemory } from '../resources/memory.ts';
import type { ServerReads } from '../resources/read-cache.ts';
import { createToolListing, type Listing, type ToolListing } from '../tools/listing.ts';
import type { McpConnection, McpRequest, McpResult, Principal, SendRequest } from '../types.ts';
import { isJudged } from './judged.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

export interface Route {
  readonly server: Server;
  readonly connection: Connection;
  readonly listing: ToolListing;
  readonly resources: ResourceMemory;
  readonly subscriptions: Subscriptions;
  readonly prompts: PromptMemory;
  /** As of the latest request. */
  identity: Identity;
  /** Whether it must not be evicted. */
  readonly busy: boolean;
  close(reason?: McpToolSetError): Promise<void>;
}

export interface RouteOptions {
  readonly now: () => number;
  readonly events: Emitter<McpEvents>;
  readonly warn: (warning: McpWarning) => void;
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** What was read of the server. */
  readonly reads: ServerReads;
  /** What an earlier process listed. */
  readonly preloaded: Listing | undefined;
  /** Puts the `request` middleware around the handshake. */
  wrap(request: McpRequest, last: SendRequest): Promise<McpResult>;
  /** Tells middleware of a connection; returns what is to be told of its end. */
  opened(connection: McpConnection): (error: McpToolSetError | undefined) => void;
  /** Whether somebody listens for what servers tell by themselves. */
  listens(): boolean;
  /** This route, or the one that took its place since: a record may still ask what its server offers. */
  present(route: Route): Route;
}

const LISTS: Readonly<Record<string, McpEvents['list_changed']['list']>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
};

export function openRoute(server: Server, first: Identity, options: RouteOptions): Route {
  const { events, now } = options;
  const place = (): { server: string; principal: Principal | undefined } => ({
    server: server.key,
    principal: route.identity.principal,
  });
  let ended: ReturnType<RouteOptions['opened']> | undefined;
  const connection = server.connection(() => route.identity, {
    wrap: options.wrap,
    listens: () => options.listens() || subscriptions.uris.length > 0,
    watched: () => subscriptions.uris,
    onConnected(generation, { peer, facts: { era, version } }) {
      ended = options.opened({ ...place(), peer });
      events.emit('connected', { ...place(), generation, era, version });
      subscriptions.restore();
    },
    onDisconnected(generation, error) {
      ended?.(error);
      ended = undefined;
      events.emit('disconnected', { ...place(), generation, error });
      subscriptions.reopen();
    },
    onListening(open) {
      if (!open) return subscriptions.silent();
      listing.age();
      resources.age();
      subscriptions.heard();
    },
    async stillHolds({ call }, signal) {
      if (call === undefined || call.tool.kind !== 'tool' || !isJudged(call)) return true;
      const before = call.tool.offered?.definition;
      if (before === undefined) return false;
      // What is found there by then has made the listing stale, where it is another.
      await connection.ready(route.identity.headers, signal);
      const { listing: now, error } = await listing.get(signal);
      return error === undefined && sameJson(now?.definitions.get(before.originalName), before);
    },
    onReset() {
      listing.expire();
      resources.expire();
      prompts.forget();
      events.emit('session_reset', place());
    },
    onNotification(method, params) {
      const list = LISTS[method];
      if (list === 'tools') listing.expire();
      if (list === 'resources') resources.expire();
      if (method === 'notifications/resources/updated') updated(params);
      if (list === 'prompts') prompts.forget();
      events.emit('notification', { ...place(), method, params });
      if (list !== undefined) events.emit('list_changed', { ...place(), list });
    },
    onNoise(error) {
      // The SDK's own texts quote whole messages, late replies among them.
      if (!McpToolSetError.is(error)) return;
      options.warn({ kind: 'noise', server: server.key, message: error.at({ server: server.key }).message });
    },
  });
  function ready(signal: AbortSignal): Promise<Link> {
    const present = options.present(route);
    return present.connection.ready(present.identity.headers, signal);
  }
  const shared = {
    server: server.key,
    ttl: () => server.listTtl,
    now,
    budget: () => server.budgets.total,
    backOff: () => server.budgets.backOff,
    waitUntil: options.waitUntil,
    ready,
  };
  const listing = createToolListing(
    {
      ...shared,
      pushed: ({ capabilities }) => connection.link?.listening === true && tellsOfChanges(capabilities.tools),
      send(request) {
        const { connection: present, identity } = options.present(route);
        return options.wrap({ ...request, principal: identity.principal }, (last) => present.request(last, identity.headers));
      },
    },
    options.preloaded,
  );
  const resources = createResourceMemory({
    ...shared,
    reads: options.reads,
    pushed: ({ capabilities }) => connection.link?.listening === true && tellsOfChanges(capabilities.resources),
  });
  const subscriptions = createSubscriptions({
    server: server.key,
    ready: (signal) => connection.ready(route.identity.headers, signal),
    attend: () => connection.attend(),
    send: (request) =>
      options.wrap({ ...request, server: server.key, principal: route.identity.principal, peer: {} }, (last) =>
        connection.request(last, route.identity.headers),
      ),
  });
  function updated(params: unknown): void {
    const { uri } = (params ?? {}) as { readonly uri?: unknown };
    if (typeof uri !== 'string') return;
    resources.reads.drop(uri);
    subscriptions.updated(uri);
  }
  const prompts = createPromptMemory(now, () => server.listTtl);
  const route: Route = {
    server,
    identity: first,
    connection,
    listing,
    resources,
    subscriptions,
    prompts,
    get busy() {
      // What is shared may hold state that all rely on, and what is borrowed exists once.
      return route.identity.key === '' || server.borrowed || connection.busy || listing.busy || subscriptions.uris.length > 0;
    },
    close(reason) {
      subscriptions.end();
      return connection.close(reason);
    },
  };
  return route;
}

function tellsOfChanges(capability: unknown): boolean {
  return (capability as { readonly listChanged?: unknown } | undefined)?.listChanged === true;
}
