/** Which tool a `tools/call` is for, as a policy judged it. */

import type { McpRequest, ToolDefinition } from '../../types.ts';

/** Where a refused request would have gone. */
export interface Destination {
  readonly server: string;
  readonly originalName: string | undefined;
}

/**
 * The tool of the call that caused the request. A hook further in may have changed either: where the request is not for that very tool,
 * or no call stands behind it, throws what `refuse` makes of the reason.
 */
export function toolBehind(
  { call, server, params }: McpRequest,
  refuse: (rule: string, destination: Destination) => Error,
): ToolDefinition {
  const tool = call?.tool;
  if (tool !== undefined && tool.server === server && tool.originalName === params.name) return tool;
  const rule = tool === undefined ? 'no tool call stands behind the request' : 'the request is for another tool than the call';
  throw refuse(rule, { server, originalName: typeof params.name === 'string' ? params.name : undefined });
}
