/** Definitions, calls and requests for tests that drive a middleware over a last step of their own. */

import { compose } from '../../src/lib/compose.ts';
import type { CallToolResult, McpMiddleware, McpRequest, McpResult, ToolCall, ToolDefinition } from '../../src/types.ts';

export function tool(overrides: Partial<ToolDefinition> = {}): ToolDefinition {
  const { server = 'files', originalName = 'read_file' } = overrides;
  return { name: `${server}_${originalName}`, server, originalName, kind: 'tool', inputSchema: { type: 'object' }, ...overrides };
}

export function call(definition: ToolDefinition, overrides: Partial<ToolCall> = {}): ToolCall {
  return { tool: definition, input: {}, toolCallId: 'c1', messages: [], ...overrides };
}

/** A `tools/call` of that tool, or whatever the overrides make of it. */
export function request(overrides: Partial<McpRequest> = {}): McpRequest {
  const definition = overrides.call?.tool ?? tool({ server: overrides.server ?? 'files' });
  return {
    method: 'tools/call',
    server: definition.server,
    params: { name: definition.originalName, arguments: {} },
    call: call(definition),
    peer: {},
    ...overrides,
  };
}

export const OK: CallToolResult = { content: [{ type: 'text', text: 'fine' }] };

export function listThrough(
  middleware: readonly McpMiddleware[],
  tools: readonly ToolDefinition[],
): Promise<readonly ToolDefinition[]> {
  const hooks = middleware.map(({ list }) => list);
  return compose(hooks, async (definitions: readonly ToolDefinition[]) => definitions)(tools);
}

export function callThrough(
  middleware: readonly McpMiddleware[],
  last: (input: ToolCall) => Promise<CallToolResult>,
): (input: ToolCall) => Promise<CallToolResult> {
  return compose(
    middleware.map((one) => one.call),
    last,
  );
}

export function requestThrough(
  middleware: readonly McpMiddleware[],
  last: (input: McpRequest) => Promise<McpResult>,
): (input: McpRequest) => Promise<McpResult> {
  return compose(
    middleware.map((one) => one.request),
    last,
  );
}
