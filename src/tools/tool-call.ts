/** The border between the AI SDK's `execute` and a `ToolCall`: what comes in, and what goes out when it fails. */

import type { Tool } from 'ai';
import { McpToolSetError } from '../errors.ts';
import type { Principal, ToolCall, ToolDefinition } from '../types.ts';

/** What the installed AI SDK hands to `execute`. */
export type ExecuteOptions = Parameters<NonNullable<Tool['execute']>>[1];

/** The call that the model made. */
export function toToolCall(
  tool: ToolDefinition,
  { input, changes = [] }: { readonly input: ToolCall['input']; readonly changes?: ToolCall['changes'] },
  options: Pick<ExecuteOptions, 'abortSignal' | 'messages' | 'toolCallId'>,
  principal: Principal | undefined,
): ToolCall {
  const { toolCallId, messages, abortSignal } = options;
  const { context, experimental_context } = options as { context?: unknown; experimental_context?: unknown };
  const changed = changes.length === 0 ? {} : { changes };
  return {
    tool,
    input,
    ...changed,
    toolCallId,
    messages,
    signal: abortSignal,
    context: context ?? experimental_context,
    principal,
  };
}

/**
 * What the model reads of a failed call, whatever was thrown: an error of ours with its place, an abort or the caller's own time
 * limit by what the signal says, anything else as `tool_error` with its message and cause.
 */
export function toCallError(error: unknown, tool: ToolDefinition, signal: AbortSignal | undefined): McpToolSetError {
  const place = { server: tool.server === '*' ? undefined : tool.server, tool: tool.originalName };
  if (McpToolSetError.is(error)) return error.at(place);
  if (signal?.aborted) return abortError(signal).at(place);
  const text = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  return new McpToolSetError('tool_error', text === '' ? 'the call failed and said nothing more' : text, {
    ...place,
    cause: error,
  });
}

function abortError(signal: AbortSignal): McpToolSetError {
  const { reason } = signal;
  if (McpToolSetError.is(reason)) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new McpToolSetError('timeout', "no answer within the caller's time limit; the work may still be going on", {
      cause: reason,
    });
  }
  return new McpToolSetError('aborted', 'the call was cancelled', { cause: reason });
}
