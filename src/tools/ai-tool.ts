/** Makes an AI SDK tool of a definition, in either major. */

import { type dynamicTool, jsonSchema } from 'ai';
import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import { aiMajor } from '../lib/content/ai-version.ts';
import type { CallToolResult, JsonSchema, Principal, ToolAnnotations, ToolCall, ToolDefinition } from '../types.ts';
import { toAiSchema } from './ai-schema.ts';
import { mendArguments } from './arguments/read.ts';
import { errorText, type ResultView, toModelOutput } from './result.ts';
import { type ExecuteOptions, toCallError, toToolCall } from './tool-call.ts';

/** One tool of the record. */
export type McpTool = ReturnType<typeof dynamicTool>;

/** What `tools` of `generateText` and `streamText` takes: string keys are tools and nothing else. */
export type McpToolSet = Record<string, McpTool> & { [Symbol.asyncDispose](): Promise<void> };

type Metadata = NonNullable<McpTool['metadata']>;

interface Rare {
  title?: string;
  needsApproval?: boolean;
  deferLoading?: boolean;
  providerOptions?: NonNullable<McpTool['providerOptions']>;
}

/** What a tool looks up when it is called, rather than when it is made. */
export interface AiToolView {
  /** The definition as it is now. May throw, as `tool_not_found`. */
  current(definition: ToolDefinition, signal?: AbortSignal): ToolDefinition | Promise<ToolDefinition>;
  readonly principal?: Principal | undefined;
  /** Last look at a result before the model sees it. */
  readonly mapResult?: ((result: CallToolResult, call: ToolCall) => CallToolResult | Promise<CallToolResult>) | undefined;
  /** What a model is shown of results, also of those that are errors. */
  readonly shown?: ResultView | undefined;
}

/** The parts of an AI SDK tool that the records of one snapshot have in common. */
export interface AiToolTemplate {
  readonly definition: ToolDefinition;
  readonly metadata: Metadata;
  readonly inputSchema: McpTool['inputSchema'];
  /** What few tools have; nothing where this one has none of it. */
  readonly rare: Rare | undefined;
}

/** Makes the part of an AI SDK tool that costs something to make. `schema`: the arguments as the model is told of them. */
export function toAiTemplate(definition: ToolDefinition, schema: JsonSchema = definition.inputSchema): AiToolTemplate {
  return { definition, metadata: metadataOf(definition), inputSchema: toAiSchema(definition, schema), rare: rareOf(definition) };
}

/** The tool of one record. One literal with one order of keys: records are made for each request, and spreading costs five times that. */
export function bindAiTool(
  { definition, metadata, inputSchema, rare }: AiToolTemplate,
  execute: Executor,
  toModelOutput: DescribeOutput = describeOutput,
): McpTool {
  const { description } = definition;
  const run = (input: unknown, options: ExecuteOptions): Promise<CallToolResult> => execute(definition, input, options);
  // A key without a value is left out, because the AI SDK copies and prints what is there.
  const tool =
    description === undefined
      ? { type: 'dynamic', inputSchema, metadata, execute: run, toModelOutput }
      : { type: 'dynamic', description, inputSchema, metadata, execute: run, toModelOutput };
  return (rare === undefined ? tool : Object.assign(tool, rare)) as McpTool;
}

export type DescribeOutput = NonNullable<McpTool['toModelOutput']>;

/** One function for all tools of a record. */
export function describeFor(view: ResultView): DescribeOutput {
  return ({ output }) => toModelOutput(output, view);
}

const describeOutput: DescribeOutput = describeFor({});

export type Executor = (definition: ToolDefinition, input: unknown, options: ExecuteOptions) => Promise<CallToolResult>;

/**
 * What `execute` does, for every tool of a record. It resolves to the `CallToolResult`, `_meta` included; the model gets what
 * `toModelOutput` makes of it. A result with `isError` is thrown as `tool_error`, everything else that fails as the `McpToolSetError`
 * that it is, so the AI SDK shows the model an error text and goes on. An abort rejects at once.
 */
export function createExecutor(run: (call: ToolCall) => Promise<CallToolResult>, view: AiToolView): Executor {
  async function finish(call: ToolCall): Promise<CallToolResult> {
    const raw = await run(call);
    const result = view.mapResult === undefined ? raw : await view.mapResult(raw, call);
    // The resource tools fail by throwing, but for the form whose errors are results.
    if (result?.isError === true && call.tool.kind !== 'resource')
      throw new McpToolSetError('tool_error', errorText(result, view.shown), { result });
    return result;
  }
  return async (definition, input, options) => {
    const signal = options.abortSignal;
    try {
      signal?.throwIfAborted();
      const current = view.current(definition, signal);
      const tool = current instanceof Promise ? await current : current;
      return await abortable(finish(toToolCall(tool, mendArguments(input, tool), options, view.principal)), signal);
    } catch (error) {
      throw toCallError(error, definition, signal);
    }
  };
}

/**
 * The AI SDK tool of one definition, whole.
 *
 * @example
 * ```ts
 * const tool = toAiTool(definition, (call) => connection.call(call), { current: (definition) => definition });
 * ```
 */
export function toAiTool(
  definition: ToolDefinition,
  run: (call: ToolCall) => Promise<CallToolResult>,
  view: AiToolView,
  shown: ResultView = {},
): McpTool {
  const execute = createExecutor(run, { shown, ...view });
  return bindAiTool(toAiTemplate(definition), execute, describeFor(shown));
}

/** A tool that shows the results of one that is gone, and does nothing else. */
export function toStandIn(shown: ResultView): McpTool {
  const inputSchema = jsonSchema({ type: 'object', properties: {} });
  return { type: 'dynamic', inputSchema, toModelOutput: describeFor(shown) } as unknown as McpTool;
}

/** What few tools have. A key without a value is left out, because the AI SDK copies and prints what is there. */
function rareOf({ title, ai }: ToolDefinition): Rare | undefined {
  if (ai === undefined && (title === undefined || aiMajor === 7)) return undefined;
  const rare: Rare = {};
  if (title !== undefined && aiMajor === 6) rare.title = title;
  if (ai?.needsApproval !== undefined) rare.needsApproval = ai.needsApproval;
  if (ai?.deferLoading !== undefined && aiMajor === 7) rare.deferLoading = ai.deferLoading;
  if (ai?.providerOptions !== undefined) rare.providerOptions = ai.providerOptions;
  return rare;
}

/** JSON alone: it ends up in stored messages and telemetry, and hints are whatever was sent. */
function metadataOf({ server, originalName: toolName, title, annotations, kind }: ToolDefinition): Metadata {
  // Each in one literal, for the sake of its size: there may be thousands.
  if (title === undefined && annotations === undefined) return { server, clientName: server, toolName, kind };
  if (annotations === undefined) return { server, clientName: server, toolName, title, kind } as Metadata;
  const hints = jsonCopy(annotations);
  if (title === undefined) return { server, clientName: server, toolName, annotations: hints, kind } as Metadata;
  return { server, clientName: server, toolName, title, annotations: hints, kind } as Metadata;
}

/** Hints are true or false nearly always. */
function jsonCopy(hints: ToolAnnotations): Metadata[string] {
  const isFlat = Object.values(hints).every((value) => typeof value === 'boolean' || typeof value === 'string');
  return isFlat ? ({ ...hints } as Metadata) : JSON.parse(JSON.stringify(hints));
}
