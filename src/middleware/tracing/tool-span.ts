/** Finds the span with which the AI SDK, or another GenAI instrumentation, already traces a tool call. */

import { type Attributes, type Context, type Span, trace } from '@opentelemetry/api';
import type { ToolCall } from '../../types.ts';

/**
 * The active span, where it is sure to stand for this very call: `execute_tool` of the GenAI conventions (ai 7), or `ai.toolCall`
 * (ai 6), by the call's id. A call that a tool of the application's makes by itself has another id.
 */
export function toolSpanOf({ toolCallId, tool }: ToolCall, context: Context): Span | undefined {
  const span = trace.getSpan(context);
  const attributes = span && attributesOf(span);
  if (attributes === undefined || !isToolCall(attributes)) return undefined;
  const id = attributes['gen_ai.tool.call.id'] ?? attributes['ai.toolCall.id'];
  if (id !== undefined) return id === toolCallId ? span : undefined;
  const name = attributes['gen_ai.tool.name'];
  return name === tool.name || name === tool.originalName ? span : undefined;
}

/** Adds what the span does not say yet: it is another's, who knows better. */
export function addMissing(span: Span, attributes: Attributes): void {
  const present = attributesOf(span);
  if (present === undefined) return;
  const missing = Object.entries(attributes).filter(([name]) => present[name] === undefined);
  span.setAttributes(Object.fromEntries(missing));
}

/** The API has no way to read them, the SDK's spans do; nothing for a span that records nothing, or no longer. */
function attributesOf(span: Span): Attributes | undefined {
  const { attributes } = span as { readonly attributes?: unknown };
  return typeof attributes === 'object' && attributes !== null && span.isRecording() ? (attributes as Attributes) : undefined;
}

function isToolCall(attributes: Attributes): boolean {
  return attributes['gen_ai.operation.name'] === 'execute_tool' || attributes['ai.operationId'] === 'ai.toolCall';
}
