import { type Attributes, context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { type TracingOptions, tracing } from '../../src/middleware/tracing.ts';
import type { CallToolResult, McpRequest, McpResult } from '../../src/types.ts';
import { call, callThrough, OK, request, requestThrough, tool } from './fake.ts';

let exporter: InMemorySpanExporter;
let provider: NodeTracerProvider | undefined;

function register(options: ConstructorParameters<typeof NodeTracerProvider>[0] = {}): void {
  provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)], ...options });
  provider.register();
}

beforeEach(() => {
  exporter = new InMemorySpanExporter();
});
afterEach(async () => {
  trace.disable();
  context.disable();
  propagation.disable();
  await provider?.shutdown();
  provider = undefined;
});

/** Sends one request through the middleware; `answer` is the server. */
async function send(
  input: McpRequest,
  options: TracingOptions = {},
  answer: (input: McpRequest) => McpResult | Promise<McpResult> = () => OK,
) {
  const received: McpRequest[] = [];
  const run = requestThrough([tracing(options)], async (final) => {
    received.push(final);
    return answer(final);
  });
  const error = await run(input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { received, error, meta: received[0]?.params._meta as Record<string, string> | undefined };
}

const spans = (): ReadableSpan[] => exporter.getFinishedSpans();

function onlySpan(): ReadableSpan {
  expect(spans()).toHaveLength(1);
  return spans()[0]!;
}

const connectedHttp = (input: McpRequest): McpResult => {
  const { peer } = input;
  Object.assign(peer, { transport: 'http', address: 'docs.example.com', port: 443, era: 'legacy', version: '2025-06-18' });
  Object.assign(peer, { sessionId: 'SENTINEL-session', requestId: 7 });
  return OK;
};

describe('L4 names, kinds and attributes are those of the conventions', () => {
  beforeEach(() => register());

  test('L4J-18 L4 a tool call over HTTP', async () => {
    await send(request({ server: 'docs' }), {}, connectedHttp);
    const { name, kind, status, attributes, instrumentationScope } = onlySpan();
    expect({ name, kind, status }).toEqual({
      name: 'tools/call read_file',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(instrumentationScope.name).toBe('mcp-tool-set');
    expect(attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read_file',
      'mcp_tool_set.server': 'docs',
      'jsonrpc.request.id': '7',
      'mcp.protocol.version': '2025-06-18',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': 'docs.example.com',
      'server.port': 443,
    });
  });

  test('L4 a handshake with a child process, and a transport of which nothing is known', async () => {
    await send(request({ method: 'initialize', params: {}, call: undefined }), {}, ({ peer }) => {
      Object.assign(peer, { transport: 'stdio', version: '2025-11-25', requestId: 'a' });
      return { protocolVersion: '2025-11-25' };
    });
    await send(request({ method: 'ping', params: {}, call: undefined }), {}, ({ peer }) => {
      peer.transport = 'custom';
      return {};
    });
    expect(spans().map(({ name, attributes }) => ({ name, attributes }))).toEqual([
      {
        name: 'initialize',
        attributes: {
          'mcp.method.name': 'initialize',
          'mcp_tool_set.server': 'files',
          'jsonrpc.request.id': 'a',
          'mcp.protocol.version': '2025-11-25',
          'network.transport': 'pipe',
        },
      },
      { name: 'ping', attributes: { 'mcp.method.name': 'ping', 'mcp_tool_set.server': 'files' } },
    ]);
  });

  test('L4 prompts have a target in the name, resources have none', async () => {
    await send(request({ method: 'prompts/get', params: { name: 'review' } }));
    await send(request({ method: 'resources/read', params: { uri: 'demo://a/b' } }));
    await send(request({ method: 'resources/list', params: {} }));
    expect(spans().map(({ name }) => name)).toEqual(['prompts/get review', 'resources/read', 'resources/list']);
    expect(spans()[0]?.attributes).toMatchObject({ 'gen_ai.prompt.name': 'review' });
    expect(spans()[1]?.attributes).toMatchObject({ 'mcp.resource.uri': 'demo://a/b' });
    for (const { attributes } of spans()) expect(attributes).not.toHaveProperty('gen_ai.operation.name');
  });

  test.each([
    [
      'https://user:pw@example.com:8080/a@b/c?token=SENTINEL&page=2#top',
      'https://example.com:8080/a@b/c',
      'https://[redacted]@example.com:8080/a@b/c?token=[redacted]&page=2#top',
    ],
    ['https://user@example.com', 'https://example.com', 'https://[redacted]@example.com'],
    ['file:///home/me/x.txt', 'file:///home/me/x.txt'],
    ['file:///home/me@work/x.txt', 'file:///home/me@work/x.txt'],
    ['urn:isbn:1?=q', 'urn:isbn:1'],
    ['?', ''],
  ])('L5 %s is recorded as %s', async (uri, recorded, whole = uri) => {
    await send(request({ method: 'resources/read', params: { uri } }));
    await send(request({ method: 'resources/read', params: { uri } }), { recordInputs: true });
    expect(spans().map(({ attributes }) => attributes['mcp.resource.uri'])).toEqual([recorded, whole]);
  });

  test('L4 isError is an ERROR with error.type tool_error, and still a result', async () => {
    const { error } = await send(request(), {}, () => ({ content: [{ type: 'text', text: 'SENTINEL' }], isError: true }));
    expect(error).toBeUndefined();
    const { status, attributes } = onlySpan();
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message: 'the tool reported an error' });
    expect(attributes['error.type']).toBe('tool_error');
  });

  test.each([
    [
      new McpToolSetError('protocol_error', 'SENTINEL', { data: { code: -32603 } }),
      '-32603',
      '-32603',
      'protocol_error (JSON-RPC -32603)',
    ],
    [new McpToolSetError('timeout', 'SENTINEL', { data: { milliseconds: 5 } }), 'timeout', undefined, 'timeout'],
    [new McpToolSetError('http_error', 'SENTINEL', { data: { status: 500 } }), 'http_error', undefined, 'http_error'],
    [new TypeError('SENTINEL'), 'TypeError', undefined, 'TypeError'],
    [Object.assign(new Error('SENTINEL'), { name: 'SENTINEL' }), '_OTHER', undefined, '_OTHER'],
    ['SENTINEL', '_OTHER', undefined, '_OTHER'],
  ])('L4 a failure: %s', async (thrown, type, code, message) => {
    const { error } = await send(request(), {}, () => {
      throw thrown;
    });
    expect(error).toBe(thrown);
    const { status, attributes, events } = onlySpan();
    expect(status).toEqual({ code: SpanStatusCode.ERROR, message });
    expect(attributes['error.type']).toBe(type);
    expect(attributes['rpc.response.status_code']).toBe(code);
    expect(events).toEqual([]);
  });

  test('attributes of the user: fixed, or for each request; they break nothing and override nothing', async () => {
    await send(request(), { attributes: { 'app.name': 'x', 'mcp.method.name': 'mine' } });
    await send(request({ principal: { id: 'tenant 1' } }), { attributes: ({ principal }) => ({ 'app.tenant': principal?.id }) });
    const { error } = await send(request(), {
      attributes: () => {
        throw new Error('broken');
      },
    });
    expect(error).toBeUndefined();
    expect(
      spans().map(({ attributes }) => [attributes['app.name'], attributes['app.tenant'], attributes['mcp.method.name']]),
    ).toEqual([
      ['x', undefined, 'tools/call'],
      [undefined, 'tenant 1', 'tools/call'],
      [undefined, undefined, 'tools/call'],
    ]);
  });
});

describe('L1 the trace does not end at the border', () => {
  test('L1 the span is a child of the active one, and what the server is told is the span', async () => {
    register();
    const outer = trace.getTracer('test').startSpan('execute_tool read_file');
    const active = propagation.setBaggage(
      trace.setSpan(ROOT_CONTEXT, outer),
      propagation.createBaggage({ tenant: { value: 'a' } }),
    );
    let inside: string | undefined;
    const { received, meta } = await context.with(active, () =>
      send(request({ params: { name: 'read_file', _meta: { progressToken: 3, traceparent: 'old' } } }), {}, async () => {
        await Promise.resolve();
        inside = trace.getActiveSpan()?.spanContext().spanId;
        return OK;
      }),
    );
    const span = onlySpan();
    const { traceId, spanId } = span.spanContext();
    expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
    expect(traceId).toBe(outer.spanContext().traceId);
    expect(inside).toBe(spanId);
    expect(meta).toEqual({ progressToken: 3, traceparent: `00-${traceId}-${spanId}-01`, baggage: 'tenant=a' });
    expect(received[0]?.params.name).toBe('read_file');
  });

  test('L1 the input is not changed, and the peer stays the same object', async () => {
    register();
    const params = Object.freeze({ name: 'read_file', _meta: Object.freeze({ a: 1 }) });
    const input = Object.freeze(request({ params }));
    const { received, error } = await send(input);
    expect(error).toBeUndefined();
    expect(received[0]?.peer).toBe(input.peer);
    expect(received[0]?.params._meta).toMatchObject({ a: 1, traceparent: expect.any(String) });
  });

  test('L1 each attempt has a span of its own', async () => {
    register();
    const middleware = tracing();
    const metas: unknown[] = [];
    const run = requestThrough(
      [{ name: 'twice', request: (input, next) => next(input).then(() => next(input)) }, middleware],
      async ({ params }) => {
        metas.push(params._meta);
        return OK;
      },
    );
    await run(request());
    expect(spans()).toHaveLength(2);
    expect(new Set(metas.map((meta) => JSON.stringify(meta))).size).toBe(2);
  });

  test('a trace that is sampled out goes on as such', async () => {
    register({ sampler: new AlwaysOffSampler() });
    const { meta } = await send(request(), { recordInputs: true, recordOutputs: true }, connectedHttp);
    expect(meta?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(spans()).toEqual([]);
  });

  test('no SDK: the very same request goes on, and nothing is told', async () => {
    const input = request();
    const { received, error } = await send(input, { recordInputs: true, recordOutputs: true });
    expect(received[0]).toBe(input);
    expect(error).toBeUndefined();
  });

  test('L1 no span, no context: baggage alone is told to nobody', async () => {
    propagation.setGlobalPropagator({
      inject: (_, carrier) => Object.assign(carrier as object, { baggage: 'tenant=a' }),
      extract: (active) => active,
      fields: () => ['baggage'],
    });
    expect((await send(request())).meta).toBeUndefined();
  });

  test('an SDK that is registered after the middleware was made', async () => {
    const run = requestThrough([tracing()], async () => OK);
    register();
    await run(request());
    expect(onlySpan().name).toBe('tools/call read_file');
  });

  test("a tracer of one's own, with nothing registered", async () => {
    const own = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const { meta } = await send(request(), { tracer: own.getTracer('mine') });
    expect(onlySpan().instrumentationScope.name).toBe('mine');
    expect(meta).toBeUndefined();
    await own.shutdown();
  });
});

describe('L5 secrets', () => {
  beforeEach(() => register());

  const secret = request({
    params: { name: 'read_file', arguments: { path: 'SENTINEL' }, _meta: { note: 'SENTINEL' } },
    headers: { authorization: 'Bearer SENTINEL' },
    principal: { id: 'SENTINEL', headers: { cookie: 'SENTINEL' }, attributes: { plan: 'SENTINEL' } },
  });
  const everything = () =>
    JSON.stringify(spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })));

  test('L5 a sentinel in arguments, headers, results, errors, sessions and URIs is in no span', async () => {
    await send({ ...secret, peer: {} }, {}, (input) => {
      connectedHttp(input);
      return { content: [{ type: 'text', text: 'SENTINEL' }], structuredContent: { a: 'SENTINEL' }, _meta: { b: 'SENTINEL' } };
    });
    await send({ ...secret, peer: {} }, {}, () => ({ content: [{ type: 'text', text: 'SENTINEL' }], isError: true }));
    await send({ ...secret, method: 'resources/read', params: { uri: 'https://x:SENTINEL@a/b?key=SENTINEL' } });
    await send({ ...secret, method: 'initialize' });
    for (const data of [{ code: -32602, url: 'SENTINEL' }, { status: 500 }]) {
      await send(secret, {}, () => {
        throw new McpToolSetError('protocol_error', 'SENTINEL', { data, cause: new Error('SENTINEL') });
      });
    }
    await send(secret, {}, () => Promise.reject(new Error('SENTINEL', { cause: 'SENTINEL' })));
    expect(spans()).toHaveLength(7);
    expect(everything()).not.toContain('SENTINEL');
  });

  test('L5 what is asked for is recorded, but for values with a telling name, however deep and however written', async () => {
    const params = {
      name: 'login',
      arguments: { user: 'ann', PassWord: 'SENTINEL', a: [{ Api_Key: { b: 'SENTINEL' }, city: 'Graz' }] },
    };
    await send(request({ params }), { recordInputs: true, recordOutputs: true, recordSessionId: true }, (input) => {
      connectedHttp(input);
      return { content: [], structuredContent: { accessToken: 'SENTINEL', ok: true } };
    });
    expect(onlySpan().attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"user":"ann","PassWord":"[redacted]","a":[{"Api_Key":"[redacted]","city":"Graz"}]}',
      'gen_ai.tool.call.result': '{"content":[],"structuredContent":{"accessToken":"[redacted]","ok":true}}',
      'mcp.session.id': 'SENTINEL-session',
    });
  });

  test.each([
    [
      'a list of headers',
      [
        { name: 'Authorization', value: 'SENTINEL' },
        { key: 'x-api-key', value: 'SENTINEL', note: 'x' },
      ],
    ],
    ['JSON in a text', { text: '{"user":"ann","client_secret":"SENTINEL","deep":[{"refreshToken":"SENTINEL"}]}' }],
    ['JSON in JSON in a text', { text: JSON.stringify({ body: JSON.stringify({ pwd: 'SENTINEL' }) }) }],
    ['a scheme', { line: 'curl -H "X: Bearer SENTINEL" and basic SENTINEL==' }],
    ['a query', { url: 'https://a.example/b?x=1&api_key=SENTINEL&sig=SENTINEL#access_token=SENTINEL' }],
    ['a user in a URL', { url: 'postgres://ann:SENTINEL@db/x' }],
    ['names in all spellings', { PASSCODE: 'SENTINEL', 'x-auth-key': 'SENTINEL', JWT: 'SENTINEL', sessionId: 'SENTINEL' }],
  ])('L5 %s is redacted', async (_, data) => {
    const params = { name: 'x', arguments: { data, kept: 'Graz' } };
    await send(request({ params }), { recordInputs: true, recordOutputs: true }, () => ({
      content: [],
      structuredContent: { data },
    }));
    const { attributes } = onlySpan();
    expect(attributes['gen_ai.tool.call.arguments']).toContain('"kept":"Graz"');
    expect(attributes['gen_ai.tool.call.arguments']).toContain('[redacted]');
    expect(everything()).not.toContain('SENTINEL');
  });

  test('L5 what only looks like it stays as it is', async () => {
    const params = { name: 'x', arguments: { author: 'Ann', q: 'a?b=1&c=2', url: 'https://a.example/@ann', open: '[not json' } };
    await send(request({ params }), { recordInputs: true });
    expect(JSON.parse(String(onlySpan().attributes['gen_ai.tool.call.arguments']))).toEqual(params.arguments);
  });

  test("recordOutputs also takes the server's own error text; a failed tool's result stays out", async () => {
    await send(request(), { recordOutputs: true }, () => {
      throw new McpToolSetError('invalid_arguments', 'path is missing', { data: { code: -32602 } });
    });
    await send(request(), { recordOutputs: true }, () => ({ content: [], isError: true }));
    const cause = Object.assign(new Error('MCP error -32603: disk is full'), { code: -32603 });
    await send(request(), { recordOutputs: true }, () => {
      throw new McpToolSetError('protocol_error', 'tools/call was refused: disk is full (-32603)', {
        data: { code: -32603 },
        cause,
      });
    });
    expect(spans()[0]?.status.message).toBe('path is missing');
    expect(spans()[2]?.status.message).toBe('disk is full');
    expect(spans()[1]?.attributes).not.toHaveProperty('gen_ai.tool.call.result');
  });

  test('what cannot be written as JSON breaks nothing', async () => {
    const { error } = await send(request({ params: { name: 'x', arguments: { n: 1n } } }), { recordInputs: true });
    expect(error).toBeUndefined();
    expect(onlySpan().attributes['gen_ai.tool.call.arguments']).toBe('[unreadable]');
  });
});

test.each([
  [{ recordInput: true }, 'recordInput: is not known here. Did you mean "recordInputs"?'],
  [{ tracer: {} }, 'tracer: must be an OpenTelemetry tracer'],
  [{ recordOutputs: 1 }, 'recordOutputs: must be true or false'],
  [{ meter: {} }, 'meter: must be an OpenTelemetry meter'],
  [{ enrich: 1 }, "enrich: must be true, false or 'instead'"],
  [{ now: 1 }, 'now: must be a function'],
  [{ attributes: [] }, 'attributes: must be an object of attributes, or a function that gives one'],
])('bad options throw at once: %j', (options, text) => {
  expect(() => tracing(options as never)).toThrow(
    expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
  );
});

test('a span is ended once, however the request ends', async () => {
  register();
  const end = vi.fn();
  const own = provider!.getTracer('x');
  const startSpan: typeof own.startSpan = (...args) => {
    const span = own.startSpan(...args);
    const original = span.end.bind(span);
    span.end = (...time) => {
      end();
      original(...time);
    };
    return span;
  };
  const tracer = { startSpan, startActiveSpan: own.startActiveSpan.bind(own) };
  await send(request(), { tracer });
  await send(request(), { tracer }, () => Promise.reject(new Error('x')));
  expect(end).toHaveBeenCalledTimes(2);
});

test('an abort is told at once, and a late answer changes nothing', async () => {
  register();
  const controller = new AbortController();
  const run = requestThrough(
    [tracing()],
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
  );
  const running = run(request({ signal: controller.signal }));
  controller.abort(new McpToolSetError('aborted', 'SENTINEL'));
  await expect(running).rejects.toBe(controller.signal.reason);
  expect(onlySpan().attributes['error.type']).toBe('aborted');
  expect(onlySpan().status.message).toBe('aborted');
});

describe("L4 another's span for the same call", () => {
  beforeEach(() => register());

  /** Sends a call, through both chains, inside a span with these attributes. */
  async function inside(
    attributes: Attributes,
    options: TracingOptions = {},
    answer: () => Promise<CallToolResult> = async () => OK,
  ) {
    const span = trace.getTracer('test').startSpan('execute_tool x', { attributes });
    const middleware = [tracing({ enrich: 'instead', ...options })];
    const run = callThrough(middleware, async (final) => {
      return (await requestThrough(middleware, answer)(request({ call: final }))) as CallToolResult;
    });
    await context.with(trace.setSpan(ROOT_CONTEXT, span), () => run(call(tool())).catch(() => {}));
    span.end();
    const outer = spans().find(({ name }) => name === 'execute_tool x')!;
    return { outer, own: spans().filter((each) => each !== outer) };
  }

  test.each([
    ['its id', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c1' }, true],
    ['its name, where it says no id', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'files_read_file' }, true],
    ['the id of ai 6', { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.id': 'c1' }, true],
    [
      'another id',
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c2', 'gen_ai.tool.name': 'read_file' },
      false,
    ],
    ['another name', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'write_file' }, false],
    ['another operation', { 'gen_ai.operation.name': 'chat', 'gen_ai.tool.call.id': 'c1' }, false],
    ['nothing', {}, false],
  ])('L4 is known by %s', async (_, attributes, taken) => {
    const { outer, own } = await inside(attributes);
    expect(own.map(({ name }) => name)).toEqual(taken ? [] : ['tools/call read_file']);
    expect('mcp.method.name' in outer.attributes).toBe(taken);
  });

  const SAME = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c1', 'gen_ai.tool.name': 'mine', 'app.a': 1 };

  test('L4 keeps what it says already', async () => {
    const { outer } = await inside(SAME, { attributes: { 'app.a': 2, 'app.b': 3 }, recordInputs: true, recordOutputs: true });
    expect(outer.attributes).toEqual({
      ...SAME,
      'app.b': 3,
      'mcp.method.name': 'tools/call',
      'mcp_tool_set.server': 'files',
      'mcp_tool_set.tool': 'read_file',
      'gen_ai.tool.call.arguments': '{}',
      'gen_ai.tool.call.result': JSON.stringify(OK),
    });
    expect(outer.status.code).toBe(SpanStatusCode.UNSET);
  });

  test('L4 fails with the call', async () => {
    const { outer, own } = await inside(SAME, {}, () =>
      Promise.reject(new McpToolSetError('protocol_error', 'SENTINEL', { data: { code: -32000 } })),
    );
    expect(own).toEqual([]);
    expect(outer.attributes).toMatchObject({ 'error.type': '-32000', 'rpc.response.status_code': '-32000' });
    expect(outer.status).toEqual({ code: SpanStatusCode.ERROR, message: 'protocol_error (JSON-RPC -32000)' });
  });
});
