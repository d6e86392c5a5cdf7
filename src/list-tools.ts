/** `listMcpTools()`: what servers would offer, without wiring anything in. */

import { checkToolSetOptions } from './config/options.ts';
import type { McpEvents } from './events.ts';
import { createEmitter } from './lib/emitter.ts';
import { askServers, statusOf } from './provider/offers.ts';
import { createRoutes } from './provider/routes.ts';
import type { ServerStatus } from './report.ts';
import type { FetchLike, ServerConfig, Timeouts } from './servers.ts';
import type { Principal, ToolDefinition } from './types.ts';
import { CLIENT_INFO } from './version.ts';

export interface ListMcpToolsOptions {
  /** Aborts the listing; nothing is left running. */
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly principal?: Principal | undefined;
  readonly fetch?: FetchLike | undefined;
}

export interface McpToolListing {
  /** Every tool of every server, unfiltered; `name` is its name on the server. In the order of the servers. */
  readonly tools: readonly ToolDefinition[];
  readonly status: Readonly<Record<string, ServerStatus>>;
}

/**
 * Connects to each server, lists its tools, and disconnects. A server that fails is `failed` in `status`.
 *
 * Throws `config_invalid` for servers that are wrong, and `aborted`.
 *
 * @example
 * ```ts
 * const { tools, status } = await listMcpTools(await loadMcpConfig('mcp.json'), { signal: AbortSignal.timeout(10_000) });
 * ```
 */
export async function listMcpTools(
  servers: Readonly<Record<string, ServerConfig>>,
  options: ListMcpToolsOptions = {},
): Promise<McpToolListing> {
  const { signal, principal, ...rest } = options;
  checkToolSetOptions({ servers, ...options }, { allowEmpty: true, caller: 'listMcpTools' });
  const given = { ...rest, servers, middleware: [], now: Date.now, warn: () => {}, clientInfo: CLIENT_INFO };
  const routes = createRoutes(given, createEmitter<McpEvents>());
  try {
    const offers = await askServers(routes, Object.keys(servers), {
      principal,
      signal,
    });
    const tools = offers.flatMap(({ listing }) => [...(listing?.definitions.values() ?? [])]);
    return { tools, status: Object.fromEntries(offers.map((offer) => [offer.server, statusOf(offer, tools)])) };
  } finally {
    await routes.close();
  }
}
