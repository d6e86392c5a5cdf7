/** Makes an AI SDK tool of a definition, in either major. */

import { type dynamicTool, jsonSchema } from 'ai';
import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import { aiMajor } from '../lib/content/ai-version.ts';
import type { CallToolResult, JsonSchema, Principal, ToolCall, ToolDefinition } from '../types.ts';
import { mendArguments, validateFor } from './arguments/read.ts';
import { errorText, type ResultView, toModelOutput } from './result.ts';
import { type ExecuteOptions, toCallError, toToolCall } from './tool-call.ts';

/** One tool of the record. */
export type McpTool = ReturnType<typeof dynamicTool>;

/** What `tools` of `generateText` and `streamText` takes: string keys are tools and nothing else. */
export type McpToolSet = Record<string, McpTool> & { [Symbol.asyncDispose](): Promise<void> };

type Metadata = NonNullable<McpTool['metadata']>;

interface Settings {
  metadata: Metadata;
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
  readonly common: { readonly metadata: Metadata; readonly inputSchema: McpTool['inputSchema'] };
  /** What few tools have; nothing where this one has none of it. */
  readonly rare: Omit<Settings, 'metadata'> | undefined;
}

/** Makes the part of an AI SDK tool that costs something to make. `schema`: the arguments as the model is told of them. */
export function toAiTemplate(definition: ToolDefinition, schema: JsonSchema = definition.inputSchema): AiToolTemplate {
  const { metadata, ...rare } = settingsOf(definition);
  const inputSchema = jsonSchema(schema as Parameters<typeof jsonSchema>[0], { validate: validateFor(definition) });
  return { definition, common: { metadata, inputSchema }, rare: Object.keys(rare).length > 0 ? rare : undefined };
}

/** The tool of one record. One literal with one order of keys: records are made for each request, and spreading costs five times that. */
export function bindAiTool(
  { common, rare, definition }: AiToolTemplate,
  execute: Executor,
  toModelOutput: DescribeOutput = describeOutput,
): McpTool {
  const { metadata, inputSchema } = common;
  const { description } = definition;
  const run = (input: unknown, options: ExecuteOptions): Promise<CallToolResult> => execute(definition, input, options);
  const tool: Partial<McpTool> = { type: 'dynamic', inputSchema, metadata, execute: run, toModelOutput };
  // A key without a value is left out, because the AI SDK copies and prints what is there.
  if (description !== undefined) tool.description = description;
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

/** Everything but the description and the functions. A key without a value is left out, because the AI SDK copies and prints what is there. */
function settingsOf(definition: ToolDefinition): Settings {
  const { title, ai } = definition;
  const settings: Settings = { metadata: metadataOf(definition) };
  if (title !== undefined && aiMajor === 6) settings.title = title;
  if (ai?.needsApproval !== undefined) settings.needsApproval = ai.needsApproval;
  if (ai?.deferLoading !== undefined && aiMajor === 7) settings.deferLoading = ai.deferLoading;
  if (ai?.providerOptions !== undefined) settings.providerOptions = ai.providerOptions;
  return settings;
}

/** JSON alone: it ends up in stored messages and telemetry, and hints are whatever was sent. */
function metadataOf({ server, originalName, title, annotations, kind }: ToolDefinition): Metadata {
  const metadata: Metadata = { server, clientName: server, toolName: originalName };
  if (title !== undefined) metadata.title = title;
  if (annotations !== undefined) metadata.annotations = JSON.parse(JSON.stringify(annotations));
  metadata.kind = kind;
  return metadata;
}
