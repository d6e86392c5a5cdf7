/** Real provider packages, each against a loopback server that speaks its wire format, and where the tool result stands in what they send. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type LanguageModel, stepCountIs } from 'ai';
import { expect, onTestFinished } from 'vitest';
import { toAiTool } from '../../../src/tools/ai-tool.ts';
import type { ResultView } from '../../../src/tools/result.ts';
import type { CallToolResult, JsonSchema, ToolCall, ToolDefinition } from '../../../src/types.ts';
import { json, listen } from '../../support/listen.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

interface Format {
  model(url: string): LanguageModel;
  /** The answer that calls the tool, and the one that ends the run. */
  readonly answers: readonly [object, object];
  /** What stands in the second request for the tool's result. */
  result(body: never): unknown;
  /** The tool's arguments as they were declared. */
  schema(body: never): unknown;
}

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const response = { object: 'response', created_at: 0, model: 'm', status: 'completed', usage };
const completion = { object: 'chat.completion', created: 0, model: 'm', usage: { prompt_tokens: 1, completion_tokens: 1 } };
const message = {
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};
const counts = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };

const google = (id: string): Format => ({
  model: (baseURL) => createGoogleGenerativeAI({ apiKey: 'none', baseURL })(id),
  answers: [candidate({ functionCall: { name: 'find', args: { q: 'x' } } }), candidate({ text: 'done' })],
  result: ({ contents }: { contents: { parts: unknown[] }[] }) => contents.at(-1)?.parts.map(withoutId),
  schema: ({ tools }: { tools: [{ functionDeclarations: [{ parameters?: unknown; parametersJsonSchema?: unknown }] }] }) => {
    const [{ parameters, parametersJsonSchema }] = tools[0].functionDeclarations;
    return parametersJsonSchema ?? parameters;
  },
});

export const FORMATS = {
  'OpenAI Responses': {
    model: (baseURL) => createOpenAI({ apiKey: 'none', baseURL }).responses('gpt-test'),
    answers: [
      {
        id: 'r1',
        ...response,
        output: [{ type: 'function_call', id: 'f1', call_id: 'c1', name: 'find', arguments: '{"q":"x"}', status: 'completed' }],
      },
      {
        id: 'r2',
        ...response,
        output: [
          {
            type: 'message',
            id: 'm1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'done', annotations: [] }],
          },
        ],
      },
    ],
    result: ({ input }: { input: { type?: string; output?: unknown }[] }) =>
      input.find(({ type }) => type === 'function_call_output')?.output,
    schema: ({ tools }: { tools: { parameters: unknown }[] }) => tools[0]?.parameters,
  },
  'OpenAI Chat': {
    model: (baseURL) => createOpenAI({ apiKey: 'none', baseURL }).chat('gpt-test'),
    answers: [
      {
        id: 'r1',
        ...completion,
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"q":"x"}' } }],
            },
          },
        ],
      },
      {
        id: 'r2',
        ...completion,
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }],
      },
    ],
    result: ({ messages }: { messages: { role: string; content: unknown }[] }) =>
      messages.find(({ role }) => role === 'tool')?.content,
    schema: ({ tools }: { tools: { function: { parameters: unknown } }[] }) => tools[0]?.function.parameters,
  },
  Anthropic: {
    model: (baseURL) => createAnthropic({ apiKey: 'none', baseURL })('claude-test'),
    answers: [
      {
        id: 'm1',
        ...message,
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', id: 'c1', name: 'find', input: { q: 'x' } }],
      },
      { id: 'm2', ...message, stop_reason: 'end_turn', content: [{ type: 'text', text: 'done' }] },
    ],
    result: ({ messages }: { messages: { content: { type: string; content: unknown }[] }[] }) =>
      messages.at(-1)?.content.find(({ type }) => type === 'tool_result')?.content,
    schema: ({ tools }: { tools: { input_schema: unknown }[] }) => tools[0]?.input_schema,
  },
  'Gemini 3': google('gemini-3-test'),
  'Gemini 2': google('gemini-2.5-test'),
} satisfies Record<string, Format>;

export type Provider = keyof typeof FORMATS;

export interface Sent {
  readonly result: unknown;
  readonly schema: unknown;
  /** What the tool was called with. */
  readonly inputs: readonly unknown[];
  /** The whole second request. */
  readonly body: string;
  /** Of the provider: what it left out. */
  readonly warnings: readonly unknown[];
}

/** One run of two steps, in which the model calls the tool. It must end well. */
export async function send(
  provider: Provider,
  result: CallToolResult,
  view?: ResultView,
  inputSchema?: JsonSchema,
): Promise<Sent> {
  const format: Format = FORMATS[provider];
  const inputs: unknown[] = [];
  const answer = async ({ input }: ToolCall): Promise<CallToolResult> => {
    inputs.push(input);
    return result;
  };
  const tool = toAiTool(definition(inputSchema), answer, { current: (each) => each }, view);
  const server = await listen((_request, reply) => json(reply, format.answers[server.requests.length === 1 ? 0 : 1]));
  onTestFinished(() => server.close());
  const run = await generateText({
    model: format.model(server.url),
    tools: { find: tool },
    prompt: 'go',
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  });
  expect(run.text).toBe('done');
  expect(server.requests).toHaveLength(2);
  const body = server.requests[1]?.body ?? '';
  const parsed = JSON.parse(body) as never;
  const warnings = run.steps.flatMap((step) => step.warnings ?? []);
  return { result: format.result(parsed), schema: format.schema(parsed), inputs, body, warnings };
}

function definition(inputSchema: JsonSchema = { type: 'object', properties: {} }): ToolDefinition {
  return { name: 'find', server: 'docs', originalName: 'find', kind: 'tool', description: 'Finds.', inputSchema };
}

function candidate(part: object): object {
  return { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata: counts };
}

/** The provider makes up ids for calls that came without one. */
function withoutId(part: unknown): unknown {
  const { functionResponse } = part as { functionResponse?: { id?: string } };
  if (functionResponse === undefined) return part;
  const { id: _, ...rest } = functionResponse;
  return { functionResponse: rest };
}
