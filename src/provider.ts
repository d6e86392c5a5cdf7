/** The long-lived part: keeps servers connected and listed, and makes a record of tools from them for each request. */

import type { InstructionsOptions, McpToolProvider, McpToolProviderOptions, ToolsOptions } from './api.ts';
import { checkAddedServer, checkRequestOptions, checkToolSetOptions } from './config/options.ts';
import { abortedListing, closedError } from './connection/failure.ts';
import type { Whose } from './connection/server.ts';
import { abortable } from './lib/abort.ts';
import { createWarner, toTeller } from './lib/warner.ts';
import { createCaller } from './provider/caller.ts';
import { takeProviderSnapshot, useProviderSnapshot } from './provider/cold-start.ts';
import { createCore } from './provider/core.ts';
import { startHealthCheck } from './provider/health.ts';
import { readInstructions } from './provider/instructions.ts';
import { askServers, type Offer, peekServers, stillThere } from './provider/offers.ts';
import { createPreparedCache, type Prepared, prepare } from './provider/prepared.ts';
import { createRecord } from './provider/record.ts';
import type { RoutesOptions } from './provider/routes.ts';
import { createSelection } from './provider/selection.ts';
import { takeSnapshot } from './provider/snapshot.ts';
import { readStatus } from './provider/status.ts';
import type { McpWarning } from './report.ts';
import type { McpToolSet } from './tools/ai-tool.ts';
import { CLIENT_INFO } from './version.ts';

/** As many principals as there are connections. */
const MAX_PREPARED = 100;

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
  let { handlers } = options;
  const tell = toTeller(options.onWarning);
  const warn = createWarner((warning: McpWarning) => {
    core.events.emit('warning', warning);
    tell(warning);
  });
  const routesOptions = (servers: McpToolProviderOptions['servers']): RoutesOptions => {
    return { ...options, handlers, servers, middleware, now, warn, clientInfo: { ...CLIENT_INFO, ...options.clientInfo } };
  };
  const core = createCore(routesOptions(options.servers), options.singleton);
  const { routes, events } = core;
  const selection = createSelection(options);
  const cache = createPreparedCache(MAX_PREPARED);
  const caller = createCaller({ core, options, middleware, handlers: () => handlers, now });
  if (options.snapshot !== undefined) useProviderSnapshot(options.snapshot, routes);
  if (options.healthCheck) core.onRelease(startHealthCheck(routes, options.healthCheck.interval));

  function open(): void {
    if (core.closed) throw closedError();
  }

  async function tools(request?: ToolsOptions): Promise<McpToolSet> {
    if (request !== undefined) checkRequestOptions(request);
    open();
    const { principal = options.principal } = request ?? {};
    const offers = await offered(request, { principal, handlers: caller.handlersOf(request) });
    const { version } = selection.present;
    const plain = isPlain(request);
    const known = plain ? cache.find(principal?.id, version, offers) : undefined;
    const prepared = known ?? (await build(offers, request));
    if (plain && known === undefined) cache.keep(principal?.id, version, prepared);
    const { run, current } = caller.of(request);
    return createRecord({ prepared, run, current, principal, mapResult: options.mapResult, provider });
  }

  /** At once where nothing has to be asked. */
  function offered(request: InstructionsOptions | undefined, whose: Whose): readonly Offer[] | Promise<readonly Offer[]> {
    return peekServers(routes, request?.servers ?? routes.servers.keys(), whose) ?? ask(request, whose);
  }

  async function ask(request: InstructionsOptions | undefined, whose: Whose): Promise<readonly Offer[]> {
    const { signal, servers = [...routes.servers.keys()] } = request ?? {};
    const offers = await askServers(routes, servers, {
      ...whose,
      send: caller.list(whose),
      signal,
      ready: options.timeouts?.ready,
    });
    open();
    return stillThere(routes, offers);
  }

  async function build(offers: readonly Offer[], request: ToolsOptions | undefined): Promise<Prepared> {
    for (const offer of offers) report(offer, options.onServerError, warn);
    const readable = offers
      .filter(({ listing }) => listing?.facts.capabilities.resources !== undefined)
      .map(({ server }) => server);
    const { filters, ...renaming } = selection.present;
    const taking = takeSnapshot(offers, {
      ...renaming,
      filters: [filters, request?.filter ?? []].flat(),
      middleware: [...(request?.middleware ?? []), ...middleware],
      resources: options.resources ?? true,
      reach: { servers: () => readable, send: caller.of(request).send },
    });
    const signal = request?.signal;
    const snapshot = await abortable(taking, signal).catch((error: unknown) => {
      throw signal?.aborted ? abortedListing(error) : error;
    });
    for (const warning of snapshot.warnings) warn(warning);
    return prepare(snapshot, offers);
  }

  const provider: McpToolProvider = {
    tools,
    callTool: caller.callTool,
    addServer(key, config) {
      open();
      checkAddedServer(key, config, routes.servers.has(key));
      routes.add(key, config);
    },
    removeServer: routes.remove,
    async setServers(servers) {
      open();
      checkToolSetOptions({ servers }, { allowEmpty: true, caller: 'createMcpToolProvider' });
      await routes.renew(routesOptions(servers));
    },
    addFilter: selection.addFilter,
    setFilter: selection.setFilter,
    resetFilters: selection.resetFilters,
    setToolName: selection.setToolName,
    setMapTool: selection.setMapTool,
    setRoots(roots) {
      open();
      handlers = { ...handlers, roots: () => roots };
      routes.reroot(handlers);
    },
    refresh: routes.expire,
    async status(request = {}) {
      open();
      return readStatus(routes, { principal: options.principal, ...request });
    },
    async instructions(request = {}) {
      open();
      return readInstructions(await offered(request, { principal: options.principal, ...request }));
    },
    async forget(principalId) {
      cache.forget(principalId);
      await routes.forget(principalId);
    },
    on(event, listener) {
      const off = events.on(event, listener);
      routes.attend();
      return () => {
        off();
        routes.attend();
      };
    },
    snapshot: () => takeProviderSnapshot(routes),
    close: core.close,
    [Symbol.asyncDispose]: core.close,
  };
  return provider;
}

/** What is one request's alone is not worth remembering. */
function isPlain(request: ToolsOptions | undefined): boolean {
  const { servers, filter, middleware, handlers } = request ?? {};
  return servers === undefined && filter === undefined && middleware === undefined && handlers === undefined;
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
