/** The pair of resource tools over all servers of a provider, made without asking any of them. */

import type { McpToolProvider, McpToolProviderOptions, ToolsOptions } from '../api.ts';
import { closedError } from '../connection/failure.ts';
import { McpToolSetError } from '../errors.ts';
import type { ResourceToolsOptions } from '../resources/options.ts';
import { resourceToolDefinitions } from '../resources/resource-tools.ts';
import type { RowSearches } from '../resources/search.ts';
import { bindAiTool, createExecutor, describeFor, type McpTool, toAiTemplate } from '../tools/ai-tool.ts';
import type { Caller } from './caller.ts';
import type { Core } from './core.ts';
import { enabledServers } from './offers.ts';

type MakePair = (
  settings: Pick<ToolsOptions, 'principal' | 'handlers' | 'media' | 'structured'> & {
    readonly resources?: ResourceToolsOptions | undefined;
  },
) => Readonly<Record<string, McpTool>>;

export interface PairOptions {
  readonly core: Core;
  readonly options: McpToolProviderOptions;
  readonly caller: Caller;
  readonly searchOf: RowSearches;
}

const pairs = new WeakMap<McpToolProvider, MakePair>();

export function offerPair(provider: McpToolProvider, { core, options, caller, searchOf }: PairOptions): void {
  const own = typeof options.resources === 'object' ? options.resources : {};
  pairs.set(provider, ({ resources = own, principal = options.principal, handlers, ...shown }) => {
    const { run, reach } = caller.of({ handlers });
    const context = { searchOf, invisible: options.invisible, reach: { ...reach, servers: () => enabledServers(core.routes) } };
    const view = { media: options.media, structured: options.structured, invisible: options.invisible, ...shown };
    const guarded: typeof run = (call) => {
      if (core.closed) throw closedError();
      return run(call);
    };
    const execute = createExecutor(guarded, { principal, shown: view, mapResult: options.mapResult, current: (tool) => tool });
    const describe = describeFor(view);
    const tools = resourceToolDefinitions(resources, context).map(
      (definition) => [definition.name, bindAiTool(toAiTemplate(definition), execute, describe)] as const,
    );
    return Object.fromEntries(tools);
  });
}

export function pairOf(provider: McpToolProvider): MakePair {
  const make = pairs.get(provider);
  if (make !== undefined) return make;
  throw new McpToolSetError('config_invalid', 'resourceTools() takes a provider of createMcpToolProvider(); this is none.');
}
