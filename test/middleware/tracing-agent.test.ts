import { OpenTelemetry } from '@ai-sdk/otel';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import * as ai from 'ai';
import * as ai6 from 'ai6';
import { describe, expect, test } from 'vitest';
import { type McpMiddleware, type McpToolSet, wrapToolSet } from '../../src/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { count, provide, refuse, silentTo } from '../provider/support.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { plannedModel } from '../support/model.ts';
import { connectorTools, execute, listeners } from './foreign.ts';
import { telemetry, traceparentOf } from './tracing-support.ts';

type Run = (tools: object, toolName: string, input?: object) => Promise<unknown>;

/** The AI SDK's own tracing in either major: what it is asked for, and what it calls a tool's span. */
const SEVEN: { title: string; toolSpan: (tool: string) => string; run: Run } = {
  title: 'ai 7 with @ai-sdk/otel',
  toolSpan: (tool) => `execute_tool ${tool}`,
  run: (tools, toolName, input = {}) =>
    ai.generateText({
      model: plannedModel([{ toolName, input }]),
      tools: tools as ai.ToolSet,
      prompt: 'go',
      stopWhen: ai.isStepCount(3),
      telemetry: { integrations: new OpenTelemetry() },
    }),
};
const SIX: typeof SEVEN = {
  title: 'ai 6 with experimental_telemetry',
  toolSpan: () => 'ai.toolCall',
  run: (tools, toolName, input = {}) =>
    ai6.generateText({
      model: plannedModel([{ toolName, input }]) as never,
      tools: tools as never,
      prompt: 'go',
      stopWhen: ai6.stepCountIs(3) as never,
      experimental_telemetry: { isEnabled: true },
    }),
};
// Run against ai 6, `ai` is that.
const MAJORS = 'isStepCount' in ai ? [SEVEN, SIX] : [SIX];

const connecting = (server: { url: string }, ...middleware: McpMiddleware[]): Promise<McpToolSet> =>
  toolSet({ servers: { docs: { url: server.url } }, middleware });

describe.each(MAJORS)('under $title', ({ toolSpan, run }) => {
  test('L4 a call has a CLIENT span under the one of the AI SDK, and both have the attributes of MCP', async () => {
    const sdk = telemetry();
    const server = await fake();
    await run(await connecting(server, tracing()), 'docs_echo');
    const [outer, own] = [sdk.span(toolSpan('docs_echo')), sdk.span('tools/call echo')];
    expect(own.kind).toBe(SpanKind.CLIENT);
    expect(own.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    for (const { attributes } of [outer, own]) {
      expect(attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'server.port': server.port });
    }
  });

  test("L4 enrich: 'instead' makes no span beside the one of the AI SDK, which gets the attributes of MCP", async () => {
    const sdk = telemetry();
    const server = await fake();
    const tools = await connecting(
      server,
      tracing({ enrich: 'instead', attributes: ({ principal }) => ({ 'app.tenant': principal?.id ?? 'none' }) }),
    );
    await run(tools, 'docs_echo', { word: 'SENTINEL' });
    const span = sdk.span(toolSpan('docs_echo'));
    expect(span.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'mcp_tool_set.server': 'docs',
      'mcp_tool_set.tool': 'echo',
      'jsonrpc.request.id': expect.any(String),
      'mcp.protocol.version': expect.stringMatching(/^20/),
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': server.port,
      'app.tenant': 'none',
    });
    expect(span.attributes).not.toHaveProperty('error.type');
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(sdk.spans().filter(({ name }) => name.startsWith('tools/call'))).toEqual([]);
    expect(await sdk.histogram('mcp.client.operation.duration')).toContainEqual(
      expect.objectContaining({ attributes: expect.objectContaining({ 'gen_ai.tool.name': 'echo' }) }),
    );
  });

  test('L1 the server is told of that span, in _meta and in headers', async () => {
    const sdk = telemetry();
    const server = await fake();
    const tools = await connecting(server, tracing({ enrich: 'instead' }));
    await run(tools, 'docs_echo');
    const told = traceparentOf(sdk.span(toolSpan('docs_echo')));
    const received = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(received?.message.params?._meta).toMatchObject({ traceparent: told });
    expect(received?.headers.traceparent).toBe(told);
  });

  test('L4 enrich: false makes a CLIENT span below it', async () => {
    const sdk = telemetry();
    const server = await fake();
    await run(await connecting(server, tracing({ enrich: false })), 'docs_echo');
    const [outer, own] = [sdk.span(toolSpan('docs_echo')), sdk.span('tools/call echo')];
    expect(own.kind).toBe(SpanKind.CLIENT);
    expect(own.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(outer.attributes).not.toHaveProperty('mcp.method.name');
  });

  test('L4 a failed call sets error.type there, once, by how its last attempt ended', async () => {
    const sdk = telemetry();
    const twice: McpMiddleware = { name: 'twice', request: (input, next) => next(input).catch(() => next(input)) };
    let refusals = 0;
    const server = await fake({
      tools: [{ name: 'echo' }, { name: 'broken', result: { content: [], isError: true } }],
      intercept: (received, response) => {
        const { method, params } = received.message;
        return method === 'tools/call' && params?.name === 'echo' && refusals++ < 1 ? refuse(received, response, -32001) : false;
      },
    });
    const tools = await connecting(server, twice, tracing({ enrich: 'instead' }));
    await run(tools, 'docs_echo');
    const healed = sdk.span(toolSpan('docs_echo'));
    expect(healed.attributes).toMatchObject({ 'mcp.method.name': 'tools/call' });
    expect(healed.attributes).not.toHaveProperty('error.type');
    const second = sdk.span('tools/call echo');
    expect(second.parentSpanContext?.spanId).toBe(healed.spanContext().spanId);
    expect(count(server, 'tools/call')).toBe(2);

    await run(tools, 'docs_broken');
    const broken = sdk
      .spans()
      .filter(({ name, attributes }) => name === toolSpan('docs_broken') && attributes !== healed.attributes);
    expect(broken.at(-1)?.attributes['error.type']).toBe('tool_error');
    expect(broken.at(-1)?.status.code).toBe(SpanStatusCode.ERROR);
  });

  test('L4 what a tool of the application calls by itself is not that tool', async () => {
    const sdk = telemetry();
    const server = await fake();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    const own = ai.tool({
      inputSchema: ai.jsonSchema({ type: 'object' }),
      execute: () => provider.callTool({ server: 'docs', tool: 'echo' }),
    });
    await run({ own }, 'own');
    const [outer, inner] = [sdk.span(toolSpan('own')), sdk.span('tools/call echo')];
    expect(outer.attributes).not.toHaveProperty('mcp.method.name');
    expect(inner.spanContext().traceId).toBe(outer.spanContext().traceId);
  });

  test('around tools that are not ours: enriched too, and what they do is under the span', async () => {
    const sdk = telemetry();
    const weather = ai.tool({
      inputSchema: ai.jsonSchema({ type: 'object' }),
      execute: async () => {
        trace.getTracer('inside').startSpan('inside').end();
        return 'sun';
      },
    });
    await run(await wrapToolSet({ tools: { weather }, middleware: [tracing({ enrich: 'instead' })] }), 'weather');
    const outer = sdk.span(toolSpan('weather'));
    expect(outer.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'mcp_tool_set.server': 'tools' });
    expect(sdk.span('inside').parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });
});

test("around the tools of the AI SDK's own connector: a span and a duration for each call, and for one that is aborted", async () => {
  const sdk = telemetry();
  const silent = silentTo('tools/call');
  let quiet = false;
  const server = await fake({ intercept: (received, response) => quiet && silent(received, response) });
  const tools = await wrapToolSet({ tools: await connectorTools(server.url), middleware: [tracing()], server: 'docs' });
  await execute(tools, 'echo', { word: 'x' });
  expect(sdk.span('tools/call echo').attributes).toMatchObject({ 'mcp_tool_set.server': 'docs', 'gen_ai.tool.name': 'echo' });
  quiet = true;
  const controller = new AbortController();
  const running = execute(tools, 'echo', {}, { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  await expect(running).rejects.toThrow();
  expect(listeners(controller.signal)).toBe(0);
  const aborted = sdk.spans().at(-1);
  expect(aborted?.name).toBe('tools/call echo');
  expect(aborted?.status.code).toBe(SpanStatusCode.ERROR);
  const points = await sdk.histogram('mcp.client.operation.duration');
  expect(points.map(({ value }) => value.count)).toEqual([1, 1]);
});
