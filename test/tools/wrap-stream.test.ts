import { generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { CallToolResult, McpMiddleware } from '../../src/types.ts';
import { answersTo, modelThatCalls } from './models.ts';

const inputSchema = jsonSchema<object>({ type: 'object', properties: {} });

/** A tool that yields 1, 2, 3, and what happened to it. */
function counting(notes: string[] = []) {
  return tool({
    inputSchema,
    async *execute() {
      try {
        for (const value of [1, 2, 3]) {
          notes.push(`yields ${value}`);
          yield value;
        }
      } finally {
        notes.push('closed');
      }
    },
  });
}

function noting(notes: string[]): McpMiddleware {
  return {
    name: 'note',
    async call(input, next) {
      notes.push('in');
      try {
        const result = await next(input);
        notes.push(`out with ${JSON.stringify((result as CallToolResult).foreign)}`);
        return result;
      } catch (error) {
        notes.push('failed');
        throw error;
      }
    },
  };
}

function start(tools: ToolSet, name: string, options: object = {}): AsyncIterable<unknown> {
  const execute = tools[name]?.execute as unknown as (input: unknown, options: object) => AsyncIterable<unknown>;
  return execute({}, { toolCallId: 'c1', messages: [], ...options });
}

async function collect(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe('a tool that streams', () => {
  test('CARD-02 yields pass through at the pace of the reader, with middleware around the whole', async () => {
    const notes: string[] = [];
    const tools = await wrapToolSet({ tools: { count: counting(notes) }, middleware: [noting(notes)] });
    for await (const value of start(tools, 'count')) notes.push(`read ${value}`);
    expect(notes).toEqual(['in', ...[1, 2, 3].flatMap((value) => [`yields ${value}`, `read ${value}`]), 'closed', 'out with 3']);
  });

  test('a reader that leaves closes the generator and ends the middleware', async () => {
    const notes: string[] = [];
    const tools = await wrapToolSet({ tools: { count: counting(notes) }, middleware: [noting(notes)] });
    for await (const value of start(tools, 'count')) if (value === 2) break;
    expect(notes).toEqual(['in', 'yields 1', 'yields 2', 'closed', 'failed']);
  });

  test('an abort closes the generator, ends the middleware and reaches the reader', async () => {
    const notes: string[] = [];
    const controller = new AbortController();
    const tools = await wrapToolSet({ tools: { count: counting(notes) }, middleware: [noting(notes)] });
    const values = start(tools, 'count', { abortSignal: controller.signal })[Symbol.asyncIterator]();
    expect(await values.next()).toEqual({ done: false, value: 1 });
    controller.abort(new Error('stop'));
    await expect(values.next()).rejects.toThrow('stop');
    expect(notes).toEqual(['in', 'yields 1', 'closed', 'failed']);
  });

  test('the tool can wait on the signal that it is given', async () => {
    const controller = new AbortController();
    let listening = (): void => {};
    const reached = new Promise<void>((resolve) => {
      listening = resolve;
    });
    const waiting = tool({
      inputSchema,
      async *execute(_input, { abortSignal }) {
        yield 'waiting';
        await new Promise((_, reject) => {
          abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
          listening();
        });
      },
    });
    const tools = await wrapToolSet({ tools: { waiting }, middleware: [] });
    const values = start(tools, 'waiting', { abortSignal: controller.signal })[Symbol.asyncIterator]();
    await values.next();
    const next = values.next();
    await reached;
    controller.abort(new Error('stop'));
    await expect(next).rejects.toThrow('stop');
  });

  test('after a good end nothing is aborted', async () => {
    let signal: AbortSignal | undefined;
    const keeping = tool({
      inputSchema,
      async *execute(_input, options) {
        signal = options.abortSignal;
        yield 1;
      },
    });
    expect(await collect(start(await wrapToolSet({ tools: { keeping }, middleware: [] }), 'keeping'))).toEqual([1]);
    expect(signal?.aborted).toBe(false);
  });

  test('K2 no listener is left on the signal, whether the reader stays or leaves', async () => {
    const tools = await wrapToolSet({ tools: { count: counting() }, middleware: [] });
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listening.add(args[1]);
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listening.delete(args[1]);
      remove(...args);
    };
    const options = { abortSignal: signal };
    expect(await collect(start(tools, 'count', options))).toEqual([1, 2, 3]);
    expect(listening.size).toBe(0);
    for await (const value of start(tools, 'count', options)) {
      expect(value).toBe(1);
      expect(listening.size).toBe(1);
      break;
    }
    expect(listening.size).toBe(0);
  });

  test('an error comes out after the values before it', async () => {
    const failing = tool({
      inputSchema,
      async *execute() {
        yield 1;
        throw new TypeError('boom');
      },
    });
    const values = start(await wrapToolSet({ tools: { failing }, middleware: [] }), 'failing')[Symbol.asyncIterator]();
    expect(await values.next()).toEqual({ done: false, value: 1 });
    await expect(values.next()).rejects.toThrow(new TypeError('boom'));
  });

  test('a hook may call again, change the outcome, or leave the tool out', async () => {
    const tools = { count: counting() };
    const twice: McpMiddleware = { name: 'twice', call: (input, next) => next(input).then(() => next(input)) };
    const other: McpMiddleware = { name: 'other', call: async (input, next) => ({ ...(await next(input)), foreign: 'other' }) };
    const cached: McpMiddleware = { name: 'cached', call: async () => ({ content: [], foreign: 'cached' }) };
    const through = async (middleware: McpMiddleware) =>
      collect(start(await wrapToolSet({ tools, middleware: [middleware] }), 'count'));
    expect(await through(twice)).toEqual([1, 2, 3, 1, 2, 3]);
    expect(await through(other)).toEqual([1, 2, 3, 'other']);
    expect(await through(cached)).toEqual(['cached']);
  });

  test('nothing yielded is nothing yielded', async () => {
    const silent = tool({ inputSchema, async *execute(): AsyncGenerator<number> {} });
    expect(await collect(start(await wrapToolSet({ tools: { silent }, middleware: [] }), 'silent'))).toEqual([]);
  });

  test('a function that returns an iterable streams where `streaming` names it, and gives its last value where not', async () => {
    const count = counting();
    const returning = tool({ inputSchema, execute: (input, options) => count.execute(input, options) });
    const named = await wrapToolSet({ tools: { returning }, middleware: [], streaming: ['returning'] });
    expect(await collect(start(named, 'returning'))).toEqual([1, 2, 3]);
    const unnamed = await wrapToolSet({ tools: { returning }, middleware: [] });
    expect(await (start(unnamed, 'returning') as unknown)).toBe(3);
  });

  test('a wrapped record can be wrapped again', async () => {
    const notes: string[] = [];
    const once = await wrapToolSet({ tools: { count: counting() }, middleware: [noting(notes)] });
    const again = await wrapToolSet({ tools: once, middleware: [noting(notes)] });
    expect(await collect(start(again, 'count'))).toEqual([1, 2, 3]);
    expect(notes).toEqual(['in', 'in', 'out with 3', 'out with 3']);
  });
});

describe('CARD-02 through the AI SDK', () => {
  test('streamText shows each value as preliminary and the last as the result', async () => {
    const tools = await wrapToolSet({ tools: { count: counting() }, middleware: [noting([])] });
    const model = modelThatCalls({ toolName: 'count', input: '{}' });
    const seen: unknown[] = [];
    const result = streamText({ model, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    for await (const part of result.fullStream) {
      if (part.type === 'tool-result') seen.push([part.output, part.preliminary === true]);
    }
    expect(seen).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [3, false],
    ]);
    expect(answersTo(model)).toMatchObject([{ output: { type: 'json', value: 3 } }]);
  });

  test('generateText takes the last value', async () => {
    const tools = await wrapToolSet({ tools: { count: counting() }, middleware: [noting([])] });
    const model = modelThatCalls({ toolName: 'count', input: '{}' });
    await generateText({ model, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    expect(answersTo(model)).toMatchObject([{ output: { type: 'json', value: 3 } }]);
  });

  test('F8 an error in the stream is a tool error, and the run goes on', async () => {
    const failing = tool({
      inputSchema,
      async *execute() {
        yield 1;
        throw new Error('boom');
      },
    });
    const tools = await wrapToolSet({ tools: { failing }, middleware: [noting([])] });
    const model = modelThatCalls({ toolName: 'failing', input: '{}' });
    const result = streamText({ model, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    expect(await result.text).toBe('done');
    expect(answersTo(model)[0]?.output).toMatchObject({ type: 'error-text', value: expect.stringContaining('boom') });
  });
});
