/** What a tool without a `run` of its own does: it asks its server. */

import type { CallToolResult, ContentBlock, SendRequest, ToolCall, ToolDefinition } from '../types.ts';
import { checkArguments } from './arguments/read.ts';
import { outputWarning, withWarning } from './output-schema.ts';
import { paramHeaders } from './param-headers.ts';

/** `onMismatch` is told where the result does not fit the tool's `outputSchema`; the result says it too, in its `_meta`. */
export async function callServer(
  send: SendRequest,
  call: ToolCall,
  onMismatch: (tool: ToolDefinition) => void,
): Promise<CallToolResult> {
  const { tool, input, signal, principal } = call;
  // After the policies: one that refuses the tool has the first word.
  checkArguments(input);
  const params = { name: tool.originalName, arguments: input };
  const headers = paramHeaders(tool.inputSchema, input);
  const result = await send({ method: 'tools/call', server: tool.server, params, headers, signal, principal, call, peer: {} });
  const read: CallToolResult = { ...result, content: toBlocks(result.content) };
  const warning = outputWarning(tool, read);
  if (warning === undefined) return read;
  onMismatch(tool);
  return withWarning(read, warning);
}

/** A server that sends one text or one block instead of a list is understood. */
function toBlocks(content: unknown): readonly ContentBlock[] {
  if (Array.isArray(content)) return content;
  if (content === undefined || content === null) return [];
  return [typeof content === 'string' ? { type: 'text', text: content } : (content as ContentBlock)];
}
