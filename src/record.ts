/** The record that the AI SDK takes as `tools`. */

import type { McpToolProvider, McpToolProviderOptions } from './api.ts';
import { closedError } from './connection/failure.ts';
import { McpToolSetError } from './errors.ts';
import { DISPOSE, REPORT } from './inspect.ts';
import { compose } from './lib/compose.ts';
import { type Offer, statusOf } from './offers.ts';
import type { Snapshot } from './snapshot.ts';
import { type McpTool, type McpToolSet, toAiTool } from './tools/ai-tool.ts';
import type { CallToolResult, ContentBlock, McpMiddleware, Principal, SendRequest, ToolCall, ToolDefinition } from './types.ts';

export interface RecordOptions {
  readonly snapshot: Snapshot;
  readonly offers: readonly Offer[];
  readonly middleware: readonly McpMiddleware[];
  readonly send: SendRequest;
  /** For listings, which are shared. */
  readonly list: SendRequest;
  readonly principal: Principal | undefined;
  readonly mapResult: McpToolProviderOptions['mapResult'];
  readonly provider: McpToolProvider;
}

/** A null-prototype, frozen record whose string keys are tools and nothing else. Disposing it ends the record alone. */
export function createRecord(options: RecordOptions): McpToolSet {
  const { snapshot, offers, middleware, send, list, principal, mapResult, provider } = options;
  let ended = false;
  const chain = compose<ToolCall, CallToolResult>(
    middleware.map(({ call }) => call),
    (call) => (call.tool.run ?? askServer(send))(call),
  );
  const run = (call: ToolCall): Promise<CallToolResult> => {
    if (ended) throw closedError();
    return chain(call);
  };
  const view = {
    principal,
    mapResult,
    current(tool: ToolDefinition, signal?: AbortSignal) {
      const source = offers.find(({ server }) => server === tool.server)?.source;
      // The server said that its list changed: a policy must not decide on what it was.
      if (ended || !source?.outdated) return currentOf(tool, offers);
      return source.get(list, signal).then(() => {
        const current = currentOf(tool, offers);
        // It could not be asked: then nothing is known of the present, and a policy that needs a hint has none.
        return source.state.error === undefined ? current : { ...current, annotations: undefined };
      });
    },
  };
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
  const dispose = async (): Promise<void> => {
    await tools[DISPOSE]();
    await provider.close();
  };
  return Object.freeze(Object.assign(Object.create(null), tools, { [DISPOSE]: dispose }));
}

/** What a tool without a `run` of its own does. */
function askServer(send: SendRequest): (call: ToolCall) => Promise<CallToolResult> {
  return async (call) => {
    const { tool, input, signal, principal } = call;
    const params = { name: tool.originalName, arguments: input };
    const result = await send({ method: 'tools/call', server: tool.server, params, signal, principal, call, peer: {} });
    return { ...result, content: toBlocks(result.content) };
  };
}

/** A server that sends one text or one block instead of a list is understood. */
function toBlocks(content: unknown): readonly ContentBlock[] {
  if (Array.isArray(content)) return content;
  if (content === undefined || content === null) return [];
  return [typeof content === 'string' ? { type: 'text', text: content } : (content as ContentBlock)];
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
