/** What servers offered, as data that outlives the process: written by one, used by another before it has asked anything. */

import type { ProviderSnapshot, ServerSnapshot } from '../api.ts';
import { fingerprintOf } from '../connection/place.ts';
import type { Server } from '../connection/server.ts';
import type { Listing } from '../tools/listing.ts';
import { readListing } from '../tools/read-listing.ts';
import type { ToolDefinition } from '../types.ts';
import type { Routes } from './routes.ts';

/** Listings of no principal alone: those of one who is somebody, and those behind a `headers` function, may be private. */
export function takeProviderSnapshot(routes: Routes): ProviderSnapshot {
  const servers: [string, ServerSnapshot][] = [];
  for (const server of routes.servers.values()) {
    const listing = isEveryones(server) ? routes.peek(server, {})?.listing.state.listing : undefined;
    if (listing === undefined) continue;
    const { era, version, serverInfo, capabilities, instructions } = listing.facts;
    const tools = [...listing.definitions.values()].map(toEntry);
    servers.push([
      server.key,
      { place: fingerprintOf(server.config), era, version, serverInfo, capabilities, instructions, tools },
    ]);
  }
  servers.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.parse(JSON.stringify({ format: 1, servers: Object.fromEntries(servers) }));
}

/** Hands each server what fits it. */
export function useProviderSnapshot({ format, servers }: ProviderSnapshot, routes: Routes): void {
  if (format !== 1) return;
  for (const server of routes.servers.values()) {
    const taken = Object.hasOwn(servers, server.key) ? servers[server.key] : undefined;
    // It comes from a file or a store, which may hold anything.
    if (typeof taken?.place !== 'string' || !isEveryones(server) || taken.place !== fingerprintOf(server.config)) continue;
    routes.preload(server.key, toListing(server.key, taken));
    server.memory.era = taken.era;
  }
}

function isEveryones({ config }: Server): boolean {
  return config.share === true || !('url' in config) || typeof config.headers !== 'function';
}

function toEntry({
  originalName,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  icons,
  meta,
}: ToolDefinition): object {
  return { name: originalName, title, description, inputSchema, outputSchema, annotations, icons, _meta: meta };
}

/** Read as leniently as from the server itself. */
function toListing(server: string, { tools, era, version, serverInfo, capabilities, instructions }: ServerSnapshot): Listing {
  return {
    ...readListing(Array.isArray(tools) ? tools : [], server, era),
    facts: {
      era,
      version,
      serverInfo,
      capabilities: capabilities ?? {},
      instructions: typeof instructions === 'string' ? instructions : undefined,
    },
    milliseconds: 0,
    unverified: true,
  };
}
