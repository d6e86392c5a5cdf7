/** Models that make one round of tool calls and then say "done", for both majors of the AI SDK. */

import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export interface Call {
  readonly toolName: string;
  readonly input: string;
}

/** What the model was told about its calls, in the second step. */
export interface ToolAnswer {
  readonly toolName: string;
  readonly output: { readonly type: string; readonly value: unknown };
}

type StreamPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

export function modelThatCalls(...calls: Call[]): MockLanguageModelV3 {
  const content = calls.map((call, index) => ({ type: 'tool-call' as const, toolCallId: `c${index + 1}`, ...call }));
  const finish = (unified: 'tool-calls' | 'stop') => ({ unified, raw: undefined });
  const asking: StreamPart[] = [...content, { type: 'finish', finishReason: finish('tool-calls'), usage }];
  const answering: StreamPart[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'done' },
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: finish('stop'), usage },
  ];
  let step = 0;
  return new MockLanguageModelV3({
    doGenerate: async () =>
      step++ === 0
        ? { content, finishReason: finish('tool-calls'), usage, warnings: [] }
        : { content: [{ type: 'text', text: 'done' }], finishReason: finish('stop'), usage, warnings: [] },
    doStream: async () => {
      const start: StreamPart = { type: 'stream-start', warnings: [] };
      return { stream: simulateReadableStream({ chunks: [start, ...(step++ === 0 ? asking : answering)] }) };
    },
  });
}

/** The tool results in the last prompt that the model got. */
export function answersTo(model: MockLanguageModelV3): ToolAnswer[] {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  const last = calls.at(-1)?.prompt.at(-1);
  if (last?.role !== 'tool') throw new Error('the model got no tool result');
  return last.content as unknown as ToolAnswer[];
}
