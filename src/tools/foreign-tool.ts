/** A copy of an AI SDK tool whose `execute` goes through middleware. */

import { type asSchema, jsonSchema, type ToolSet } from 'ai';
import { jsonText, wellFormed } from '../lib/content/json.ts';
import type { McpMiddleware, Principal, ToolCall, ToolDefinition } from '../types.ts';
import { callForeign, isAnswer, type RunForeign } from './foreign-call.ts';
import { streamCall } from './foreign-stream.ts';
import { type ModelOutput, toModelOutput } from './result.ts';
import { type ExecuteOptions, toToolCall } from './tool-call.ts';

/** A tool that is not ours, and how middleware sees it. */
export interface Foreign {
  readonly tool: ToolSet[string];
  /** As it was presented to the `list` hooks. */
  readonly definition: ToolDefinition;
  readonly schema: ReturnType<typeof asSchema>;
  readonly streaming: boolean;
}

type ModelOutputOptions = Parameters<NonNullable<ToolSet[string]['toModelOutput']>>[0];

/** The tool as `definition` wants it: what a `list` hook changed is changed, everything else is the tool's own. */
export function wrapForeign(
  foreign: Foreign,
  definition: ToolDefinition,
  middleware: readonly McpMiddleware[],
  principal: Principal | undefined,
): ToolSet[string] {
  const { tool } = foreign;
  const execute = tool.execute as (input: unknown, options: ExecuteOptions) => unknown;
  const toCall = (input: unknown, options: ExecuteOptions): ToolCall =>
    toToolCall(definition, { input: input as ToolCall['input'] }, options, principal);
  /** On the tool itself, whose own fields a copy may not have. */
  const start = (input: unknown, options: ExecuteOptions, signal: AbortSignal | undefined): unknown =>
    execute.call(tool, input, signal === options.abortSignal ? options : { ...options, abortSignal: signal as AbortSignal });

  async function executeOnce(input: unknown, options: ExecuteOptions): Promise<unknown> {
    const run: RunForeign = (next, signal) => drain(start(next, options, signal));
    return callForeign(middleware, toCall(input, options), run);
  }

  async function* executeStream(input: unknown, options: ExecuteOptions): AsyncGenerator<unknown> {
    yield* streamCall((push, signal) => {
      const run: RunForeign = (next, nextSignal) => drain(start(next, options, nextSignal), push);
      return callForeign(middleware, { ...toCall(input, options), signal }, run);
    }, options.abortSignal);
  }

  return copyTool(tool, {
    ...changes(foreign, definition),
    execute: foreign.streaming ? executeStream : executeOnce,
    toModelOutput: (options: ModelOutputOptions) => readOutput(tool, options),
  });
}

/** The last value of a stream, each of them handed on; or the value itself. */
async function drain(output: unknown, push?: (value: unknown) => Promise<void>): Promise<unknown> {
  if (!isAsyncIterable(output)) return output;
  let last: unknown;
  for await (const value of output) {
    last = value;
    await push?.(value);
  }
  return last;
}

function readOutput(tool: ToolSet[string], options: ModelOutputOptions): ModelOutput | PromiseLike<ModelOutput> {
  const { output } = options;
  if (isAnswer(output)) return toModelOutput(output);
  if (tool.toModelOutput !== undefined) return tool.toModelOutput(options);
  // What the AI SDK does with a tool that has no say in it.
  if (typeof output === 'string') return { type: 'text', value: wellFormed(output) };
  try {
    return { type: 'json', value: JSON.parse(JSON.stringify(output) ?? 'null') };
  } catch {
    return { type: 'text', value: jsonText(output) };
  }
}

/** What `list` hooks changed, in the AI SDK's words. */
function changes({ definition: before, schema }: Foreign, after: ToolDefinition): Record<string, unknown> {
  const { ai = {} } = after;
  const changed: Record<string, unknown> = {};
  if (after.title !== before.title) changed.title = after.title;
  if (after.description !== before.description) changed.description = after.description;
  if (after.inputSchema !== before.inputSchema) {
    const { validate } = schema;
    const next = after.inputSchema as Parameters<typeof jsonSchema>[0];
    changed.inputSchema = validate === undefined ? jsonSchema(next) : jsonSchema(next, { validate });
  }
  for (const [key, value] of Object.entries(ai)) if (value !== undefined) changed[key] = value;
  return changed;
}

/** A copy that keeps prototype, getters and symbols, whether or not the tool is frozen. */
function copyTool(tool: ToolSet[string], changed: Readonly<Record<string, unknown>>): ToolSet[string] {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(tool);
  for (const [key, value] of Object.entries(changed)) {
    descriptors[key] = { value, enumerable: true, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(tool), descriptors);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
