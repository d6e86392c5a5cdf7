/** The long-lived part: keeps servers connected and listed, and makes a record of tools from them for each request. */

import type { McpToolProvider, McpToolProviderOptions } from './api.ts';
import { checkAddedServer, checkInstructionsOptions, checkListener, checkRoots, checkStatusOptions } from './config/methods.ts';
import { checkToolSetOptions } from './config/options.ts';
import { closedError } from './connection/failure.ts';
import { McpToolSetError } from './errors.ts';
import { createWarner, toTeller } from './lib/warner.ts';
import { createCaller } from './provider/caller.ts';
import { takeProviderSnapshot, useProviderSnapshot } from './provider/cold-start.ts';
import { createCore } from './provider/core.ts';
import { startHealthCheck } from './provider/health.ts';
import { readInstructions } from './provider/instructions.ts';
import { offerPair } from './provider/pair.ts';
import { createPreparedCache } from './provider/prepared.ts';
import { createPrompts } from './provider/prompts.ts';
import { createRecords } from './provider/records.ts';
import { createResources } from './provider/resources.ts';
import type { RoutesOptions } from './provider/routes.ts';
import { createSelection } from './provider/selection.ts';
import { readStatus } from './provider/status.ts';
import type { McpWarning } from './report.ts';
import { createRowSearches } from './resources/search.ts';
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
  const { cacheBytes } = typeof options.resources === 'object' ? options.resources : {};
  const tell = toTeller(options.onWarning);
  const warn = createWarner((warning: McpWarning) => {
    core.events.emit('warning', warning);
    tell(warning);
  });
  const routesOptions = (servers: McpToolProviderOptions['servers']): RoutesOptions => {
    return {
      ...options,
      cacheBytes,
      handlers,
      servers,
      middleware,
      now,
      warn,
      clientInfo: { ...CLIENT_INFO, ...options.clientInfo },
    };
  };
  const core = createCore(routesOptions(options.servers), options.singleton);
  const { routes, events } = core;
  const selection = createSelection(options);
  const cache = createPreparedCache(MAX_PREPARED);
  const caller = createCaller({ core, options, middleware, handlers: () => handlers, now, warn });
  if (options.snapshot !== undefined) useProviderSnapshot(options.snapshot, routes);
  if (options.healthCheck) core.onRelease(startHealthCheck(routes, options.healthCheck.interval));

  function open(): void {
    if (core.closed) throw closedError();
  }

  const searchOf = createRowSearches();
  const records = createRecords({ core, options, caller, searchOf, selection, cache, warn, provider: () => provider });

  /** What is no longer one's own is not one's own to change. */
  function holding(): void {
    open();
    if (!core.held) throw takenOver();
  }

  const provider: McpToolProvider = {
    // What is named in `schemas` has types that the compiler cannot follow to here.
    tools: records.tools as McpToolProvider['tools'],
    callTool: caller.callTool,
    resources: createResources({ core, options, caller, warn }),
    prompts: createPrompts({ core, options, caller, warn }),
    addServer(key, config) {
      holding();
      checkAddedServer(key, config, routes.servers.has(key));
      routes.add(key, config);
    },
    async removeServer(key) {
      if (core.held) await routes.remove(key);
    },
    async setServers(servers) {
      holding();
      checkToolSetOptions({ servers }, { allowEmpty: true, caller: 'createMcpToolProvider' });
      await routes.renew(routesOptions(servers));
    },
    ...selection.setters,
    setRoots(roots) {
      holding();
      checkRoots(roots);
      handlers = { ...handlers, roots: () => roots };
      routes.reroot(handlers);
    },
    refresh: routes.expire,
    async status(request = {}) {
      open();
      checkStatusOptions(request);
      return readStatus(routes, { principal: options.principal, ...request });
    },
    async instructions(request = {}) {
      open();
      checkInstructionsOptions(request);
      const offers = await records.offered(request, { principal: options.principal, ...request });
      return readInstructions(offers, options.invisible);
    },
    async forget(principalId) {
      cache.forget(principalId);
      await routes.forget(principalId);
    },
    on(event, listener) {
      checkListener(event, listener);
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
  offerPair(provider, { core, options, caller, searchOf });
  return provider;
}

function takenOver(): McpToolSetError {
  const detail = 'another provider of the same `singleton` name has taken its place. Use that one.';
  return new McpToolSetError('closed', detail);
}
