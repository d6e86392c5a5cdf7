import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenTelemetry } from '@ai-sdk/otel';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import * as ai from 'ai';
import { generateText } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectToolSet, McpToolSetError } from '../../src/index.ts';
import { rateLimit, readOnly } from '../../src/middleware/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { FILESYSTEM, startEverything } from '../support/reference.ts';

const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);

describe('CARD-02 the three middlewares on a real set', () => {
  let exporter: InMemorySpanExporter;
  let provider: NodeTracerProvider;
  beforeEach(() => {
    exporter = new InMemorySpanExporter();
    provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
  });
  afterEach(async () => {
    trace.disable();
    context.disable();
    propagation.disable();
    await provider.shutdown();
  });
  const named = (name: string): ReadableSpan | undefined => exporter.getFinishedSpans().find((span) => span.name === name);

  /** ai 7 takes an integration for each call, ai 6 a tracer. */
  const telemetry = (): object =>
    'isStepCount' in ai
      ? { telemetry: { integrations: [new OpenTelemetry()] } }
      : { experimental_telemetry: { isEnabled: true, tracer: trace.getTracer('ai') } };

  it('CARD-02 readOnly keeps what a real server marks, and says once what it hid', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-tool-set-'));
    const told: string[] = [];
    const tools = await toolSet({
      servers: { files: stdio({ command: process.execPath, args: [FILESYSTEM, folder] }) },
      middleware: [readOnly()],
      onWarning: ({ kind, message }) => told.push(`${kind}: ${message}`),
    });
    expect(Object.keys(tools)).toEqual(expect.arrayContaining(['files_read_text_file', 'files_list_directory']));
    expect(Object.keys(tools).filter((name) => /write|edit|move|create/.test(name))).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/tools_hidden.*by readOnly.*files\/write_file/);
    expect(inspectToolSet(tools).notes).toContainEqual({
      server: 'files',
      originalName: 'write_file',
      what: 'hidden',
      why: 'by readOnly',
      rule: 'its readOnlyHint is false',
    });
    await writeFile(join(folder, 'a.txt'), 'hello');
    expect(await tools.files_read_text_file?.execute?.({ path: join(folder, 'a.txt') }, executeOptions())).toMatchObject({
      content: [{ text: 'hello' }],
    });
    await rm(folder, { recursive: true });
  });

  it('N8 a hint that flips after the record was made is refused at call time, and nothing is sent', async () => {
    const annotations = { readOnlyHint: true };
    const server = await fake({ tools: [{ name: 'look', annotations }] });
    const set = await toolSet({ servers: { s: { url: server.url } }, middleware: [readOnly()] });
    expect(await set.s_look?.execute?.({}, executeOptions())).toBeDefined();
    annotations.readOnlyHint = false;
    const { provider } = inspectToolSet(set);
    provider.refresh();
    expect(Object.keys(await provider.tools())).toEqual([]);
    await expect(set.s_look?.execute?.({}, executeOptions())).rejects.toThrow(coded('not_allowed'));
    expect(server.executed).toEqual(['look']);
  });

  it('a tool that its server took back gives a clear error to a run that still has it', async () => {
    const tools = [{ name: 'one' }, { name: 'two' }];
    const server = await fake({ tools });
    const set = await toolSet({ servers: { s: { url: server.url } } });
    tools.pop();
    inspectToolSet(set).provider.refresh();
    await inspectToolSet(set).provider.tools();
    await expect(set.s_two?.execute?.({}, executeOptions())).rejects.toThrow(coded('tool_not_found'));
    expect(await set.s_one?.execute?.({}, executeOptions())).toBeDefined();
  });

  it('L4J-19 M4 past the limit the model is told when to try again; another principal is not slowed', async () => {
    const server = await fake();
    const limiter = rateLimit({ limit: 2, interval: 60_000, maxWait: 0 });
    const set = await toolSet({ servers: { s: { url: server.url } }, middleware: [limiter], principal: { id: 'a' } });
    const model = plannedModel([{ toolName: 's_echo' }, { toolName: 's_echo' }, { toolName: 's_echo' }]);
    await generateText({ model, tools: set, prompt: 'go', stopWhen: stopAfter(3) });
    const outputs = toolResultsOf(model).map(({ output }) => JSON.stringify(output));
    expect(outputs.filter((output) => output.includes('error-text'))).toHaveLength(1);
    expect(outputs.find((output) => output.includes('error-text'))).toMatch(/\b(59|60) s/);
    const other = await inspectToolSet(set).provider.tools({ principal: { id: 'b' } });
    expect(await other.s_echo?.execute?.({}, executeOptions())).toBeDefined();
    expect(limiter.usage()).toHaveLength(2);
    expect(server.executed).toHaveLength(3);
  });

  it('L4J-18 L1 a span for each request, handshake included, under the AI SDK’s own tool span, and its trace goes on in the server', async () => {
    const server = await fake();
    const set = await toolSet({ servers: { s: { url: server.url } }, middleware: [tracing()] });
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['server/discover', 'initialize', 'tools/list']);
    expect(named('initialize')?.kind).toBe(SpanKind.CLIENT);
    exporter.reset();

    const model = plannedModel([{ toolName: 's_echo', input: { secret: 'sentinel-secret' } }]);
    await generateText({ model, tools: set, prompt: 'go', stopWhen: stopAfter(3), ...telemetry() });
    const call = named('tools/call echo');
    expect(call?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'echo',
      'network.transport': 'tcp',
      'server.address': '127.0.0.1',
      'server.port': server.port,
      'mcp.protocol.version': '2025-11-25',
    });
    const parent = exporter.getFinishedSpans().find((span) => span.spanContext().spanId === call?.parentSpanContext?.spanId);
    expect(parent?.name).toMatch(/^(execute_tool s_echo|ai\.toolCall)$/);
    expect(JSON.stringify(call?.attributes)).not.toContain('sentinel-secret');

    const sent = server.requests.filter(({ message }) => message.method !== undefined && message.id !== undefined);
    for (const { message } of sent) {
      const meta = message.params?._meta as Record<string, string> | undefined;
      expect([message.method, meta?.traceparent]).toEqual([
        message.method,
        expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      ]);
    }
    expect(sent.at(-1)?.message.params?._meta).toMatchObject({
      traceparent: expect.stringContaining(call?.spanContext().spanId ?? 'none'),
    });
  });

  it('L4 a handshake that fails is marked with the code of the report', async () => {
    const tools = await toolSet({
      servers: { s: stdio({ command: process.execPath, args: ['-e', 'process.exit(3)'] }) },
      middleware: [tracing()],
    });
    expect(inspectToolSet(tools).servers.s?.error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('3') });
    expect(named('initialize')?.attributes['error.type']).toBe('unavailable');
  });

  it('CARD-02 all three together on a real server: a refusal costs no token and has no span of its own', async () => {
    const server = await startEverything();
    const limiter = rateLimit({ limit: 10, interval: 60_000 });
    const set = await toolSet({
      servers: { every: { url: server.url } },
      middleware: [readOnly({ allow: ['every/echo'], deny: ['every/get-sum'] }), limiter, tracing()],
    });
    const before = exporter.getFinishedSpans().length;
    await set.every_echo?.execute?.({ message: 'hi' }, executeOptions());
    expect(set['every_get-sum']).toBeUndefined();
    expect(exporter.getFinishedSpans()).toHaveLength(before + 1);
    expect(limiter.usage()).toEqual([{ key: 'every', used: 1, limit: 10, remaining: 9 }]);
    await server.stop();
  });
});
