/** Makes an AI SDK tool of a definition, in either major. */

import { dynamicTool, jsonSchema } from 'ai';
import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import type { CallToolResult, Principal, ToolCall, ToolDefinition } from '../types.ts';
import { aiMajor } from './ai-version.ts';
import { errorText, toModelOutput } from './result.ts';
import { type ExecuteOptions, readInput, toCallError, toToolCall } from './tool-call.ts';

/** One tool of the record. */
export type McpTool = ReturnType<typeof dynamicTool>;

/** What `tools` of `generateText` and `streamText` takes: string keys are tools and nothing else. */
export type McpToolSet = Record<string, McpTool> & { [Symbol.asyncDispose](): Promise<void> };

type Metadata = NonNullable<McpTool['metadata']>;

interface Settings {
  metadata: Metadata;
  description?: string;
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
}

/** An AI SDK tool that lacks its `execute`: the part that records of one snapshot have in common. */
export type AiToolTemplate = Omit<McpTool, 'execute'>;

/** Makes the part of an AI SDK tool that costs something to make. */
export function toAiTemplate(definition: ToolDefinition): AiToolTemplate {
  return dynamicTool({
    ...settingsOf(definition),
    inputSchema: jsonSchema(definition.inputSchema as Parameters<typeof jsonSchema>[0]),
    execute: unbound,
    toModelOutput: ({ output }) => toModelOutput(output),
  });
}

function unbound(): never {
  throw new McpToolSetError('config_invalid', 'this tool belongs to no record.');
}

/**
 * What `execute` does, for every tool of a record. It resolves to the `CallToolResult`, `_meta` included; the model gets what
 * `toModelOutput` makes of it. A result with `isError` is thrown as `tool_error`, everything else that fails as the `McpToolSetError`
 * that it is, so the AI SDK shows the model an error text and goes on. An abort rejects at once.
 */
export function createExecutor(
  run: (call: ToolCall) => Promise<CallToolResult>,
  view: AiToolView,
): (definition: ToolDefinition, input: unknown, options: ExecuteOptions) => Promise<CallToolResult> {
  async function finish(call: ToolCall): Promise<CallToolResult> {
    const raw = await run(call);
    const result = view.mapResult === undefined ? raw : await view.mapResult(raw, call);
    if (result?.isError === true) throw new McpToolSetError('tool_error', errorText(result), { result });
    return result;
  }
  return async (definition, input, options) => {
    const signal = options.abortSignal;
    try {
      signal?.throwIfAborted();
      const current = view.current(definition, signal);
      const tool = current instanceof Promise ? await current : current;
      return await abortable(finish(toToolCall(tool, readInput(input), options, view.principal)), signal);
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
): McpTool {
  const execute = createExecutor(run, view);
  return { ...toAiTemplate(definition), execute: (input, options) => execute(definition, input, options) } as McpTool;
}

/** Everything but the functions. A key without a value is left out, because the AI SDK copies and prints what is there. */
function settingsOf(definition: ToolDefinition): Settings {
  const { description, title, ai } = definition;
  const settings: Settings = { metadata: metadataOf(definition) };
  if (description !== undefined) settings.description = description;
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
