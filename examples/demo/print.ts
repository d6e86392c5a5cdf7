/** Shows a run: the servers, each call as it happens, what was hidden, the spans, and how much of the limits was used. */

import { SpanKind } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { type CallToolResult, inspectToolSet, type McpToolSet } from 'mcp-tool-set';
import type { RateLimitUsage } from 'mcp-tool-set/middleware';

const WIDTH = 110;

export function heading(text: string): void {
  console.log(`\n${text}`);
}

/** The state of each server, and what `readOnly` keeps from the model. */
export function printServers(tools: McpToolSet): void {
  const { servers, notes } = inspectToolSet(tools);
  heading('Servers');
  for (const [server, { state, error, version, tools: count, milliseconds }] of Object.entries(servers)) {
    const detail = error?.message ?? `${count} tools, protocol ${version}, ${Math.round(milliseconds)} ms`;
    console.log(`  ${server.padEnd(12)}${state.padEnd(12)}${oneLine(detail, 400)}`);
  }
  const hidden = notes.filter(({ what }) => what === 'hidden').map(({ server, originalName }) => `${server}/${originalName}`);
  heading(`Hidden by readOnly: ${hidden.length} tools`);
  for (const name of hidden) console.log(`  ${name}`);
}

interface CallStarted {
  readonly toolCall: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown };
}

interface CallEnded extends CallStarted {
  readonly toolOutput:
    | { readonly type: 'tool-result'; readonly output: unknown }
    | { readonly type: 'tool-error'; readonly error: unknown };
  readonly toolExecutionMs: number;
}

export interface CallPrinter {
  readonly onToolExecutionStart: (event: CallStarted) => void;
  readonly onToolExecutionEnd: (event: CallEnded) => void;
}

/** Callbacks for `generateText` that print each call when it starts and when it ends. */
export function printCalls(tools: McpToolSet): CallPrinter {
  const numbers = new Map<string, number>();
  return {
    onToolExecutionStart({ toolCall: { toolCallId, toolName, input } }) {
      const number = numbers.size + 1;
      numbers.set(toolCallId, number);
      const { server, toolName: original } = tools[toolName]?.metadata ?? {};
      // The resource tools span the servers; `get_resource` is told which one to ask.
      const { mcpServer = 'all servers' } = input as { readonly mcpServer?: string };
      const place = server === '*' ? mcpServer : String(server);
      console.log(`  ${number}. ${place}: ${String(original)} ${oneLine(JSON.stringify(input))}`);
    },
    onToolExecutionEnd({ toolCall: { toolCallId }, toolOutput, toolExecutionMs }) {
      const said = toolOutput.type === 'tool-error' ? `failed: ${messageOf(toolOutput.error)}` : summary(toolOutput.output);
      console.log(`     ${numbers.get(toolCallId)} → ${oneLine(said)} (${Math.round(toolExecutionMs)} ms)`);
    },
  };
}

/** Each span under its parent, in the order in which they began. */
export function printSpans(spans: readonly ReadableSpan[]): void {
  heading('Spans');
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const ordered = [...spans].sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const parentOf = (span: ReadableSpan): string | undefined => {
    const parent = span.parentSpanContext?.spanId;
    return parent !== undefined && known.has(parent) ? parent : undefined;
  };
  const print = (parent: string | undefined, indent: string): void => {
    for (const span of ordered.filter((each) => parentOf(each) === parent)) {
      const { 'mcp_tool_set.server': server, 'error.type': error } = span.attributes;
      const milliseconds = Math.round(span.duration[0] * 1_000 + span.duration[1] / 1_000_000);
      // The AI SDK's own span of a call has the attributes of MCP too; the request is the one below it.
      const place = server === undefined || span.kind !== SpanKind.CLIENT ? '' : ` [${String(server)}]`;
      console.log(`${indent}${span.name}${place} ${milliseconds} ms${error === undefined ? '' : ` ERROR ${String(error)}`}`);
      print(span.spanContext().spanId, `${indent}  `);
    }
  };
  print(undefined, '  ');
  const refused = spans.some(({ name, attributes }) => name === 'server/discover' && attributes['error.type'] !== undefined);
  if (refused) console.log('  (server/discover asks for the newer protocol; where it fails, initialize follows.)');
}

export function printUsage(usage: readonly RateLimitUsage[], interval: number): void {
  heading(`Rate limit: requests to each server within ${interval / 1_000} s`);
  for (const { key, used, limit } of usage) console.log(`  ${key.padEnd(12)}${used} of ${limit}`);
  if (usage.length === 0) console.log('  none');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first words of a result, and what else is in it. */
function summary(output: unknown): string {
  const { content = [] } = output as CallToolResult;
  return content.map((block) => (block.type === 'text' ? String(block.text) : `[${block.type}]`)).join(' ');
}

function oneLine(text: string, width: number = WIDTH): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length > width ? `${plain.slice(0, width)}…` : plain;
}
