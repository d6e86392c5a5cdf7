/** Asks servers what they offer, side by side; the failure of one is its own answer. */

import { abortedListing } from '../connection/failure.ts';
import { isSamePlace } from '../connection/place.ts';
import type { Whose } from '../connection/server.ts';
import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import type { ServerStatus } from '../report.ts';
import type { ServerConfig } from '../servers.ts';
import type { ListingState, ToolListing } from '../tools/listing.ts';
import type { ToolDefinition } from '../types.ts';
import type { Routes } from './routes.ts';

/** What one server had to say when it was asked. */
export interface Offer extends ListingState {
  readonly server: string;
  readonly config: ServerConfig;
  /** Where later listings will be; absent where there is none. */
  readonly source?: ToolListing | undefined;
}

export interface AskOptions extends Whose {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for; who is not ready by then goes on getting ready, and is left out this time. */
  readonly ready?: number | undefined;
}

/** The keys of those that are not switched off. */
export function enabledServers({ servers }: Routes): readonly string[] {
  return [...servers].flatMap(([key, { config }]) => (config.enabled === false ? [] : [key]));
}

/**
 * What all of them offer, from memory alone; nothing when one of them has to be asked first. In the order of the keys.
 */
export function peekServers(routes: Routes, keys: Iterable<string>, whose: Whose): Offer[] | undefined {
  const offers: Offer[] = [];
  for (const key of keys) {
    const server = routes.servers.get(key);
    if (server === undefined) return undefined;
    const { config } = server;
    if (config.enabled === false) {
      offers.push({ server: key, config, listing: undefined, error: undefined });
      continue;
    }
    const source = routes.peek(server, whose)?.listing;
    if (source?.fresh !== true) return undefined;
    const { listing, error } = source.state;
    offers.push({ server: key, config, listing, error, source });
  }
  return offers;
}

/** In the order of the keys. Rejects only for the caller's own abort, and for a key that is not configured. */
export function askServers(routes: Routes, keys: readonly string[], options: AskOptions): Promise<Offer[]> {
  return Promise.all(keys.map((key) => askServer(routes, key, options)));
}

async function askServer(routes: Routes, key: string, options: AskOptions): Promise<Offer> {
  const config = routes.servers.get(key)?.config;
  if (config === undefined) throw unknownServer(key, [...routes.servers.keys()]);
  const offer: Offer = { server: key, config, listing: undefined, error: undefined };
  if (config.enabled === false) return offer;
  const { principal, handlers, signal, ready } = options;
  const scope = openScope({ parents: [signal], budget: ready });
  try {
    const { listing } = await routes.find(key, { method: 'tools/list', principal, handlers, signal: scope.signal });
    const state = await abortable(listing.get(signal), scope.signal);
    return { ...offer, ...state, source: listing };
  } catch (error) {
    if (signal?.aborted) throw abortedListing(error);
    return { ...offer, error: McpToolSetError.is(error) ? error.at({ server: key }) : notReady(key, ready, error) };
  } finally {
    scope.release();
  }
}

/** What of it still holds: a server may have been removed or replaced while it was asked. */
export function stillThere(routes: Routes, offers: readonly Offer[]): readonly Offer[] {
  return offers.flatMap((offer) => {
    const config = routes.servers.get(offer.server)?.config;
    if (config === offer.config) return offer;
    if (config === undefined || config.enabled !== offer.config.enabled || !isSamePlace(config, offer.config)) return [];
    // The same server under other settings: what it offers stands.
    return { ...offer, config };
  });
}

/** Approximately what the definitions of one server cost in each prompt. */
function approximateTokens(tools: readonly ToolDefinition[]): number {
  const characters = tools.reduce(
    (sum, { name, description, inputSchema }) => sum + JSON.stringify({ name, description, inputSchema }).length,
    0,
  );
  return Math.ceil(characters / 4);
}

/** One line of the report. What its definitions cost is counted when somebody looks. */
export function statusOf({ server, config, listing, error }: Offer, tools: readonly ToolDefinition[]): ServerStatus {
  const own = tools.filter((tool) => tool.server === server);
  let tokens: number | undefined;
  const numbers = { tools: own.length, milliseconds: listing?.milliseconds ?? 0 };
  const counted = <Status extends object>(status: Status): Status & Pick<ServerStatus, 'approximateTokens'> =>
    Object.defineProperty(status as Status & { approximateTokens: number }, 'approximateTokens', {
      enumerable: true,
      get() {
        tokens ??= approximateTokens(own);
        return tokens;
      },
    });
  if (config.enabled === false) return counted({ state: 'disabled', ...numbers });
  const { era, version, serverInfo, instructions } = listing?.facts ?? {};
  const known = { era, version, serverInfo, instructions, ...numbers };
  if (error === undefined) return counted({ state: 'connected', ...known });
  const state = error.code === 'unauthorized' ? 'needs_auth' : 'failed';
  return counted({ state, error: { code: error.code, message: error.message }, ...known });
}

function notReady(server: string, milliseconds: number | undefined, cause: unknown): McpToolSetError {
  const detail = `it was not ready within ${milliseconds} ms and is left out for now. Raise timeouts.ready, or ask again.`;
  return new McpToolSetError('timeout', detail, { server, cause });
}

export function unknownServer(server: string, known: readonly string[]): McpToolSetError {
  return new McpToolSetError(
    'config_invalid',
    `there is no server "${server}" in \`servers\`. There are: ${known.join(', ') || 'none'}.`,
  );
}
