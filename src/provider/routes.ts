/** Which connection and which listing a request uses: found by server and by whose request it is. */

import { closedError } from '../connection/failure.ts';
import { isSamePlace } from '../connection/place.ts';
import { createPool } from '../connection/pool.ts';
import { createServer, type Identity, type Server, type ServerDefaults, type Whose } from '../connection/server.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpEvents } from '../events.ts';
import type { McpHandlers } from '../handlers.ts';
import { abortable, DeadlineError, openScope, type Scope } from '../lib/abort.ts';
import { compose } from '../lib/compose.ts';
import type { Emitter } from '../lib/emitter.ts';
import { createOngoing } from '../lib/runtime.ts';
import type { McpWarning } from '../report.ts';
import { createReadCache } from '../resources/read-cache.ts';
import type { ServerConfig } from '../servers.ts';
import type { Listing, ToolListing } from '../tools/listing.ts';
import type { McpMiddleware, McpRequest, SendRequest } from '../types.ts';
import { observedRequest } from './observed.ts';
import { openedFor } from './opened.ts';
import { openRoute, type Route } from './route.ts';
import { sendOver } from './send-over.ts';

export interface RoutesOptions extends ServerDefaults {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  readonly middleware: readonly McpMiddleware[];
  readonly warn: (warning: McpWarning) => void;
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Bytes of resources that are kept. Default 16 MiB. */
  readonly cacheBytes?: number | undefined;
}

export interface Routes {
  readonly servers: ReadonlyMap<string, Server>;
  readonly closed: boolean;
  /** Throws `closed`, `unavailable`, and what the server's `headers` function comes to. */
  find(server: string, request: Whose & Pick<McpRequest, 'method' | 'signal'>): Promise<Route>;
  /** The same without asking or opening anything; nothing where that is not possible. */
  peek(server: Server, whose: Whose): Route | undefined;
  /** Those that are there now. */
  open(server?: string): readonly Route[];
  /** The last step of the `request` chain. */
  readonly send: SendRequest;
  /** The same, over one route. */
  over(route: Route): SendRequest;
  /** Asks the server of an open route whether it is well, through the middleware. */
  ping(route: Route, signal: AbortSignal | undefined): Promise<void>;
  /** Opens or closes the streams on which servers tell of changes, as they are wanted now. */
  attend(): void;
  /** Makes the listings of one server, or all, stale. */
  expire(server?: string): void;
  /** Uses what an earlier process listed for everyone who is nobody. */
  preload(server: string, listing: Listing): void;
  add(key: string, config: ServerConfig): void;
  /** Ends what was opened for it, once it is no longer found. */
  remove(key: string): Promise<void>;
  /** Takes other options. Servers that are reached as before keep their connections. */
  renew(options: RoutesOptions): Promise<void>;
  /** Takes other handlers, and tells servers that know of roots that these have changed. */
  reroot(handlers: McpHandlers): void;
  /** Ends what was opened for one principal. */
  forget(principalId: string): Promise<void>;
  close(): Promise<void>;
}

/** Connections kept at once; a wish where more are busy. */
const MAX_CONNECTIONS = 100;
const CACHE_BYTES = 16 * 1024 * 1024;

export function createRoutes(first: RoutesOptions, events: Emitter<McpEvents>): Routes {
  let options = first;
  const { now } = first;
  const observer = { events, now };
  const pool = createPool<Route>(MAX_CONNECTIONS, now);
  const reads = createReadCache(first.cacheBytes ?? CACHE_BYTES, now);
  const servers = new Map<string, Server>();
  const preloaded = new Map<Server, Listing>();
  const asking = createOngoing<{ readonly scope: Scope; readonly server: Server }>();
  /** Also those of evicted routes, as long as a record may ask them. */
  const listings = new Set<WeakRef<ToolListing>>();
  let closing: Promise<void> | undefined;

  /** Outside a request, which a timer or a script is, a runtime may refuse; the work goes on as long as it is let. */
  function waitUntil(work: Promise<unknown>): void {
    try {
      options.waitUntil?.(work);
    } catch {}
  }

  function open(server: Server, identity: Identity): Route {
    const route = openRoute(server, identity, {
      now,
      events,
      warn: (warning) => options.warn(warning),
      waitUntil,
      reads: reads.of(server),
      preloaded: identity.principal === undefined ? preloaded.get(server) : undefined,
      wrap: (request, last) => compose(hooksOf(options), observedRequest(last, observer))(request),
      opened: (connection) => openedFor(options.middleware, connection),
      listens: () => LISTENED.some((name) => events.hears(name)),
      present(own) {
        if (closing !== undefined) throw closedError(server.key);
        if (servers.get(server.key) !== server) throw removed(server.key);
        return pool.get(server.key, own.identity.key, () => open(server, own.identity));
      },
    });
    for (const each of listings) if (each.deref() === undefined) listings.delete(each);
    listings.add(new WeakRef(route.listing));
    return route;
  }

  /** The user's function may hang; neither a server nor closing waits for it. */
  async function waitForHeaders(identity: Promise<Identity>, server: Server, signal: AbortSignal | undefined): Promise<Identity> {
    const scope = openScope({ parents: [signal], budget: server.budgets.connect });
    const entry = { scope, server };
    asking.add(entry);
    try {
      return await abortable(identity, scope.signal);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const detail = `its \`headers\` function gave none within ${error.milliseconds} ms, so nothing was sent.`;
      throw new McpToolSetError('timeout', detail, { server: server.key, cause: error });
    } finally {
      scope.release();
      asking.delete(entry);
    }
  }

  async function find(key: string, request: Whose & Pick<McpRequest, 'method' | 'signal'>): Promise<Route> {
    const server = servers.get(key);
    if (server === undefined || server.config.enabled === false) throw removed(key);
    // Decided for this request, never for the one that opened the connection.
    const found = server.identify(request);
    const identity = found instanceof Promise ? await waitForHeaders(found, server, request.signal) : found;
    if (closing !== undefined) throw closedError(key);
    if (servers.get(key) !== server) throw removed(key);
    const route = pool.get(key, identity.key, () => open(server, identity));
    route.identity = identity;
    return route;
  }

  const last = observedRequest(async (request) => sendOver(await find(request.server, request), request), observer);

  const over = (route: Route): SendRequest => observedRequest((request) => sendOver(route, request), observer);

  function add(key: string, config: ServerConfig): void {
    if (closing !== undefined) throw closedError();
    servers.set(key, createServer(key, config, options));
  }

  async function remove(key: string): Promise<void> {
    const server = servers.get(key);
    servers.delete(key);
    for (const entry of [...asking]) if (entry.server === server) entry.scope.abort(removed(key));
    const gone = pool.take((route) => route.server === server);
    await Promise.all(gone.map((route) => route.close(removed(key))));
  }

  for (const [key, config] of Object.entries(first.servers)) add(key, config);
  return {
    servers,
    find,
    send: last,
    over,
    add,
    remove,
    peek(server, whose) {
      const identity = server.keyOf(whose);
      return identity === undefined ? undefined : pool.peek(server.key, identity);
    },
    open: (server) => pool.values(server),
    async ping(route, signal) {
      const { server, identity } = route;
      const { principal } = identity;
      const sent = compose(
        hooksOf(options),
        over(route),
      )({ method: 'ping', server: server.key, params: {}, signal, principal, peer: {} });
      await sent.catch((error: unknown) => {
        if (!McpToolSetError.is(error) || error.data.code !== UNKNOWN_METHOD) throw error;
        // Many servers know no ping; this is an answer all the same.
      });
    },
    attend() {
      for (const { connection } of pool.values()) connection.attend();
    },
    expire(server) {
      for (const each of listings) {
        const listing = each.deref();
        if (listing !== undefined && (server === undefined || server === listing.server)) listing.expire();
      }
      for (const { resources } of pool.values(server)) resources.expire();
    },
    preload(key, listing) {
      const server = servers.get(key);
      if (server !== undefined) preloaded.set(server, listing);
    },
    async renew(next) {
      options = next;
      const gone = [...servers].filter(([key, { config }]) => {
        const wanted = next.servers[key];
        return wanted === undefined || wanted.enabled === false || !isSamePlace(config, wanted);
      });
      const removals = gone.map(([key]) => remove(key));
      for (const [key, config] of Object.entries(next.servers)) {
        const kept = servers.get(key);
        if (kept === undefined) add(key, config);
        else kept.renew(config, next);
      }
      await Promise.all(removals);
    },
    reroot(handlers) {
      options = { ...options, handlers };
      for (const server of servers.values()) server.renew(server.config, options);
      for (const { identity, connection } of pool.values()) {
        if (identity.announces.roots === undefined) continue;
        connection.link?.notify('notifications/roots/list_changed').catch(() => {});
      }
    },
    async forget(principalId) {
      const gone = pool.take(({ identity }) => identity.principal?.id === principalId);
      await Promise.all(gone.map((route) => route.close(forgotten())));
    },
    get closed() {
      return closing !== undefined;
    },
    close() {
      closing ??= pool.close();
      for (const { scope } of [...asking]) scope.abort(closedError());
      return closing;
    },
  };
}

/** JSON-RPC's number for it. */
const UNKNOWN_METHOD = -32601;

/** Who listens for one of these wants to be told at once. */
const LISTENED: readonly (keyof McpEvents)[] = ['notification', 'list_changed'];

const hooksOf = ({ middleware }: RoutesOptions): readonly McpMiddleware['request'][] => middleware.map(({ request }) => request);

function removed(server: string): McpToolSetError {
  const detail = 'there is no such server here now: it was removed or disabled. Use a tool of another server.';
  return new McpToolSetError('unavailable', detail, { server });
}

function forgotten(): McpToolSetError {
  return new McpToolSetError('closed', 'its principal was forgotten while this was under way. Ask again to open anew.');
}
