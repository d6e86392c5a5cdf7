import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { generateText, streamText, ToolLoopAgent, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { McpMiddleware, McpWarning } from '../../src/index.ts';
import {
  closeToolSet,
  createMcpToolProvider,
  createMcpToolSet,
  inspectToolSet,
  listMcpTools,
  McpToolSetError,
} from '../../src/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { FILESYSTEM } from '../support/reference.ts';

const DEAD = 'http://127.0.0.1:1/mcp';
const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);

describe('the record', () => {
  it('L4J-01 TNX-01 many servers, one record, connected in parallel', async () => {
    let waiting = 0;
    let most = 0;
    const intercept = async () => {
      most = Math.max(most, ++waiting);
      await new Promise((resolve) => setTimeout(resolve, 50));
      waiting--;
      return undefined;
    };
    const [a, b, c] = await Promise.all([fake({ intercept }), fake({ intercept }), fake({ intercept })]);
    const tools = await toolSet({ servers: { a: { url: a.url }, b: { url: b.url }, c: { url: c.url } } });
    expect(Object.keys(tools)).toEqual(['a_echo', 'b_echo', 'c_echo']);
    expect(most).toBeGreaterThanOrEqual(3);
  });

  it('L4J-02 the key is in names, rows, errors and spans', async () => {
    const server = await fake({
      resources: [{ uri: 'test://r', name: 'r' }],
      tools: [{ name: 'bad', result: { isError: true, content: [{ type: 'text', text: 'no' }] } }],
    });
    const exporter = new InMemorySpanExporter();
    const tracer = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
    const tools = await toolSet({ servers: { books: { url: server.url } }, middleware: [tracing({ tracer })] });
    expect(Object.keys(tools)).toContain('books_bad');
    expect(await tools.list_resources?.execute?.({}, executeOptions())).toMatchObject({
      content: [{ text: expect.stringContaining('"mcpServer":"books"') }],
    });
    await expect(tools.books_bad?.execute?.({}, executeOptions())).rejects.toMatchObject({
      server: 'books',
      tool: 'bad',
      message: expect.stringContaining('"books"'),
    });
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toContain('tools/call bad');
    expect(new Set(spans.map(({ attributes }) => attributes['mcp_tool_set.server']))).toEqual(new Set(['books']));
  });

  it('CARD-05 works in generateText, streamText and ToolLoopAgent, beside tools of one’s own', async () => {
    const server = await fake();
    const mcp = await toolSet({ servers: { s: { url: server.url } } });
    const own = tool({ description: 'doubles', inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n * 2 });
    const tools = { ...mcp, own };
    const steps = [
      [
        { toolName: 's_echo', input: { a: 1 } },
        { toolName: 'own', input: { n: 21 } },
      ],
    ];
    const expected = [
      { toolName: 's_echo', output: { type: 'text', value: 'echo {"a":1}' } },
      { toolName: 'own', output: { type: 'json', value: 42 } },
    ];

    const generated = plannedModel(...steps);
    await generateText({ model: generated, tools, prompt: 'go', stopWhen: stopAfter(3) });
    expect(toolResultsOf(generated)).toEqual(expected);

    const streamed = plannedModel(...steps);
    const result = streamText({ model: streamed, tools, prompt: 'go', stopWhen: stopAfter(3) });
    expect(await result.text).toBe('done');
    expect(toolResultsOf(streamed, true)).toEqual(expected);

    const agent = plannedModel(...steps);
    await new ToolLoopAgent({ model: agent, tools, stopWhen: stopAfter(3) }).generate({ prompt: 'go' });
    expect(toolResultsOf(agent)).toEqual(expected);
  });

  it('has no string key but tools, and a spread of it keeps its report and its end', async () => {
    const server = await fake();
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(Object.getPrototypeOf(tools)).toBe(null);
    expect(Reflect.ownKeys(tools).filter((key) => typeof key === 'string')).toEqual(['s_echo']);
    const spread = { ...tools, own: 1 };
    expect(inspectToolSet(spread).servers.s?.state).toBe('connected');
    await closeToolSet(spread);
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('closed'));
  });

  it('I10 is the same for the same servers, whatever order they answer in', async () => {
    const delays = [0, 60];
    const shots: string[] = [];
    for (const delay of [delays, [...delays].reverse()]) {
      const servers = await Promise.all(
        delay.map((ms) =>
          fake({
            tools: [{ name: 'b' }, { name: 'a' }],
            intercept: async () => void (await new Promise((resolve) => setTimeout(resolve, ms))),
          }),
        ),
      );
      const tools = await toolSet({ servers: Object.fromEntries(servers.map(({ url }, index) => [`s${index}`, { url }])) });
      shots.push(JSON.stringify(tools));
    }
    expect(shots[0]).toBe(shots[1]);
  });
});

describe('what servers get wrong costs only themselves', () => {
  it.each([
    ['its schema', { inputSchema: { type: 'object', properties: { a: { default: null } } } }],
    ['its annotations', { annotations: { odd: null } }],
  ])('N9 a definition that nests without end in %s is dropped, and its neighbours stay', async (_, parts) => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const bad = JSON.stringify({ name: 'bad', inputSchema: { type: 'object' }, ...parts }).replace('null', deep);
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/list') return false;
        const body = `{"jsonrpc":"2.0","id":${message.id},"result":{"tools":[${bad},{"name":"good","inputSchema":{"type":"object"}}]}}`;
        return Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end(body));
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(Object.keys(tools)).toEqual(['s_good']);
    expect(inspectToolSet(tools).notes).toMatchObject([{ originalName: 'bad', what: 'dropped' }]);
  });

  it('content that is no list is still what the tool said', async () => {
    const server = await fake({
      tools: [
        { name: 'text', result: { content: 'plain' } },
        { name: 'block', result: { content: { type: 'text', text: 'one block' } } },
        { name: 'failed', result: { isError: true, content: 'the reason' } },
      ],
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(await tools.s_text?.execute?.({}, executeOptions())).toEqual({ content: [{ type: 'text', text: 'plain' }] });
    expect(await tools.s_block?.execute?.({}, executeOptions())).toEqual({ content: [{ type: 'text', text: 'one block' }] });
    await expect(tools.s_failed?.execute?.({}, executeOptions())).rejects.toThrow(/the reason/);
  });
});

describe('names', () => {
  it('L4J-06 TNX-09 a mapped tool still calls its original name', async () => {
    const server = await fake({ tools: [{ name: 'read file' }] });
    const servers = { 'my docs': { url: server.url } };
    expect(Object.keys(await toolSet({ servers })).join()).toMatch(/^my_docs_read_file/);
    for (const options of [
      { toolName: () => 'chosen' },
      { mapTool: (each: { name: string }) => ({ ...each, name: 'chosen', originalName: 'evil', description: 'new' }) as never },
    ]) {
      const tools = await toolSet({ servers, ...options });
      expect(Object.keys(tools)).toEqual(['chosen']);
      await tools.chosen?.execute?.({}, executeOptions());
      expect(server.executed.at(-1)).toBe('read file');
    }
  });

  it('L4J-07 equal names from a mapper of one’s own name both owners', async () => {
    const [a, b] = await Promise.all([fake(), fake()]);
    const made = createMcpToolSet({
      servers: { a: { url: a.url }, b: { url: b.url } },
      toolName: () => 'same',
      onWarning: false,
    });
    await expect(made).rejects.toThrow(coded('name_conflict'));
    await expect(made).rejects.toThrow(/"a".*"b"/);
  });
});

describe('failing servers', () => {
  it('L4J-08 A4 TNX-08 a failing server costs its own tools, or everything where it is required', async () => {
    const server = await fake();
    const warnings: McpWarning[] = [];
    const servers = {
      good: { url: server.url },
      dead: { url: DEAD },
      off: { url: DEAD, enabled: false },
      gone: stdio({ command: 'no-such-command-here' }),
    };
    const tools = await toolSet({ servers, onWarning: (warning) => warnings.push(warning) });
    expect(Object.keys(tools)).toEqual(['good_echo']);
    const { servers: status } = inspectToolSet(tools);
    expect(Object.fromEntries(Object.entries(status).map(([key, { state }]) => [key, state]))).toEqual({
      good: 'connected',
      dead: 'failed',
      off: 'disabled',
      gone: 'failed',
    });
    expect(status.gone?.error?.message).toMatch(/"gone".*no-such-command-here/);
    expect(warnings.map(({ kind, server }) => [kind, server])).toEqual([
      ['server_failed', 'dead'],
      ['server_failed', 'gone'],
    ]);

    await expect(createMcpToolSet({ servers, onServerError: 'throw', onWarning: false })).rejects.toMatchObject({
      code: 'unavailable',
      server: 'dead',
    });
    await expect(
      createMcpToolSet({ servers: { good: { url: server.url }, dead: { url: DEAD, required: true } }, onWarning: false }),
    ).rejects.toMatchObject({ server: 'dead' });
    await expect(
      createMcpToolSet({ servers: { dead: { url: DEAD, required: false } }, onServerError: 'throw', onWarning: false }),
    ).resolves.toBeDefined();
  });

  it.each([
    [401, 'needs_auth', 'unauthorized'],
    [403, 'failed', 'forbidden'],
    [500, 'failed', 'http_error'],
  ])('a server that answers %i is %s', async (status, state, code) => {
    const server = await fake({ intercept: (_, response) => Boolean(response.writeHead(status).end('no')) });
    const tools = await toolSet({ servers: { s: { url: `${server.url}?key=sentinel-secret` } } });
    expect(inspectToolSet(tools).servers.s).toMatchObject({ state, error: { code, message: expect.stringContaining('"s"') } });
    expect(JSON.stringify(inspectToolSet(tools).servers)).not.toContain('sentinel-secret');
  });

  it('B14 a server that answers HTML is described', async () => {
    const server = await fake({
      intercept: (_, response) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>')),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(inspectToolSet(tools).servers.s?.error).toMatchObject({
      code: 'bad_response',
      message: expect.stringContaining('Please log in'),
    });
  });

  it('A13 a server that never answers ends at its connect budget, and leaves no socket', async () => {
    const server = await fake({ intercept: () => new Promise(() => {}) });
    const tools = await toolSet({ servers: { s: { url: server.url, timeouts: { connect: 200 } } } });
    expect(inspectToolSet(tools).servers.s?.error).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('timeouts.connect'),
    });
    // The runtime's own fetch keeps an idle socket for some seconds.
    await expect.poll(() => server.sockets.size, { timeout: 10_000 }).toBe(0);
  });

  it('`ready` bounds the waiting, not the connecting', async () => {
    let slow = true;
    const server = await fake({
      intercept: async () => void (slow && (await new Promise((resolve) => setTimeout(resolve, 150)))),
    });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, timeouts: { ready: 50 }, onWarning: false });
    expect(inspectToolSet(await provider.tools()).servers.s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    await expect.poll(() => server.log()).toContain('tools/list');
    slow = false;
    await expect.poll(async () => Object.keys(await provider.tools())).toEqual(['s_echo']);
    expect(server.log().filter((method) => method === 'initialize')).toHaveLength(1);
    await provider.close();
  });

  it('tells of an empty record', async () => {
    const warnings: string[] = [];
    await toolSet({ servers: { s: { url: DEAD } }, onWarning: ({ kind }) => warnings.push(kind) });
    expect(warnings).toEqual(['server_failed', 'no_tools']);
  });
});

describe('middleware', () => {
  const around = (name: string, log: string[]): McpMiddleware => ({
    name,
    call: async (call, next) => {
      log.push(`${name} call ${call.tool.originalName}`);
      return next(call);
    },
    request: async (request, next) => {
      log.push(`${name} ${request.method}`);
      return next(request);
    },
  });

  it('L4J-09 wraps every call, the resource tools included; first listed is outermost, calls outside requests', async () => {
    const server = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const log: string[] = [];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [around('a', log), around('b', log)] });
    expect(log.filter((line) => line.startsWith('a'))).toEqual(['a server/discover', 'a initialize', 'a tools/list']);
    log.length = 0;
    await tools.s_echo?.execute?.({}, executeOptions());
    expect(log).toEqual(['a call echo', 'b call echo', 'a tools/call', 'b tools/call']);
    await tools.list_resources?.execute?.({}, executeOptions());
    log.length = 0;
    await tools.get_resource?.execute?.({ mcpServer: 's', uri: 'test://r' }, executeOptions());
    expect(log).toEqual(['a call get_resource', 'b call get_resource', 'a resources/read', 'b resources/read']);
  });

  it('may skip next, call it again, and change a copy of the input', async () => {
    const server = await fake();
    const twice: McpMiddleware = {
      name: 'twice',
      request: async (request, next) => {
        if (request.method === 'tools/call') await next(request);
        return next(request);
      },
    };
    const change: McpMiddleware = { name: 'change', call: (call, next) => next({ ...call, input: { changed: true } }) };
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [change, twice] });
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {"changed":true}' }] });
    expect(server.executed).toEqual(['echo', 'echo']);
    const skip: McpMiddleware = { name: 'skip', call: async () => ({ content: [{ type: 'text', text: 'cached' }] }) };
    const skipped = await toolSet({ servers: { s: { url: server.url } }, middleware: [skip] });
    expect(await skipped.s_echo?.execute?.({}, executeOptions())).toEqual({ content: [{ type: 'text', text: 'cached' }] });
    expect(server.executed).toHaveLength(2);
  });

  it.each([undefined, [null], ['x']])('a list hook that returns %j is named', async (garbage) => {
    const server = await fake();
    const broken = { name: 'broken', list: async () => garbage } as unknown as McpMiddleware;
    const made = createMcpToolSet({ servers: { s: { url: server.url } }, middleware: [broken] });
    await expect(made).rejects.toThrow(coded('config_invalid'));
    await expect(made).rejects.toThrow(/"broken"/);
  });

  it('a list hook can hide, rename and add; what it hid is in the report and told once', async () => {
    const server = await fake({ tools: [{ name: 'one' }, { name: 'two' }] });
    const warnings: string[] = [];
    const edit: McpMiddleware = {
      name: 'edit',
      list: async (all, next) => {
        const kept = (await next(all))
          .filter(({ originalName }) => originalName !== 'two')
          .map((each) => ({ ...each, name: 'first' }));
        const run = async () => ({ content: [{ type: 'text' as const, text: 'ran' }] });
        return [
          ...kept,
          {
            name: 'extra',
            server: '*',
            originalName: 'extra',
            kind: 'added',
            inputSchema: { type: 'object', properties: {} },
            run,
          },
        ];
      },
    };
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url } },
      middleware: [edit],
      onWarning: ({ message }) => warnings.push(message),
    });
    const tools = await provider.tools();
    await provider.tools();
    expect(Object.keys(tools)).toEqual(['extra', 'first']);
    expect(await tools.extra?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'ran' }] });
    expect(inspectToolSet(tools).notes).toContainEqual({ server: 's', originalName: 'two', what: 'hidden', why: 'by edit' });
    expect(warnings).toEqual(['1 tools were hidden by edit: s/two']);
    await provider.close();
  });
});

describe('the rest of the options', () => {
  it('L4J-10 `resources: false` leaves the resource tools out; they are read-only by annotation (TNX-13)', async () => {
    const server = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const servers = { s: { url: server.url } };
    expect(Object.keys(await toolSet({ servers, resources: false }))).toEqual(['s_echo']);
    const tools = await toolSet({ servers });
    expect(tools.list_resources?.metadata).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(tools.get_resource?.metadata).toMatchObject({ annotations: { readOnlyHint: true } });
  });

  it('L4J-20 `clientInfo` and `protocol` arrive', async () => {
    const server = await fake();
    await toolSet({ servers: { s: { url: server.url } }, clientInfo: { name: 'my-app', version: '7' }, protocol: '2025-03-26' });
    const initialize = server.requests.find(({ message }) => message.method === 'initialize');
    expect(initialize?.message.params).toMatchObject({
      protocolVersion: '2025-03-26',
      clientInfo: { name: 'my-app', version: '7' },
    });
    expect(server.log()).not.toContain('server/discover');
  });

  it('TNX-17 every tool says whose it is', async () => {
    const server = await fake();
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(tools.s_echo?.metadata).toMatchObject({ server: 's', toolName: 'echo' });
  });

  it('filters and patterns are on original names; a pattern that matches nothing is told', async () => {
    const server = await fake({ tools: [{ name: 'read_a' }, { name: 'read_b' }, { name: 'write_a' }] });
    const warnings: string[] = [];
    const tools = await toolSet({
      servers: { s: { url: server.url, tools: { allow: ['read_*', 'nothing'], deny: ['*_b'] } } },
      filter: [({ originalName }) => originalName.endsWith('a'), async () => true],
      onWarning: ({ kind }) => warnings.push(kind),
    });
    expect(Object.keys(tools)).toEqual(['s_read_a']);
    expect(warnings).toEqual(['pattern_unmatched']);
  });

  it('mapResult changes what the model and the application see', async () => {
    const server = await fake();
    const tools = await toolSet({
      servers: { s: { url: server.url } },
      mapResult: (result) => ({ ...result, content: [{ type: 'text', text: 'mapped' }] }),
    });
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'mapped' }] });
  });
});

describe('listMcpTools', () => {
  it('TNX-07 lists original names, unfiltered, with a status for each, and disconnects', async () => {
    const server = await fake({ tools: [{ name: 'a.b' }, { name: 'c' }] });
    const { tools, status } = await listMcpTools({
      s: { url: server.url, tools: { allow: ['c'] } },
      files: stdio({ command: process.execPath, args: [FILESYSTEM, '.'] }),
      dead: { url: DEAD },
    });
    expect(tools.filter((each) => each.server === 's').map(({ name }) => name)).toEqual(['a.b', 'c']);
    expect(status).toMatchObject({
      s: { state: 'connected', tools: 2 },
      files: { state: 'connected', tools: 14 },
      dead: { state: 'failed' },
    });
    expect(server.sessions.size).toBe(0);
  });
});
