import { context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tracing } from '../../src/middleware/tracing.ts';
import { stdio } from '../../src/node/index.ts';
import { fixture } from '../node/support.ts';
import { call, count, either, failure, PONG, provide, refuse } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import type { Received } from '../support/listen.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { OPERATION_ATTRIBUTES, OWN_ATTRIBUTES, SPAN_ATTRIBUTES } from './tracing-conventions.ts';
import { telemetry, traceparentOf } from './tracing-support.ts';

const RESOURCE = { uri: 'demo://a/b?key=SENTINEL', name: 'a' };

const metaOf = ({ message }: Received): Record<string, string> => (message.params?._meta ?? {}) as Record<string, string>;
const isRequest = ({ message }: Received): boolean => message.id !== undefined && message.method !== undefined;

async function modern() {
  const server = await startSdkServer((mcp) => {
    mcp.registerTool('meta', {}, async ({ mcpReq }) => ({
      content: [{ type: 'text', text: JSON.stringify(mcpReq._meta ?? {}) }],
    }));
  });
  onTestFinished(() => server.close());
  return server;
}

describe('L4 every request has a span and a duration', () => {
  test('L4 a legacy server over HTTP: probe, handshake, lists, calls, resources, ping; all names are in the conventions', async () => {
    const sdk = telemetry();
    const server = await fake({
      tools: [{ name: 'echo' }, { name: 'broken', result: { content: [], isError: true } }],
      resources: [RESOURCE],
      intercept: either(
        PONG,
        (received, response) => received.message.params?.name === 'refused' && refuse(received, response, -32603),
      ),
    });
    const middleware = [tracing({ recordInputs: true, recordOutputs: true, recordSessionId: true })];
    const provider = provide({ servers: { docs: { url: server.url } }, middleware });
    const tools = await provider.tools();
    await call(tools, 'docs_echo');
    await failure(call(tools, 'docs_broken'));
    await call(tools, 'list_resources');
    await call(tools, 'get_resource', { mcpServer: 'docs', uri: RESOURCE.uri });
    await provider.status({ probe: true });

    const names = sdk.spans().map(({ name }) => name);
    const sent = server.requests.filter(isRequest).map(({ message }) => message.method);
    expect(names.map((name) => name.split(' ')[0]).sort()).toEqual([...sent].sort());
    expect(new Set(names)).toEqual(
      new Set([
        'server/discover',
        'initialize',
        'tools/list',
        'tools/call echo',
        'tools/call broken',
        'resources/list',
        'resources/templates/list',
        'resources/read',
        'ping',
      ]),
    );
    for (const { name, kind, attributes } of sdk.spans()) {
      expect(kind).toBe(SpanKind.CLIENT);
      expect(Object.keys(attributes).filter((key) => ![...SPAN_ATTRIBUTES, ...OWN_ATTRIBUTES].includes(key))).toEqual([]);
      expect({ name, ...attributes }).toMatchObject({
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'server.address': '127.0.0.1',
        'server.port': server.port,
        'jsonrpc.request.id': expect.any(String),
      });
    }
    expect(sdk.span('server/discover').attributes).toMatchObject({
      'error.type': '-32601',
      'rpc.response.status_code': '-32601',
    });
    expect(sdk.span('tools/list').attributes['mcp.session.id']).toBe([...server.sessions][0]);
    // Ids match what was sent.
    const called = server.requests.find(({ message }) => message.params?.name === 'echo');
    expect(sdk.span('tools/call echo').attributes['jsonrpc.request.id']).toBe(String(called?.message.id));

    const points = await sdk.histogram('mcp.client.operation.duration');
    for (const { attributes } of points)
      expect(Object.keys(attributes).filter((key) => ![...OPERATION_ATTRIBUTES, ...OWN_ATTRIBUTES].includes(key))).toEqual([]);
    expect(points.reduce((sum, { value }) => sum + value.count, 0)).toBe(names.length);
  });

  test('L4 a child process: pipe, and no address', async () => {
    const sdk = telemetry();
    const script = stdio({ command: process.execPath, args: [fixture('server.mjs')] });
    const provider = provide({ servers: { script }, middleware: [tracing()] });
    await provider.tools();
    expect(sdk.spans().map(({ name }) => name)).toEqual(['initialize', 'tools/list']);
    for (const { attributes } of sdk.spans()) {
      expect(attributes).toMatchObject({ 'network.transport': 'pipe', 'mcp.protocol.version': expect.stringMatching(/^20/) });
      expect(attributes).not.toHaveProperty('server.address');
      expect(attributes).not.toHaveProperty('network.protocol.name');
    }
  });

  test('L4 a modern server: discover in place of the handshake', async () => {
    const sdk = telemetry();
    const server = await modern();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    await call(await provider.tools(), 'docs_meta');
    expect(sdk.spans().map(({ name }) => name)).toEqual(['server/discover', 'tools/list', 'tools/call meta']);
    expect(sdk.span('tools/call meta').attributes['mcp.protocol.version']).toBe('2026-07-28');
  });

  test('L4 uriInName puts the URI into the name, without its secrets', async () => {
    const sdk = telemetry();
    const server = await fake({ resources: [RESOURCE] });
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing({ uriInName: true })] });
    await call(await provider.tools(), 'get_resource', { mcpServer: 'docs', uri: RESOURCE.uri });
    expect(sdk.spans().map(({ name }) => name)).toContain('resources/read demo://a/b');
  });
});

describe('L1 the trace goes on in the server', () => {
  /** What an instrumented server does by the conventions: `_meta` is the parent of its span. */
  function serverSpan(received: Received): void {
    if (!isRequest(received)) return;
    const parent = propagation.extract(ROOT_CONTEXT, metaOf(received));
    trace.getTracer('server').startSpan(`server ${received.message.method}`, { kind: SpanKind.SERVER }, parent).end();
  }

  test('L1 a server that reads _meta is in the same trace, under the very span of each request', async () => {
    const sdk = telemetry();
    const server = await fake({
      intercept(received) {
        serverSpan(received);
        return false;
      },
    });
    const outer = trace.getTracer('test').startSpan('outer');
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    await context.with(trace.setSpan(ROOT_CONTEXT, outer), async () => call(await provider.tools(), 'docs_echo'));
    outer.end();
    for (const method of ['server/discover', 'initialize', 'tools/list', 'tools/call']) {
      const client = sdk.span(method === 'tools/call' ? 'tools/call echo' : method);
      const its = sdk.span(`server ${method}`);
      expect(its.parentSpanContext?.spanId).toBe(client.spanContext().spanId);
      expect(its.spanContext().traceId).toBe(outer.spanContext().traceId);
    }
  });

  test('L1 traceparent, tracestate and baggage are in _meta and in the headers of every request, in one session', async () => {
    const sdk = telemetry();
    const server = await fake();
    const parent = propagation.extract(ROOT_CONTEXT, {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'rojo=1',
      baggage: 'tenant=a',
    });
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    await context.with(parent, async () => {
      const tools = await provider.tools();
      await call(tools, 'docs_echo');
      await call(tools, 'docs_echo');
    });
    const sent = server.requests.filter(isRequest);
    expect(sent.length).toBeGreaterThanOrEqual(5);
    const told = new Set(sdk.spans().map(traceparentOf));
    for (const received of sent) {
      const { traceparent, tracestate, baggage } = metaOf(received);
      expect({ tracestate, baggage }).toEqual({ tracestate: 'rojo=1', baggage: 'tenant=a' });
      expect(told).toContain(traceparent);
      expect(received.headers).toMatchObject({ traceparent, tracestate, baggage });
    }
    expect(new Set(sent.map(({ message }) => metaOf({ message } as Received).traceparent)).size).toBe(sent.length);
    expect(count(server, 'initialize')).toBe(1);
  });

  test('L1 a modern server is told too', async () => {
    const sdk = telemetry();
    const server = await modern();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    const meta = JSON.parse(await call(await provider.tools(), 'docs_meta'));
    const told = traceparentOf(sdk.span('tools/call meta'));
    expect(meta.traceparent).toBe(told);
    expect(server.seen.find(({ rpc }) => rpc === 'tools/call')?.headers.traceparent).toBe(told);
  });

  test('headers: false leaves them to an instrumented fetch', async () => {
    telemetry();
    const server = await fake();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing({ headers: false })] });
    await call(await provider.tools(), 'docs_echo');
    const sent = server.requests.filter(isRequest);
    expect(sent.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
    expect(sent.filter((received) => metaOf(received).traceparent === undefined)).toEqual([]);
  });

  test('what HTTP does not allow in a header is left out of it, and costs no request', async () => {
    telemetry();
    propagation.disable();
    propagation.setGlobalPropagator({
      inject: (_, carrier) =>
        Object.assign(carrier as object, { baggage: 'k=v;Grüße\n', traceparent: 'fine', 'not a name': 'x' }),
      extract: (active) => active,
      fields: () => [],
    });
    const server = await fake();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    await call(await provider.tools(), 'docs_echo');
    const received = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(metaOf(received!)).toMatchObject({ baggage: 'k=v;Grüße\n', traceparent: 'fine' });
    expect(received?.headers).toMatchObject({ traceparent: 'fine' });
    expect(received?.headers).not.toHaveProperty('baggage');
  });
});
