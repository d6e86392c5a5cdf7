import { asSchema, generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { readOnly } from '../../src/middleware/read-only.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { McpMiddleware, McpRequest, ToolCall, ToolDefinition } from '../../src/types.ts';
import { answersTo, modelThatCalls } from './models.ts';

const add = tool({
  description: 'Adds.',
  inputSchema: jsonSchema<{ a: number; b: number }>({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
  }),
  execute: async ({ a, b }) => ({ sum: a + b }),
});

/** Calls a tool as the AI SDK does. */
function call(tools: ToolSet, name: string, input: unknown = {}, options: object = {}): unknown {
  const target = tools[name];
  if (target?.execute === undefined) throw new Error(`no tool ${name}`);
  return (target.execute as (input: unknown, options: object) => unknown)(input, { toolCallId: 'c1', messages: [], ...options });
}

/** A middleware that notes where it is passed. */
function noting(name: string, notes: string[]): McpMiddleware {
  const hook =
    (kind: string) =>
    async <I, O>(input: I, next: (input: I) => Promise<O>): Promise<O> => {
      notes.push(`${name} ${kind} in`);
      try {
        return await next(input);
      } finally {
        notes.push(`${name} ${kind} out`);
      }
    };
  return { name, call: hook('call'), request: hook('request') };
}

describe('the chains', () => {
  test('L4J-09 call hooks run outside request hooks, the first listed outermost', async () => {
    const notes: string[] = [];
    const tools = await wrapToolSet({ tools: { add }, middleware: [noting('a', notes), noting('b', notes)] });
    expect(await call(tools, 'add', { a: 1, b: 2 })).toEqual({ sum: 3 });
    const way = ['a call', 'b call', 'a request', 'b request'];
    expect(notes).toEqual([...way.map((step) => `${step} in`), ...way.reverse().map((step) => `${step} out`)]);
  });

  test('hooks see the call and one tools/call request', async () => {
    const seen: { call?: ToolCall; request?: McpRequest } = {};
    const middleware: McpMiddleware = {
      name: 'look',
      call(input, next) {
        seen.call = input;
        return next(input);
      },
      request(input, next) {
        seen.request = input;
        return next(input);
      },
    };
    const principal = { id: 'ann' };
    const tools = await wrapToolSet({ tools: { add }, middleware: [middleware], server: 'own', principal });
    await call(tools, 'add', { a: 1, b: 2 });
    expect(seen.call).toMatchObject({ input: { a: 1, b: 2 }, toolCallId: 'c1', principal });
    expect(seen.call?.tool).toEqual({
      name: 'add',
      server: 'own',
      originalName: 'add',
      kind: 'added',
      description: 'Adds.',
      inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    });
    expect(seen.request).toMatchObject({
      method: 'tools/call',
      server: 'own',
      params: { name: 'add', arguments: { a: 1, b: 2 } },
      principal,
      call: seen.call,
      peer: { transport: 'custom' },
    });
  });

  test('the tool gets the input and the signal that the hooks left, and the rest of its options', async () => {
    const got: unknown[] = [];
    const echo = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: async (input, options) => void got.push(input, options),
    });
    const { signal } = new AbortController();
    const middleware: McpMiddleware = {
      name: 'edit',
      call: (input, next) => next({ ...input, input: { from: 'call' } }),
      request: (input, next) => next({ ...input, params: { ...input.params, _meta: { t: 1 } }, signal }),
    };
    const tools = await wrapToolSet({ tools: { echo }, middleware: [middleware] });
    await call(tools, 'echo', { from: 'model' }, { context: 1, experimental_context: 2 });
    expect(got[0]).toEqual({ from: 'call' });
    expect(got[1]).toMatchObject({ toolCallId: 'c1', context: 1, experimental_context: 2, abortSignal: signal });
  });

  test('the output comes out as the very object that the tool returned', async () => {
    const output = { content: 'not MCP', when: new Date(0) };
    const give = tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => output });
    const copying: McpMiddleware = { name: 'copy', call: async (input, next) => ({ ...(await next(input)) }) };
    expect(await call(await wrapToolSet({ tools: { give }, middleware: [copying] }), 'give')).toBe(output);
  });

  test('what the tool throws comes out as it was thrown; a refusal names the tool', async () => {
    const thrown = new TypeError('boom');
    const fail = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: async (): Promise<string> => {
        throw thrown;
      },
    });
    await expect(call(await wrapToolSet({ tools: { fail }, middleware: [] }), 'fail')).rejects.toBe(thrown);
    const refuse: McpMiddleware = {
      name: 'refuse',
      call: () => Promise.reject(new McpToolSetError('not_allowed', 'not today')),
    };
    await expect(call(await wrapToolSet({ tools: { fail }, middleware: [refuse] }), 'fail')).rejects.toMatchObject({
      code: 'not_allowed',
      message: 'Tool "fail": not today',
    });
  });

  test('a hook may answer instead: its result goes to the model, not through the toModelOutput of the tool', async () => {
    const strict = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: async () => ({ rows: [1] }),
      toModelOutput: ({ output }) => ({ type: 'text', value: `${output.rows.length} rows` }),
    });
    const answer: McpMiddleware = {
      name: 'answer',
      call: async (input, next) =>
        'skip' in input.input ? { content: [{ type: 'text', text: 'closed' }], _meta: { a: 1 } } : next(input),
    };
    const tools = await wrapToolSet({ tools: { strict }, middleware: [answer] });
    const model = modelThatCalls({ toolName: 'strict', input: '{"skip":true}' }, { toolName: 'strict', input: '{}' });
    await generateText({ model, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    expect(answersTo(model).map(({ output }) => output)).toMatchObject([
      { type: 'text', value: 'closed' },
      { type: 'text', value: '1 rows' },
    ]);
  });

  test('a result with isError is thrown', async () => {
    const failing: McpMiddleware = { name: 'f', call: async () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }) };
    const tools = await wrapToolSet({ tools: { add }, middleware: [failing] });
    await expect(call(tools, 'add')).rejects.toMatchObject({ code: 'tool_error', message: 'Tool "add": no' });
  });

  test('a request for another tool is refused', async () => {
    const astray: McpMiddleware = {
      name: 'astray',
      request: (request, next) => next({ ...request, params: { ...request.params, name: 'other' } }),
    };
    const tools = await wrapToolSet({ tools: { add, other: add }, middleware: [astray] });
    await expect(call(tools, 'add')).rejects.toMatchObject({ code: 'tool_not_found' });
  });
});

describe('the record', () => {
  test('everything else about a tool stays: order, symbols, frozen tools, instances and their this', async () => {
    const TAG: unique symbol = Symbol('tag');
    class Counter {
      #count = 0;
      readonly inputSchema = jsonSchema<object>({ type: 'object' });
      readonly [TAG] = 'kept';
      get description(): string {
        return 'Counts.';
      }
      async execute(): Promise<number> {
        return ++this.#count;
      }
    }
    const needsApproval = async () => false;
    const REPORT = Symbol('report');
    const pending = { inputSchema: jsonSchema<object>({ type: 'object' }), outputSchema: jsonSchema<object>({}) };
    const given = {
      zebra: new Counter(),
      pending: tool(pending),
      frozen: Object.freeze({ ...add, needsApproval }),
      [REPORT]: 5,
    };
    const tools = await wrapToolSet({ tools: given as unknown as ToolSet & typeof given, middleware: [] });
    expect(Object.getPrototypeOf(tools)).toBeNull();
    expect(Object.keys(tools)).toEqual(['zebra', 'pending', 'frozen']);
    expect(tools[REPORT]).toBe(5);
    expect(tools.pending).toBe(given.pending);
    expect(tools.frozen).toMatchObject({ description: 'Adds.', needsApproval });
    expect(tools.frozen.inputSchema).toBe(add.inputSchema);
    expect(tools.zebra).toMatchObject({ description: 'Counts.', [TAG]: 'kept' });
    expect(await call(tools, 'zebra')).toBe(1);
    expect(await call(tools, 'zebra')).toBe(2);
    expect(given.frozen.execute).toBe(add.execute);
  });

  test('list hooks filter, rename and rewrite; the real name is called', async () => {
    const rename: McpMiddleware = {
      name: 'rename',
      list: async (definitions, next) =>
        (await next(definitions.filter(({ name }) => name !== 'gone'))).map((definition) => ({
          ...definition,
          name: `my_${definition.name}`,
          description: 'Better.',
          inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
        })),
    };
    const tools: ToolSet = await wrapToolSet({ tools: { gone: add, add }, middleware: [rename] });
    expect(Object.keys(tools)).toEqual(['my_add']);
    expect(tools.my_add?.description).toBe('Better.');
    expect(asSchema(tools.my_add?.inputSchema).jsonSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'number' } },
    });
    expect(await call(tools, 'my_add', { a: 1, b: 2 })).toEqual({ sum: 3 });
  });

  test('a list hook may add a tool that runs by itself, and its calls go through the call hooks', async () => {
    const notes: string[] = [];
    const extra: ToolDefinition = {
      name: 'extra',
      server: 'x',
      originalName: 'extra',
      kind: 'added',
      inputSchema: { type: 'object', properties: {} },
      run: async () => ({ content: [{ type: 'text', text: 'ran' }] }),
    };
    const adding: McpMiddleware = { name: 'add', list: async (definitions, next) => [...(await next(definitions)), extra] };
    const tools: ToolSet = await wrapToolSet({ tools: { add }, middleware: [adding, noting('n', notes)] });
    expect(await call(tools, 'extra')).toEqual({ content: [{ type: 'text', text: 'ran' }] });
    expect(notes).toEqual(['n call in', 'n call out']);
  });

  test('two tools of one name, and an added tool that cannot run, are mistakes', async () => {
    const same: McpMiddleware = { name: 's', list: async (all) => all.map((definition) => ({ ...definition, name: 'x' })) };
    const bare: McpMiddleware = {
      name: 'b',
      list: async (all) => all.map((definition) => ({ ...definition, originalName: 'x' })),
    };
    await expect(wrapToolSet({ tools: { add, other: add }, middleware: [same] })).rejects.toMatchObject({
      code: 'name_conflict',
    });
    await expect(wrapToolSet({ tools: { add }, middleware: [bare] })).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test.each([
    ['an unknown option', { tools: {}, middleware: [], midleware: [] }],
    ['no middleware', { tools: {} }],
    ['no tools', { middleware: [] }],
    ['a streaming tool that is not there', { tools: { add }, middleware: [], streaming: ['ad'] }],
  ])('%s throws at once', async (_, options) => {
    await expect(wrapToolSet(options as never)).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe("CARD-02 the library's own middleware on tools that are not ours", () => {
  test('N8 readOnly hides and refuses by metadata.annotations or annotate', async () => {
    const read = { ...add, metadata: { annotations: { readOnlyHint: true } } };
    const tools = await wrapToolSet({ tools: { read, add }, middleware: [readOnly()] });
    expect(Object.keys(tools)).toEqual(['read']);
    expect(await call(tools, 'read', { a: 1, b: 1 })).toEqual({ sum: 2 });
    const annotate = (name: string) => ({ readOnlyHint: name === 'add' });
    expect(Object.keys(await wrapToolSet({ tools: { read, add }, middleware: [readOnly()], annotate }))).toEqual(['add']);
  });

  test('rateLimit refuses, the model is told, and the run goes on', async () => {
    const tools = await wrapToolSet({ tools: { add }, middleware: [rateLimit({ limit: 1, interval: 60_000, maxWait: 0 })] });
    const model = modelThatCalls({ toolName: 'add', input: '{"a":1,"b":2}' }, { toolName: 'add', input: '{"a":3,"b":4}' });
    const { text } = await generateText({ model, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    const outputs = answersTo(model).map(({ output }) => output);
    expect(outputs.map(({ type }) => type).sort()).toEqual(['error-text', 'json']);
    expect(outputs.find(({ type }) => type === 'json')?.value).toMatchObject({ sum: expect.any(Number) });
    expect(text).toBe('done');
  });
});

test('CARD-02 generateText and streamText give a wrapped plain tool the same output as a bare one', async () => {
  const wrapped = await wrapToolSet({ tools: { add }, middleware: [noting('n', [])] });
  const outputs = [];
  for (const tools of [{ add }, wrapped]) {
    const generating = modelThatCalls({ toolName: 'add', input: '{"a":1,"b":2}' });
    await generateText({ model: generating, tools, prompt: 'go', stopWhen: stepCountIs(3) });
    const streaming = modelThatCalls({ toolName: 'add', input: '{"a":1,"b":2}' });
    await streamText({ model: streaming, tools, prompt: 'go', stopWhen: stepCountIs(3) }).consumeStream();
    outputs.push(answersTo(generating), answersTo(streaming));
  }
  for (const output of outputs) expect(output).toEqual(outputs[0]);
  expect(outputs[0]).toMatchObject([{ output: { type: 'json', value: { sum: 3 } } }]);
});
