/** The long-lived part: keeps servers connected and listed, and makes a record of tools from them for each request. */

import type { McpToolProvider, McpToolProviderOptions, ToolsOptions } from './api.ts';
import { checkRequestOptions, checkToolSetOptions } from './config/options.ts';
import { abortedListing, closedError } from './connection/failure.ts';
import { abortable } from './lib/abort.ts';
import { compose } from './lib/compose.ts';
import { createWarner } from './lib/warner.ts';
import { askServers, type Offer } from './offers.ts';
import { createRecord } from './record.ts';
import type { McpWarning } from './report.ts';
import { createRoutes } from './routes.ts';
import { takeSnapshot } from './snapshot.ts';
import type { McpToolSet } from './tools/ai-tool.ts';
import type { McpMiddleware, McpRequest, McpResult, SendRequest } from './types.ts';
import { CLIENT_INFO } from './version.ts';

/**
 * A provider for servers and route handlers: created at once, opening nothing, so that it may stand in module scope.
 *
 * Throws `config_invalid` for options that are wrong.
 *
 * @example
 * ```ts
 * const provider = createMcpToolProvider({ servers: { docs: { url: 'https://docs.example.com/mcp' } } });
 *
 * export async function POST(request: Request) {
 *   const { messages } = await request.json();
 *   const tools = await provider.tools({ principal: { id: await userId(request) } });
 *   return streamText({ model, tools, messages: await convertToModelMessages(messages, { tools }) }).toUIMessageStreamResponse();
 * }
 * ```
 */
export function createMcpToolProvider(options: McpToolProviderOptions): McpToolProvider {
  checkToolSetOptions(options, { allowEmpty: true, caller: 'createMcpToolProvider' });
  const { middleware = [], now = Date.now } = options;
  const warn = createWarner(options.onWarning);
  const routes = createRoutes({ ...options, middleware, now, warn, clientInfo: { ...CLIENT_INFO, ...options.clientInfo } });

  const chain = (hooks: readonly McpMiddleware[]): SendRequest =>
    compose<McpRequest, McpResult>(
      hooks.map((each) => each.request),
      routes.send,
    );
  const common = chain(middleware);

  async function tools(request: ToolsOptions = {}): Promise<McpToolSet> {
    checkRequestOptions(request);
    if (routes.closed) throw closedError();
    const { principal = options.principal, signal, servers = [...routes.servers.keys()] } = request;
    const all = [...(request.middleware ?? []), ...middleware];
    const own = chain(all);
    const send: SendRequest = (each) => own({ ...each, principal });
    // Listings are shared, so only what is everyone's goes into them.
    const list: SendRequest = (each) => common({ ...each, principal });
    const offers = await askServers(routes, servers, { send: list, principal, signal, ready: options.timeouts?.ready });
    if (routes.closed) throw closedError();
    for (const offer of offers) report(offer, options.onServerError, warn);
    const readable = offers
      .filter(({ listing }) => listing?.facts.capabilities.resources !== undefined)
      .map(({ server }) => server);
    const taking = takeSnapshot(offers, {
      ...options,
      filters: [options.filter ?? [], request.filter ?? []].flat(),
      middleware: all,
      resources: options.resources ?? true,
      reach: { servers: () => readable, send },
    });
    const snapshot = await abortable(taking, signal).catch((error: unknown) => {
      throw signal?.aborted ? abortedListing(error) : error;
    });
    for (const warning of snapshot.warnings) warn(warning);
    return createRecord({ snapshot, offers, middleware: all, send, list, principal, mapResult: options.mapResult, provider });
  }

  const provider: McpToolProvider = {
    tools,
    refresh: routes.expire,
    close: routes.close,
    [Symbol.asyncDispose]: routes.close,
  };
  return provider;
}

/** A server that is required fails the whole; another one costs a warning, and its own tools. */
function report(
  { server, config, listing, error }: Offer,
  onServerError: McpToolProviderOptions['onServerError'],
  warn: (warning: McpWarning) => void,
): void {
  if (error === undefined) return;
  const required = config.required ?? onServerError === 'throw';
  if (required && listing === undefined) throw error;
  const left = listing === undefined ? 'Its tools are left out.' : 'The tools that it last listed stay.';
  warn({ kind: 'server_failed', server, error, message: `${error.message} ${left}` });
}
