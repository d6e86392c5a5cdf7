import * as ai from 'ai';
import { tool as aiTool, generateText, jsonSchema, type ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { type McpMiddleware, type ToolCall, wrapToolSet } from '../../src/index.ts';
import { type ApprovalOptions, approval } from '../../src/middleware/approval.ts';
import { mcpApproval } from '../../src/middleware/mcp-approval.ts';
import { call as callTool, failure, provide, silentTo } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { call, callThrough, listThrough, OK, request, requestThrough, tool } from './fake.ts';
import { connectorTools, execute, listeners } from './foreign.ts';

const READ = tool({ annotations: { readOnlyHint: true } });
const WRITE = tool({ originalName: 'write_file' });
const TOOLS = [
  { name: 'look', annotations: { readOnlyHint: true } },
  { name: 'write', annotations: { readOnlyHint: false } },
];

/** Which of the two calls ask. */
async function asked(policy: Omit<ApprovalOptions, 'ask'>, ...tools: Parameters<typeof call>[0][]): Promise<string[]> {
  const names: string[] = [];
  const middleware = approval({ ...policy, ask: ({ tool: { originalName } }) => names.push(originalName) > 0 });
  for (const one of tools) expect(await callThrough([middleware], async () => OK)(call(one))).toBe(OK);
  return names;
}

/** Makes the call and says what became of it, and how many got through. */
async function attempt(options: ApprovalOptions, input: ToolCall = call(WRITE)) {
  let sent = 0;
  const run = callThrough([approval(options)], async () => {
    sent++;
    return OK;
  });
  const error = await run(input).then(
    () => undefined,
    (reason) => reason,
  );
  return { error, sent };
}

describe('what needs approval', () => {
  test('N8 what is not known to be read-only', async () => {
    const destructive = tool({ originalName: 'both', annotations: { readOnlyHint: true, destructiveHint: true } });
    const resources = tool({ server: '*', originalName: 'get_resource', kind: 'resource', annotations: { readOnlyHint: true } });
    expect(await asked({}, READ, WRITE, destructive, resources)).toEqual(['write_file', 'both']);
    expect(await asked({ trust: ['docs'] }, READ, resources)).toEqual(['read_file']);
  });

  test('patterns go by server and own name; `always` wins over `never`', async () => {
    expect(await asked({ always: ['files/read_*'], never: ['files/*'] }, READ, WRITE)).toEqual(['read_file']);
    expect(await asked({ never: ['write_file/*'] }, WRITE)).toEqual(['write_file']);
  });

  test.each<[unknown, string]>([
    [{}, 'must have either `ask` or `mark`'],
    [{ ask: () => true, mark: true }, 'must have either `ask` or `mark`'],
    [{ ask: true }, 'ask: must be a function'],
    [{ mark: false }, 'mark: must be true'],
    [{ ask: () => true, always: ['write'] }, 'always: must be a list of patterns'],
    [{ ask: () => true, timeout: -1 }, 'timeout: must be a number of milliseconds'],
    [{ aks: () => true }, 'Did you mean "ask"?'],
  ])('bad options throw at once: %j', (options, text) => {
    expect(() => approval(options as ApprovalOptions)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });
});

describe('N8 ask', () => {
  test('N8 only `true` lets a call be made; the refusal says so and nothing is sent', async () => {
    expect(await attempt({ ask: () => true })).toEqual({ error: undefined, sent: 1 });
    expect(await attempt({ ask: async () => true })).toEqual({ error: undefined, sent: 1 });
    const { error, sent } = await attempt({ ask: () => false });
    expect(sent).toBe(0);
    expect(error).toMatchObject({ code: 'not_allowed', server: 'files', tool: 'write_file' });
    expect(error.message).toBe(
      'MCP server "files", tool "write_file": refused by approval, because it was not approved. Nothing was sent. ' +
        'Do not repeat the call unless the user wants it.',
    );
    for (const answer of ['true', 1, {}, null, undefined]) {
      const other = await attempt({ ask: () => answer as never });
      expect([other.error?.code, other.sent]).toEqual(['not_allowed', 0]);
    }
  });

  test('N8 an `ask` that throws, at once or later, refuses', async () => {
    const boom = new Error('secret-sentinel');
    for (const ask of [
      () => {
        throw boom;
      },
      () => Promise.reject(boom),
    ]) {
      const { error, sent } = await attempt({ ask });
      expect([error.code, sent]).toEqual(['not_allowed', 0]);
      expect(error.message).toContain('asking for approval failed');
      expect(error.message).not.toContain('sentinel');
    }
  });

  test('N8 an `ask` that hangs refuses when its time is up, is told, and a late yes is too late', async () => {
    let late = (_answer: boolean): void => {};
    let signal: AbortSignal | undefined;
    const { error, sent } = await attempt({
      timeout: 20,
      ask: (asking) => {
        signal = asking.signal;
        return new Promise((resolve) => {
          late = resolve;
        });
      },
    });
    expect(error).toMatchObject({ code: 'not_allowed' });
    expect(error.message).toContain('nobody approved of it within 20 ms');
    expect(signal?.aborted).toBe(true);
    late(true);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent).toBe(0);
  });

  test('an abort ends the wait at once, and leaves nothing behind', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = attempt({ ask: () => new Promise<boolean>(() => {}) }, call(WRITE, { signal }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(listeners(signal)).toBe(1);
    controller.abort();
    const { error, sent } = await waiting;
    expect([error.code, sent]).toEqual(['aborted', 0]);
    expect(listeners(signal)).toBe(0);
    let asks = 0;
    const after = await attempt({ ask: () => ++asks > 0 }, call(WRITE, { signal }));
    expect([after.error.code, asks]).toEqual(['aborted', 0]);
    const timed = await attempt({ ask: () => new Promise<boolean>(() => {}) }, call(WRITE, { signal: AbortSignal.timeout(10) }));
    expect([timed.error.code, timed.sent]).toEqual(['timeout', 0]);
  });

  test('an answer leaves no listener behind', async () => {
    const { signal } = new AbortController();
    await attempt({ ask: () => true }, call(WRITE, { signal }));
    await attempt({ ask: () => false }, call(WRITE, { signal }));
    expect(listeners(signal)).toBe(0);
  });

  test('N8 it sees the call, and the call goes on as it was', async () => {
    const input = call(WRITE, { input: { path: '/x' }, principal: { id: 'ann' } });
    let seen: ToolCall | undefined;
    let passed: ToolCall | undefined;
    const middleware = approval({
      ask(asking) {
        seen = asking;
        return true;
      },
    });
    await callThrough([middleware], async (last) => {
      passed = last;
      return OK;
    })(input);
    expect(seen).toMatchObject({ tool: WRITE, input: { path: '/x' }, principal: { id: 'ann' } });
    expect(passed).toMatchObject(input);
    expect(passed?.signal).toBeUndefined();
  });

  test('N8 no tools/call leaves for a tool that nobody was asked about', async () => {
    const middleware = approval({ ask: () => true });
    const sent: unknown[] = [];
    const send = requestThrough([middleware], async (last) => {
      sent.push(last);
      return OK;
    });
    const through = (inner: McpMiddleware) =>
      callThrough([middleware, inner], async (last) => (await send(request({ call: last }))) as typeof OK);
    const as = (definition: typeof WRITE): McpMiddleware => ({
      name: 'as',
      call: (input, next) => next({ ...input, tool: definition }),
    });
    await through(as(WRITE))(call(WRITE));
    await through(as(READ))(call(WRITE));
    expect(sent).toHaveLength(2);
    await expect(through(as(WRITE))(call(READ))).rejects.toMatchObject({ code: 'not_allowed', tool: 'write_file' });
    const other = { ...WRITE, originalName: 'delete_file' };
    await expect(through(as(other))(call(WRITE))).rejects.toMatchObject({ code: 'not_allowed', tool: 'delete_file' });
    await expect(send(request({ call: undefined }))).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(send(request({ call: call(WRITE) }))).rejects.toMatchObject({ code: 'not_allowed' });
    expect(sent).toHaveLength(2);
    await send(request({ method: 'resources/read', call: undefined }));
    expect(sent).toHaveLength(3);
  });

  test('N8 on a real server: the model is told, reads go on, and the hints of the moment count', async () => {
    const tools = structuredClone(TOOLS);
    const server = await fake({ tools });
    const names: string[] = [];
    const ask = ({ tool: { originalName } }: ToolCall): boolean => {
      names.push(originalName);
      return false;
    };
    const provider = provide({ servers: { s: { url: server.url } }, middleware: [approval({ ask })] });
    const record = await provider.tools();
    const model = plannedModel([{ toolName: 's_look' }, { toolName: 's_write' }]);
    await generateText({ model, tools: record, prompt: 'go', stopWhen: stopAfter(3) });
    const outputs = toolResultsOf(model).map(({ output }) => JSON.stringify(output));
    expect(outputs[1]).toMatch(/refused by approval/);
    expect([names, server.executed]).toEqual([['write'], ['look']]);
    Object.assign(tools[0]?.annotations ?? {}, { readOnlyHint: false });
    provider.refresh();
    expect(await failure(callTool(record, 's_look'))).toMatchObject({ code: 'not_allowed' });
    expect(names).toEqual(['write', 'look']);
  });

  test('N8 hints of a snapshot are verified before a call', async () => {
    const tools = structuredClone(TOOLS);
    const server = await fake({ tools });
    const servers = { s: { url: server.url } };
    const first = provide({ servers });
    await first.tools();
    const snapshot = first.snapshot();
    Object.assign(tools[0]?.annotations ?? {}, { readOnlyHint: false });
    for (const middleware of [approval({ ask: () => false }), approval({ mark: true })]) {
      const record = await provide({ servers, snapshot, middleware: [middleware] }).tools();
      expect(await failure(callTool(record, 's_look'))).toMatchObject({ code: 'not_allowed' });
    }
    expect(server.executed).toEqual([]);
  });

  test('an abort through the AI SDK’s own signal ends an approved call too', async () => {
    const server = await fake({ tools: TOOLS, intercept: silentTo('tools/call') });
    const record = await provide({ servers: { s: { url: server.url } }, middleware: [approval({ ask: () => true })] }).tools();
    const controller = new AbortController();
    const calling = failure(callTool(record, 's_write', {}, controller.signal));
    await expect.poll(() => server.log().includes('tools/call')).toBe(true);
    controller.abort();
    expect(await calling).toMatchObject({ code: 'aborted' });
  });
});

describe('N8 mark', () => {
  const requested = (parts: readonly { type: string }[]): string[] =>
    parts.flatMap((part) =>
      part.type === 'tool-approval-request' ? (part as never as { toolCall: { toolName: string } }).toolCall.toolName : [],
    );

  test('N8 the AI SDK asks the user, in either major, and calls nothing before', async () => {
    const server = await fake({ tools: TOOLS });
    const record = await provide({ servers: { s: { url: server.url } }, middleware: [approval({ mark: true })] }).tools();
    const model = plannedModel([{ toolName: 's_look' }, { toolName: 's_write' }]);
    const { content } = await generateText({ model, tools: record, prompt: 'go', stopWhen: stopAfter(3) });
    expect(requested(content)).toEqual(['s_write']);
    expect(server.executed).toEqual(['look']);
  });

  test('N8 a tool that was listed as read-only and is not any longer is refused', async () => {
    const tools = structuredClone(TOOLS);
    const server = await fake({ tools });
    const provider = provide({ servers: { s: { url: server.url } }, middleware: [approval({ mark: true })] });
    const record = await provider.tools();
    await callTool(record, 's_look');
    // Approved by the user by now, or it would not come here.
    await callTool(record, 's_write');
    Object.assign(tools[0]?.annotations ?? {}, { readOnlyHint: false });
    provider.refresh();
    const error = await failure(callTool(record, 's_look'));
    expect(error.message).toContain('its readOnlyHint is false, which it did not when it was listed');
    expect(server.executed).toEqual(['look', 'write']);
    // The application itself may.
    await provider.callTool({ server: 's', tool: 'look' });
  });

  test('N8 never takes a mark away, and keeps other settings', async () => {
    const marked = { ...READ, ai: { needsApproval: true, deferLoading: true } };
    const out = await listThrough([approval({ mark: true })], [marked, { ...WRITE, ai: { deferLoading: true } }, READ]);
    expect(out.map((one) => one.ai)).toEqual([
      { needsApproval: true, deferLoading: true },
      { needsApproval: true, deferLoading: true },
      { needsApproval: false },
    ]);
    expect(READ.ai).toBeUndefined();
  });
});

describe('tools of others', () => {
  const write = aiTool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'done' });
  const read = aiTool({ ...write, metadata: { annotations: { readOnlyHint: true } } } as typeof write);
  const careful = { ...read, needsApproval: () => true } as typeof write;

  test('N8 plain tools: asked by their metadata, marked, and their own say is kept', async () => {
    const names: string[] = [];
    const asks = approval({ ask: ({ tool: { originalName } }) => names.push(originalName) > 99 });
    const tools = await wrapToolSet({ tools: { write, read }, middleware: [asks] });
    expect(await execute(tools, 'read')).toBe('done');
    await expect(execute(tools, 'write')).rejects.toMatchObject({ code: 'not_allowed', tool: 'write' });
    expect(names).toEqual(['write']);
    const marked = await wrapToolSet({ tools: { write, read, careful }, middleware: [approval({ mark: true })] });
    expect(marked.write.needsApproval).toBe(true);
    expect(marked.read.needsApproval).toBeUndefined();
    expect(marked.careful.needsApproval).toBe(careful.needsApproval);
    expect(await execute(marked, 'write')).toBe('done');
  });

  test('N8 a streaming tool yields nothing before it is approved', async () => {
    let started = 0;
    const stream = aiTool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      async *execute() {
        started++;
        yield 1;
        yield 2;
      },
    });
    const collect = async (answer: boolean): Promise<unknown[]> => {
      const tools = await wrapToolSet({ tools: { stream }, middleware: [approval({ ask: () => answer })] });
      const values: unknown[] = [];
      const yielded = tools.stream.execute?.({}, executeOptions()) ?? [];
      for await (const value of yielded as AsyncIterable<unknown>) values.push(value);
      return values;
    };
    await expect(collect(false)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(started).toBe(0);
    expect(await collect(true)).toEqual([1, 2]);
  });

  test('N8 the tools of @ai-sdk/mcp', async () => {
    const server = await fake({ tools: TOOLS });
    const tools = await wrapToolSet({
      tools: await connectorTools(String(server.url)),
      middleware: [approval({ ask: () => false })],
    });
    await execute(tools, 'look');
    await expect(execute(tools, 'write')).rejects.toMatchObject({ code: 'not_allowed' });
    expect(server.executed).toEqual(['look']);
  });
});

describe('mcpApproval', () => {
  const ask = (policy: Parameters<typeof mcpApproval>[0], toolName: string, tools?: object, more: object = {}) =>
    mcpApproval(policy)({ toolCall: { toolName, toolCallId: 'c1', input: {}, ...more }, tools, messages: [] });
  const asks = (reason: string) => ({ type: 'user-approval', reason });

  test('N8 goes by server, own name and hints of the tool’s metadata', async () => {
    const server = await fake({ tools: TOOLS, resources: [] });
    const record = await provide({ servers: { s: { url: server.url } } }).tools();
    expect(await ask({}, 's_look', record)).toBe('not-applicable');
    expect(await ask({}, 's_write', record)).toEqual(asks('its readOnlyHint is false.'));
    expect(await ask({ never: ['s/write'] }, 's_write', record)).toBe('not-applicable');
    expect(await ask({ always: ['*/look'] }, 's_look', record)).toEqual(asks('it matches the pattern "*/look" of always.'));
    expect(await ask({ trust: ['docs'] }, 's_look', record)).toEqual(asks('its server is not in trust.'));
    expect(await ask({ trust: [] }, 'get_resource', record)).toBe('not-applicable');
    const tools = await connectorTools(String(server.url));
    expect(await ask({}, 'look', tools)).toBe('not-applicable');
    expect(await ask({}, 'write', tools)).toEqual(asks('its readOnlyHint is false.'));
  });

  test('N8 metadata of a call that came with the client’s history proves nothing', async () => {
    const server = await fake({ tools: TOOLS });
    const record = await provide({ servers: { s: { url: server.url } } }).tools();
    const toolMetadata = { server: 's', toolName: 'look', annotations: { readOnlyHint: true } };
    expect(await ask({}, 's_write', record, { toolMetadata })).toEqual(asks('its readOnlyHint is false.'));
    // Without a record there is nothing else to go by.
    expect(await ask({}, 's_write', undefined, { toolMetadata: { ...toolMetadata, annotations: {} } })).toEqual(
      asks('it has no readOnlyHint.'),
    );
  });

  test('N8 other tools keep their own say, which fails closed', async () => {
    const own = { inputSchema: jsonSchema({ type: 'object' }) };
    const seen: unknown[] = [];
    const tools = {
      plain: own,
      careful: { ...own, needsApproval: true },
      depends: { ...own, needsApproval: (...all: unknown[]) => seen.push(all) > 1 },
      broken: { ...own, needsApproval: () => Promise.reject(new Error('boom')) },
      marked: { ...own, needsApproval: true, metadata: { server: 's', toolName: 'look', annotations: { readOnlyHint: true } } },
    };
    expect(await ask({}, 'plain', tools)).toBe('not-applicable');
    expect(await ask({}, 'toString', tools)).toBe('not-applicable');
    expect(await ask({}, 'careful', tools)).toEqual({ type: 'user-approval' });
    expect(await ask({}, 'depends', tools)).toBe('not-applicable');
    expect(await ask({}, 'depends', tools)).toEqual({ type: 'user-approval' });
    expect(seen[0]).toEqual([{}, { toolCallId: 'c1', messages: [], context: undefined }]);
    expect(await ask({}, 'broken', tools)).toEqual({ type: 'user-approval' });
    expect(await ask({}, 'marked', tools)).toEqual({ type: 'user-approval' });
  });

  test('bad options throw at once', () => {
    expect(() => mcpApproval({ allways: [] } as never)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    expect(() => mcpApproval({ never: ['look'] })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });

  const isSeven = 'isStepCount' in ai;
  test.skipIf(!isSeven)(`N8 ai 7 takes it as toolApproval${isSeven ? '' : ' (left out: ai 6 has none)'}`, async () => {
    const server = await fake({ tools: TOOLS });
    const record = await provide({ servers: { s: { url: server.url } } }).tools();
    const own = aiTool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => 'own', needsApproval: true });
    const model = plannedModel([{ toolName: 's_look' }, { toolName: 's_write' }, { toolName: 'own' }]);
    const { content } = await generateText({
      model,
      tools: { ...record, own } as ToolSet,
      prompt: 'go',
      stopWhen: stopAfter(3),
      toolApproval: mcpApproval(),
    });
    const requests = content.filter(({ type }) => type === 'tool-approval-request');
    expect(requests).toMatchObject([{ toolCall: { toolName: 's_write' } }, { toolCall: { toolName: 'own' } }]);
    expect(server.executed).toEqual(['look']);
  });
});
