/** The record that the AI SDK takes as `tools`, and the report that goes with it. */

import type { McpToolProvider, McpToolProviderOptions } from './api.ts';
import { closedError } from './connection/connection.ts';
import { McpToolSetError } from './errors.ts';
import { compose } from './lib/compose.ts';
import { type Offer, statusOf } from './offers.ts';
import type { Snapshot } from './snapshot.ts';
import { type McpTool, type McpToolSet, toAiTool } from './tools/ai-tool.ts';
import type {
  CallToolResult,
  ContentBlock,
  McpMiddleware,
  Principal,
  SendRequest,
  ToolCall,
  ToolDefinition,
  ToolSetReport,
} from './types.ts';

/** Symbols, because every string key would be a tool; enumerable, so that `{ ...tools, own }` keeps them. */
const REPORT: unique symbol = Symbol.for('mcp-tool-set.report');
/** Runtimes without explicit resource management get a symbol of their own, never a tool called "undefined". */
const DISPOSE: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

/** What `inspectToolSet` gives: the report, and the provider behind the record. */
export interface ToolSetInspection extends ToolSetReport {
  readonly provider: McpToolProvider;
}

export interface RecordOptions {
  readonly snapshot: Snapshot;
  readonly offers: readonly Offer[];
  readonly middleware: readonly McpMiddleware[];
  readonly send: SendRequest;
  readonly principal: Principal | undefined;
  readonly mapResult: McpToolProviderOptions['mapResult'];
  readonly provider: McpToolProvider;
}

/** A null-prototype, frozen record whose string keys are tools and nothing else. Disposing it ends the record alone. */
export function createRecord(options: RecordOptions): McpToolSet {
  const { snapshot, offers, middleware, send, principal, mapResult, provider } = options;
  let ended = false;
  const chain = compose<ToolCall, CallToolResult>(
    middleware.map(({ call }) => call),
    (call) => (call.tool.run ?? askServer(send))(call),
  );
  const run = (call: ToolCall): Promise<CallToolResult> => {
    if (ended) throw closedError();
    return chain(call);
  };
  const view = { principal, mapResult, current: (tool: ToolDefinition) => currentOf(tool, offers) };
  const record: Record<string | symbol, unknown> = Object.create(null);
  for (const tool of snapshot.tools) record[tool.name] = toAiTool(tool, run, view);
  const servers = Object.fromEntries(offers.map((offer) => [offer.server, statusOf(offer, snapshot.tools)]));
  record[REPORT] = Object.freeze({ servers, notes: snapshot.notes, provider });
  record[DISPOSE] = async () => {
    ended = true;
  };
  return Object.freeze(record) as Record<string, McpTool> & Pick<McpToolSet, typeof Symbol.asyncDispose>;
}

/** The same record, owning its provider: disposing it closes the provider. */
export function ownProvider(tools: McpToolSet, provider: McpToolProvider): McpToolSet {
  const record = Object.assign(Object.create(null), tools, { [DISPOSE]: () => provider.close() });
  return Object.freeze(record);
}

/**
 * What is behind a record: each server's status, what was dropped, filtered, hidden or renamed and why, and the provider.
 *
 * Throws `config_invalid` for a record that this library did not make.
 *
 * @example
 * ```ts
 * const { servers, notes } = inspectToolSet(tools);
 * if (servers.docs?.state !== 'connected') console.error(servers.docs?.error?.message);
 * ```
 */
export function inspectToolSet(tools: object): ToolSetInspection {
  const report = (tools as { [REPORT]?: ToolSetInspection })[REPORT];
  if (report !== undefined) return report;
  throw new McpToolSetError(
    'config_invalid',
    'this is no record of createMcpToolSet() or provider.tools(), nor a spread of one.',
  );
}

/**
 * Ends a set at once: connections, sessions and child processes. Not needed for correctness: what is idle ends by itself. A record
 * of `provider.tools()` owns nothing, so closing it ends the record alone. Closing twice is fine.
 *
 * @example
 * ```ts
 * await closeToolSet(tools);
 * ```
 */
export async function closeToolSet(tools: object): Promise<void> {
  const dispose = (tools as { [DISPOSE]?: () => Promise<void> })[DISPOSE];
  if (dispose === undefined) inspectToolSet(tools);
  await dispose?.();
}

/** What a tool without a `run` of its own does. */
function askServer(send: SendRequest): (call: ToolCall) => Promise<CallToolResult> {
  return async (call) => {
    const { tool, input, signal, principal } = call;
    const params = { name: tool.originalName, arguments: input };
    const result = await send({ method: 'tools/call', server: tool.server, params, signal, principal, call, peer: {} });
    return { ...result, content: Array.isArray(result.content) ? (result.content as ContentBlock[]) : [] };
  };
}

/**
 * The definition as its server gives it now. A run may hold an older record: what the server has taken back is refused, and what it
 * claims of itself counts as of now, so that a policy decides on the present.
 */
function currentOf(tool: ToolDefinition, offers: readonly Offer[]): ToolDefinition {
  if (tool.kind !== 'tool') return tool;
  const offer = offers.find(({ server }) => server === tool.server);
  const before = offer?.listing?.definitions.get(tool.originalName);
  const now = offer?.source?.state.listing?.definitions.get(tool.originalName);
  if (now === undefined) {
    const { server, originalName } = tool;
    throw new McpToolSetError('tool_not_found', 'its server no longer offers it. Use another tool.', {
      server,
      tool: originalName,
    });
  }
  return now === before || JSON.stringify(now.annotations) === JSON.stringify(before?.annotations)
    ? tool
    : { ...tool, annotations: now.annotations };
}
