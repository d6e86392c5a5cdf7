/** A model that makes the tool calls it is told to, one step each, and then says something: for both majors of the AI SDK. */

import * as ai from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

export interface PlannedCall {
  readonly toolName: string;
  readonly input?: unknown;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
} as const;

/** Each step is a list of parallel calls; after the last step it answers `done`. */
export function plannedModel(...steps: readonly (readonly PlannedCall[])[]): MockLanguageModelV3 {
  const contentOf = (step: number) =>
    (steps[step] ?? []).map(({ toolName, input = {} }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${step}-${index}`,
      toolName,
      input: typeof input === 'string' ? input : JSON.stringify(input),
    }));
  let step = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const calls = contentOf(step++);
      return {
        content: calls.length > 0 ? calls : [{ type: 'text' as const, text: 'done' }],
        finishReason: { unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
        usage,
        warnings: [],
      };
    },
    doStream: async () => {
      const calls = contentOf(step++);
      const body =
        calls.length > 0
          ? calls
          : [
              { type: 'text-start' as const, id: 't' },
              { type: 'text-delta' as const, id: 't', delta: 'done' },
              { type: 'text-end' as const, id: 't' },
            ];
      const finish = { unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const), raw: undefined };
      return {
        stream: ai.simulateReadableStream({
          chunks: [
            { type: 'stream-start' as const, warnings: [] },
            ...body,
            { type: 'finish' as const, finishReason: finish, usage },
          ],
        }),
      };
    },
  });
}

/** `isStepCount` in ai 7, `stepCountIs` in ai 6. */
export const stopAfter: typeof ai.isStepCount =
  ai.isStepCount ?? (ai as unknown as { stepCountIs: typeof ai.isStepCount }).stepCountIs;

/** What the model was given as tool results in its last step. */
export function toolResultsOf(model: MockLanguageModelV3, streamed = false): { toolName: string; output: unknown }[] {
  const calls = streamed ? model.doStreamCalls : model.doGenerateCalls;
  const prompt = calls.at(-1)?.prompt ?? [];
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [{ toolName: part.toolName, output: part.output }] : []))
      : [],
  );
}

/** Options of a tool's `execute` outside a model run. */
export function executeOptions(abortSignal?: AbortSignal): never {
  return { toolCallId: 'call-1', messages: [], abortSignal, context: undefined } as never;
}
