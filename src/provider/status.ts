/** How a provider's servers are, from memory or by asking them. */

import type { StatusOptions } from '../api.ts';
import { McpToolSetError } from '../errors.ts';
import type { LiveStatus, ServerStatus } from '../report.ts';
import type { Principal } from '../types.ts';
import { type Offer, statusOf } from './offers.ts';
import type { Route } from './route.ts';
import type { Routes } from './routes.ts';

/** In the order of the servers. Rejects only for the caller's own abort. */
export async function readStatus(routes: Routes, options: StatusOptions): Promise<Readonly<Record<string, LiveStatus>>> {
  const keys = [...routes.servers.keys()];
  const all = await Promise.all(keys.map((key) => statusOfServer(routes, key, options)));
  return Object.fromEntries(keys.map((key, index) => [key, all[index] as LiveStatus]));
}

async function statusOfServer(routes: Routes, key: string, { probe, principal, signal }: StatusOptions): Promise<LiveStatus> {
  const route = probe === true ? await probed(routes, key, principal, signal) : known(routes, key, principal);
  const config = routes.servers.get(key)?.config;
  if (config === undefined || config.enabled === false) return fromOffer(routes, key, undefined, undefined);
  if (McpToolSetError.is(route)) return fromOffer(routes, key, known(routes, key, principal), route);
  // It was well a moment ago, whatever its latest listing came to.
  const status = fromOffer(routes, key, route, probe === true ? undefined : route?.listing.state.error);
  const link = route?.connection.link;
  if (status.state !== 'connected') return status;
  if (link === undefined) return { ...status, state: 'idle' };
  const { era, version, serverInfo, instructions } = link.facts;
  return {
    ...status,
    era,
    version,
    serverInfo,
    instructions,
    ...(link.sessionId !== undefined && { sessionId: link.sessionId }),
  };
}

/** The route itself, or why there is none. */
async function probed(
  routes: Routes,
  key: string,
  principal: Principal | undefined,
  signal: AbortSignal | undefined,
): Promise<Route | McpToolSetError | undefined> {
  if (routes.servers.get(key)?.config.enabled === false) return undefined;
  try {
    const route = await routes.find(key, { method: 'ping', principal, signal });
    await routes.ping(route, signal);
    return route;
  } catch (error) {
    if (signal?.aborted)
      throw new McpToolSetError('aborted', 'asking for the status was aborted by its caller.', { cause: error });
    if (McpToolSetError.is(error)) return error.at({ server: key });
    return new McpToolSetError('unavailable', 'asking how it is failed in a middleware; see the cause.', {
      server: key,
      cause: error,
    });
  }
}

function known(routes: Routes, key: string, principal: Principal | undefined): Route | undefined {
  const server = routes.servers.get(key);
  return server && routes.peek(server, { principal });
}

function fromOffer(routes: Routes, server: string, route: Route | undefined, error: McpToolSetError | undefined): ServerStatus {
  const config = routes.servers.get(server)?.config ?? { url: '', enabled: false };
  const listing = route?.listing.state.listing;
  const offer: Offer = { server, config, listing, error };
  return statusOf(offer, [...(listing?.definitions.values() ?? [])]);
}
