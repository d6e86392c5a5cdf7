/** A language model that needs no network: it plans from the tools that it is given and from the results it gets. */

import { writeAnswer } from './offline/answer.ts';
import { nextCall } from './offline/plan.ts';
import { type CallOptions, type Model, readSituation } from './offline/situation.ts';

type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Streamed = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/**
 * Plans by words: it calls whatever promises most for the words of the question that no result has answered yet, with arguments taken
 * from schemas, question and results, and in the end quotes what it read. It knows no server and no tool by name, and it writes no
 * prose: it is here so that the demo runs a real agent loop anywhere. Works in ai 6 and 7.
 *
 * @example
 * ```ts
 * const { text } = await generateText({ model: offlineModel(), tools, stopWhen: isStepCount(10), prompt });
 * ```
 */
export function offlineModel(): Model {
  return {
    specificationVersion: 'v3',
    provider: 'offline',
    modelId: 'offline-planner',
    supportedUrls: {},
    doGenerate: async (options) => respond(options),
    async doStream(options) {
      const { content, finishReason, usage } = respond(options);
      const parts: Streamed[] = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) {
        if (part.type === 'tool-call') parts.push(part);
        if (part.type === 'text') {
          parts.push({ type: 'text-start', id: 'answer' });
          for (const delta of part.text.split(/(?<=\n)/)) parts.push({ type: 'text-delta', id: 'answer', delta });
          parts.push({ type: 'text-end', id: 'answer' });
        }
      }
      parts.push({ type: 'finish', finishReason, usage });
      return { stream: streamOf(parts) };
    },
  };
}

function respond(options: CallOptions): Generated {
  options.abortSignal?.throwIfAborted();
  const situation = readSituation(options);
  const plan = options.toolChoice?.type === 'none' ? undefined : nextCall(situation);
  const usage = usageOf(options, plan);
  if (plan === undefined) {
    const text = writeAnswer(situation);
    return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] };
  }
  const toolCallId = `call-${options.prompt.length}-${situation.steps.length + 1}`;
  return {
    content: [{ type: 'tool-call', toolCallId, toolName: plan.tool, input: JSON.stringify(plan.input) }],
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  };
}

/** Roughly, at four characters a token. */
function usageOf({ prompt, tools }: CallOptions, output: unknown): Generated['usage'] {
  const input = Math.ceil(JSON.stringify([prompt, tools]).length / 4);
  const written = Math.ceil(JSON.stringify(output ?? '').length / 4);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: written, text: written, reasoning: undefined },
  };
}

function streamOf<T>(parts: readonly T[]): ReadableStream<T> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
