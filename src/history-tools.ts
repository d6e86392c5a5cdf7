/** Tools for a stored conversation: those of today, and stand-ins for those that are gone. */

import { isRecord } from './lib/content/json.ts';
import { type McpTool, toStandIn } from './tools/ai-tool.ts';
import type { ResultView } from './tools/result.ts';

/** What a conversation is stored as: the AI SDK's UI messages. */
export interface StoredMessage {
  readonly parts: readonly unknown[];
}

/**
 * The tools for `convertToModelMessages(messages, { tools: historyTools(messages, tools) })`. A tool that the messages name and `tools` no
 * longer has (its server was removed, it was renamed) gets a stand-in that shows its stored result as the tool did: without it the AI SDK
 * would send the result as it lies there, `_meta` and base64 included. Stand-ins cannot be called, and are not enumerable: a model that gets the record is not told of them.
 *
 * `shown`: `media` and `structured`, as in `provider.tools()`.
 *
 * @example
 * ```ts
 * const messages = await convertToModelMessages(stored, { tools: historyTools(stored, tools) });
 * const result = streamText({ model, tools, messages });
 * ```
 */
export function historyTools<Tools extends object>(
  messages: readonly StoredMessage[],
  tools: Tools,
  shown: Pick<ResultView, 'media' | 'structured'> = {},
): Tools & Record<string, McpTool> {
  const all: Record<string, McpTool> = Object.assign(Object.create(null), tools);
  for (const part of messages.flatMap(({ parts }) => (Array.isArray(parts) ? parts : []))) {
    const name = isRecord(part) ? nameOf(part) : undefined;
    if (name === undefined || Object.hasOwn(all, name) || !isRecord(part) || !isResult(part.output)) continue;
    // Found by its name, and by nobody who counts what there is: no model is offered it.
    Object.defineProperty(all, name, { value: toStandIn(shown) });
  }
  return all as Tools & Record<string, McpTool>;
}

function nameOf({ type, toolName }: Record<string, unknown>): string | undefined {
  if (type === 'dynamic-tool') return typeof toolName === 'string' ? toolName : undefined;
  return typeof type === 'string' && type.startsWith('tool-') ? type.slice('tool-'.length) : undefined;
}

/** Another library's output is not ours to show. */
function isResult(output: unknown): boolean {
  return isRecord(output) && (Array.isArray(output.content) || 'structuredContent' in output);
}
