import { describe, expect, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { aiMajor } from '../../src/lib/content/ai-version.ts';
import { type AiToolView, toAiTool } from '../../src/tools/ai-tool.ts';
import type { CallToolResult, ToolCall, ToolDefinition } from '../../src/types.ts';

const DEFINITION: ToolDefinition = {
  name: 'docs_find',
  server: 'docs',
  originalName: 'find',
  kind: 'tool',
  title: 'Find',
  description: 'Finds.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
  annotations: { readOnlyHint: true },
};
const DONE: CallToolResult = { content: [{ type: 'text', text: 'done' }], _meta: { trace: 1 } };

interface Setup extends Partial<AiToolView> {
  readonly definition?: ToolDefinition;
  readonly run?: (call: ToolCall) => Promise<CallToolResult>;
}

/** A tool, what its `run` was called with, and a way to call it as the AI SDK does. */
function setUp({ definition = DEFINITION, run = async () => DONE, ...view }: Setup = {}) {
  const calls: ToolCall[] = [];
  const record = (call: ToolCall) => {
    calls.push(call);
    return run(call);
  };
  const tool = toAiTool(definition, record, { current: (same) => same, ...view });
  const execute = tool.execute as unknown as (input: unknown, options: object) => Promise<unknown>;
  const call = (input: unknown = {}, options: object = {}) => execute(input, { toolCallId: 'c1', messages: [], ...options });
  return { tool, calls, call };
}

async function failure(promise: Promise<unknown>): Promise<McpToolSetError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  if (!McpToolSetError.is(error)) throw new Error(`expected a McpToolSetError, got ${String(error)}`);
  return error;
}

describe('the tool', () => {
  test('L4J-16 says what the definition says, in the keys that @ai-sdk/mcp uses too', async () => {
    const { tool } = setUp();
    expect(tool).toMatchObject({ type: 'dynamic', description: 'Finds.' });
    expect(tool.metadata).toEqual({
      server: 'docs',
      clientName: 'docs',
      toolName: 'find',
      title: 'Find',
      annotations: { readOnlyHint: true },
      kind: 'tool',
    });
    expect(await (tool.inputSchema as { jsonSchema: unknown }).jsonSchema).toBe(DEFINITION.inputSchema);
    expect(tool.title).toBe(aiMajor === 6 ? 'Find' : undefined);
  });

  test('keys without a value are not there, and metadata is JSON', () => {
    const hints = { readOnlyHint: undefined, check: () => true, n: true };
    const { tool } = setUp({
      definition: { name: 'x', server: 's', originalName: 'x', kind: 'added', inputSchema: {}, annotations: hints },
    });
    expect(Object.keys(tool).sort()).toEqual(['execute', 'inputSchema', 'metadata', 'toModelOutput', 'type']);
    expect(tool.metadata).toEqual({ server: 's', clientName: 's', toolName: 'x', kind: 'added', annotations: { n: true } });
  });

  test('L4J-12 settings for the AI SDK are passed on; deferLoading only where it exists', () => {
    const ai = { needsApproval: true, deferLoading: true, providerOptions: { openai: { x: 1 } } };
    const { tool } = setUp({ definition: { ...DEFINITION, ai } });
    expect(tool).toMatchObject({ needsApproval: true, providerOptions: { openai: { x: 1 } } });
    expect('deferLoading' in tool).toBe(aiMajor === 7);
  });
});

describe('execute', () => {
  test('L4J-13 resolves to the result itself, _meta included', async () => {
    expect(await setUp().call()).toBe(DONE);
  });

  test('hands on id, messages, signal, context, principal and the definition as it is now', async () => {
    const now = { ...DEFINITION, description: 'Newer.' };
    const principal = { id: 'ann' };
    const { calls, call } = setUp({ principal, current: () => now });
    const signal = new AbortController().signal;
    const messages = [{ role: 'user', content: 'hi' }];
    await call(
      { q: 'x' },
      { messages, abortSignal: signal, [aiMajor === 7 ? 'context' : 'experimental_context']: { tenant: 't' } },
    );
    expect(calls).toEqual([
      { tool: now, input: { q: 'x' }, toolCallId: 'c1', messages, signal, context: { tenant: 't' }, principal },
    ]);
    expect(calls[0]?.tool).toBe(now);
  });

  test.each([[undefined], [null], [''], [' \n']])('L4J-40 D18 blank input (%j) is an empty object', async (input) => {
    const { calls, call } = setUp();
    await (input === undefined ? call() : call(input));
    expect(calls[0]?.input).toEqual({});
  });

  test.each([['text'], [5], [[]], [true]])(
    'L4J-40 input that is no object (%j) is refused before anything is sent',
    async (input) => {
      const { calls, call } = setUp();
      const error = await failure(call(input));
      expect(error).toMatchObject({ code: 'invalid_arguments', server: 'docs', tool: 'find' });
      expect(error.message).not.toContain('text');
      expect(calls).toEqual([]);
    },
  );

  test('L4J-38 F7 isError is thrown with text, structured detail and the raw result', async () => {
    const result: CallToolResult = {
      isError: true,
      content: [{ type: 'text', text: 'no such page' }],
      structuredContent: { code: 'E42' },
    };
    const error = await failure(setUp({ run: async () => result }).call());
    expect(error.code).toBe('tool_error');
    expect(error.message).toBe('MCP server "docs", tool "find": no such page\n{"code":"E42"}');
    expect(error.result).toBe(result);
  });

  test('an error of ours keeps its code and gets its place', async () => {
    const thrown = new McpToolSetError('rate_limited', 'try again in 5 s', { data: { retryAfter: 5_000 } });
    const error = await failure(
      setUp({
        run: async () => {
          throw thrown;
        },
      }).call(),
    );
    expect(error).toMatchObject({ code: 'rate_limited', server: 'docs', tool: 'find', data: { retryAfter: 5_000 } });
  });

  test('a tool that spans servers has no server in its error', async () => {
    const definition = { ...DEFINITION, server: '*', originalName: 'get_resource' };
    const error = await failure(setUp({ definition, run: () => Promise.reject(new Error('gone')) }).call());
    expect(error.message).toBe('Tool "get_resource": gone');
  });

  test.each([
    ['an error', new Error('boom'), 'boom'],
    ['a text', 'boom', 'boom'],
    ['nothing', undefined, 'the call failed and said nothing more'],
    ['an object', { secret: 1 }, 'the call failed and said nothing more'],
  ])('%s thrown in the chain is wrapped, the cause kept', async (_, thrown, detail) => {
    const error = await failure(setUp({ run: () => Promise.reject(thrown) }).call());
    expect(error).toMatchObject({ code: 'tool_error', detail });
    expect(error.cause).toBe(thrown);
  });

  test('what throws before it returns a promise is wrapped too', async () => {
    const sync = () => {
      throw new Error('boom');
    };
    expect((await failure(setUp({ run: sync }).call())).code).toBe('tool_error');
    expect((await failure(setUp({ current: sync }).call())).code).toBe('tool_error');
  });

  test('L4J-41 mapResult has the last word, also on errors', async () => {
    const seen: unknown[] = [];
    const { call } = setUp({
      run: async () => ({ isError: true, content: [] }),
      mapResult: async (result, { input }) => {
        seen.push(result, input);
        return DONE;
      },
    });
    expect(await call({ q: 'x' })).toBe(DONE);
    expect(seen).toEqual([{ isError: true, content: [] }, { q: 'x' }]);
  });
});

describe('abort', () => {
  const never = () => new Promise<never>(() => {});

  test('H1 before the call: nothing is sent', async () => {
    const { calls, call } = setUp();
    expect(await failure(call({}, { abortSignal: AbortSignal.abort('stop') }))).toMatchObject({ code: 'aborted', tool: 'find' });
    expect(calls).toEqual([]);
  });

  test('H1 during the call: rejects at once, even where nobody listens to the signal', async () => {
    const controller = new AbortController();
    const call = setUp({ run: never }).call({}, { abortSignal: controller.signal });
    controller.abort(new Error('the user left'));
    const error = await failure(call);
    expect(error.code).toBe('aborted');
    expect(error.cause).toMatchObject({ message: 'the user left' });
  });

  test("H3 the caller's time limit is a timeout", async () => {
    const call = setUp({ run: never }).call({}, { abortSignal: AbortSignal.timeout(5) });
    expect((await failure(call)).code).toBe('timeout');
  });

  test('K2 a hundred calls leave no listener on a shared signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    const { call } = setUp();
    for (let index = 0; index < 100; index++) await call({}, { abortSignal: signal });
    expect(listeners).toBe(0);
  });
});
