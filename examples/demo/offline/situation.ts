/** What the offline model is told at each step: the question, the tools, and what its calls so far have come to. */

import type { LanguageModel } from 'ai';

export type Model = Extract<LanguageModel, { specificationVersion: 'v3' }>;
export type CallOptions = Parameters<Model['doGenerate']>[0];

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

export interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Property;
}

/** One call that was made, and what came back. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly failed: boolean;
}

export interface Situation {
  readonly question: string;
  readonly tools: readonly Tool[];
  readonly steps: readonly Step[];
}

export function readSituation({ prompt, tools = [] }: CallOptions): Situation {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const results = new Map<string, Pick<Step, 'text' | 'failed'>>();
  const calls: (Omit<Step, 'text' | 'failed'> & { id: string })[] = [];
  for (const message of prompt.slice(asked + 1)) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') calls.push({ id: part.toolCallId, tool: part.toolName, input: asObject(part.input) });
      if (part.type === 'tool-result') results.set(part.toolCallId, readOutput(part.output));
    }
  }
  return {
    question: textOf(prompt[asked]?.content),
    tools: tools.flatMap((tool) => (tool.type === 'function' ? [readTool(tool)] : [])),
    steps: calls.map(({ id, ...call }) => ({ ...call, ...(results.get(id) ?? { text: '(no result)', failed: true }) })),
  };
}

interface FunctionTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

function readTool({ name, description = '', inputSchema }: FunctionTool): Tool {
  const { properties, required } = asObject(inputSchema);
  return {
    name,
    description,
    properties: asObject(properties) as Tool['properties'],
    required: Array.isArray(required) ? required.map(String) : [],
  };
}

/** Errors reach a model as a text that says so. */
function readOutput(output: { readonly type: string; readonly value?: unknown }): Pick<Step, 'text' | 'failed'> {
  const failed = output.type.startsWith('error') || output.type === 'execution-denied';
  const { value } = output;
  return { failed, text: typeof value === 'string' ? value : Array.isArray(value) ? textOf(value) : JSON.stringify(value ?? '') };
}

/** The texts of a list of parts; files are named by their type. */
function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return typeof parts === 'string' ? parts : '';
  return parts
    .map(asObject)
    .map(({ type, text, mediaType }) => (type === 'text' ? String(text) : `[${String(mediaType ?? type)}]`))
    .join('\n');
}

export function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
