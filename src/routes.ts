/** Which connection and which listing a request uses: found by server and by whose request it is. */

import type { Connection } from './connection/connection.ts';
import { closedError } from './connection/failure.ts';
import { createPool } from './connection/pool.ts';
import { createServer, type Identity, type Server, type ServerDefaults } from './connection/server.ts';
import { McpToolSetError } from './errors.ts';
import { abortable, DeadlineError, openScope, type Scope } from './lib/abort.ts';
import { compose } from './lib/compose.ts';
import { createOngoing } from './lib/runtime.ts';
import type { McpWarning } from './report.ts';
import type { ServerConfig } from './servers.ts';
import { ToolListing } from './tools/listing.ts';
import type { McpMiddleware, McpRequest, McpResult, SendRequest } from './types.ts';

/** A connection and what was listed over it. */
export interface Route {
  readonly connection: Connection;
  readonly listing: ToolListing;
  /** As of the latest request. */
  readonly identity: Identity;
}

export interface Routes {
  readonly servers: ReadonlyMap<string, Server>;
  /** Throws `closed`, `unavailable`, and what the server's `headers` function comes to. */
  find(server: string, request: Pick<McpRequest, 'method' | 'principal' | 'signal'>): Promise<Route>;
  /** The last step of the `request` chain. */
  readonly send: SendRequest;
  /** Makes the listings of one server, or all, stale. */
  expire(server?: string): void;
  readonly closed: boolean;
  close(): Promise<void>;
}

export interface RoutesOptions extends ServerDefaults {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  readonly middleware: readonly McpMiddleware[];
  readonly warn: (warning: McpWarning) => void;
}

/** Connections kept at once; a wish where more are busy. */
const MAX_CONNECTIONS = 100;

interface PooledRoute extends Route {
  identity: Identity;
  readonly busy: boolean;
  close(): Promise<void>;
}

export function createRoutes(options: RoutesOptions): Routes {
  const { warn, now } = options;
  const pool = createPool<PooledRoute>(MAX_CONNECTIONS, now);
  const servers = new Map(Object.entries(options.servers).map(([key, config]) => [key, createServer(key, config, options)]));
  const hooks = options.middleware.map(({ request }) => request);
  const wrap = (request: McpRequest, last: SendRequest): Promise<McpResult> => compose(hooks, last)(request);
  const asking = createOngoing<Scope>();
  /** Also those of evicted routes, as long as a record may ask them. */
  const listings = new Set<WeakRef<ToolListing>>();
  let closing: Promise<void> | undefined;

  function open(server: Server, first: Identity): PooledRoute {
    const connection = server.connection(() => route.identity, {
      wrap,
      onNotification(method) {
        if (method === 'notifications/tools/list_changed') listing.expire();
      },
      onReset: () => listing.expire(),
      onNoise(error) {
        // The SDK's own texts quote whole messages, late replies among them.
        if (McpToolSetError.is(error))
          warn({ kind: 'noise', server: server.key, message: error.at({ server: server.key }).message });
      },
    });
    const listing = new ToolListing({
      server: server.key,
      ttl: server.listTtl,
      now,
      budget: server.listBudget,
      ready(signal) {
        if (closing !== undefined) throw closedError(server.key);
        // This route may have been evicted since; a record may still ask what its server offers.
        const present = pool.get(server.key, route.identity.key, () => open(server, route.identity));
        return present.connection.ready(route.identity.headers, signal);
      },
    });
    for (const each of listings) if (each.deref() === undefined) listings.delete(each);
    listings.add(new WeakRef(listing));
    const route: PooledRoute = {
      identity: first,
      connection,
      listing,
      get busy() {
        // What is shared may hold state that all rely on, and what is borrowed exists once.
        return route.identity.key === '' || server.borrowed || connection.busy || listing.busy;
      },
      close: () => connection.close(),
    };
    return route;
  }

  /** The user's function may hang; neither a server nor closing waits for it. */
  async function waitForHeaders(identity: Promise<Identity>, server: Server, signal: AbortSignal | undefined): Promise<Identity> {
    const scope = openScope({ parents: [signal], budget: server.connectBudget });
    asking.add(scope);
    try {
      return await abortable(identity, scope.signal);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const detail = `its \`headers\` function gave none within ${error.milliseconds} ms, so nothing was sent.`;
      throw new McpToolSetError('timeout', detail, { server: server.key, cause: error });
    } finally {
      scope.release();
      asking.delete(scope);
    }
  }

  async function find(key: string, request: Pick<McpRequest, 'method' | 'principal' | 'signal'>): Promise<PooledRoute> {
    const server = servers.get(key);
    if (server === undefined)
      throw new McpToolSetError('unavailable', 'there is no such server in this tool set.', { server: key });
    // Decided for this request, never for the one that opened the connection.
    const found = server.identify(request.principal, request);
    const identity = found instanceof Promise ? await waitForHeaders(found, server, request.signal) : found;
    if (closing !== undefined) throw closedError(key);
    const route = pool.get(key, identity.key, () => open(server, identity));
    route.identity = identity;
    return route;
  }

  return {
    servers,
    find,
    async send(request) {
      const { connection, identity } = await find(request.server, request);
      return connection.request(request, identity.headers);
    },
    expire(server) {
      for (const each of listings) {
        const listing = each.deref();
        if (listing !== undefined && (server === undefined || server === listing.server)) listing.expire();
      }
    },
    get closed() {
      return closing !== undefined;
    },
    close() {
      closing ??= pool.close();
      for (const scope of [...asking]) scope.abort(closedError());
      return closing;
    },
  };
}
