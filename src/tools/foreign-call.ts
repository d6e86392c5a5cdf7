/** One call of a tool that is not ours, as middleware sees it: a `tools/call` whose result carries the tool's own output. */

import { McpToolSetError } from '../errors.ts';
import { compose } from '../lib/compose.ts';
import { isRecord } from '../lib/content/json.ts';
import type { CallToolResult, McpMiddleware, McpRequest, McpResult, ToolCall } from '../types.ts';
import { errorText } from './result.ts';

/** Runs the tool itself, with the input and the signal that middleware left. */
export type RunForeign = (input: unknown, signal: AbortSignal | undefined) => Promise<unknown>;

/** Outputs that a middleware gave in place of the tool, so that the tool's own `toModelOutput` is spared them. */
const answers: WeakSet<object> = new WeakSet();

/** Whether an output is a middleware's own `CallToolResult` rather than something that the tool returned. */
export function isAnswer(output: unknown): output is CallToolResult {
  return isRecord(output) && answers.has(output);
}

/**
 * Sends the call through both chains and resolves to the tool's own output, or to a result that a middleware gave instead. What the
 * tool throws comes out as it was thrown; a result with `isError` throws `tool_error`.
 */
export async function callForeign(middleware: readonly McpMiddleware[], call: ToolCall, run: RunForeign): Promise<unknown> {
  const send = compose<McpRequest, McpResult>(
    middleware.map(({ request }) => request),
    async (request) => ({ content: [], foreign: await run(argumentsOf(request, call), request.signal) }),
  );
  const chain = compose<ToolCall, CallToolResult>(
    middleware.map((entry) => entry.call),
    async (last) => (last.tool.run === undefined ? ((await send(toRequest(last))) as CallToolResult) : last.tool.run(last)),
  );
  try {
    return unwrap(await chain(call));
  } catch (error) {
    throw McpToolSetError.is(error) ? error.at({ tool: call.tool.originalName }) : error;
  }
}

function toRequest(call: ToolCall): McpRequest {
  const { tool, input, signal, principal } = call;
  return {
    method: 'tools/call',
    server: tool.server,
    params: { name: tool.originalName, arguments: input },
    signal,
    principal,
    call,
    peer: { transport: 'custom' },
  };
}

function argumentsOf({ method, params }: McpRequest, { tool }: ToolCall): unknown {
  if (method === 'tools/call' && params.name === tool.originalName) return params.arguments;
  throw new McpToolSetError('tool_not_found', 'a middleware sent the call elsewhere; a tool in wrapToolSet() can only be itself');
}

function unwrap(result: CallToolResult): unknown {
  if (!isRecord(result)) return result;
  if (result.isError === true) throw new McpToolSetError('tool_error', errorText(result), { result });
  if (Object.hasOwn(result, 'foreign')) return result.foreign;
  answers.add(result);
  return result;
}
