/** The pair of resource tools by itself, for a record of one's own. */

import type { McpToolProvider, ToolsOptions } from './api.ts';
import { checkResourceTools } from './config/methods.ts';
import { pairOf } from './provider/pair.ts';
import type { ResourceToolsOptions } from './resources/options.ts';
import type { McpTool } from './tools/ai-tool.ts';

export interface ResourceToolsSettings extends Pick<ToolsOptions, 'principal' | 'handlers' | 'media' | 'structured'> {
  /** Default: those of the provider, where it has any. */
  readonly resources?: ResourceToolsOptions | undefined;
}

/**
 * `list_resources` and `get_resource` over all servers of a provider, as AI SDK tools: nothing is connected before one of them is called.
 * They run through the provider's middleware, and fail with `closed` once it is closed.
 *
 * Throws `config_invalid` for options that are wrong.
 *
 * @example
 * ```ts
 * const tools = { ...resourceTools(provider), weather };
 * ```
 */
export function resourceTools(
  provider: McpToolProvider,
  settings: ResourceToolsSettings = {},
): Readonly<Record<string, McpTool>> {
  checkResourceTools(settings);
  return pairOf(provider)(settings);
}
