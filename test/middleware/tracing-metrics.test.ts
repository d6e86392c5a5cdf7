import { context, metrics, trace } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { describe, expect, onTestFinished, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import type { McpMiddleware, McpRequest, McpResult } from '../../src/types.ts';
import { call, provide } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import { OK, request, requestThrough } from './fake.ts';
import { BUCKETS, OPERATION_ATTRIBUTES, OWN_ATTRIBUTES, SESSION_ATTRIBUTES } from './tracing-conventions.ts';
import { telemetry } from './tracing-support.ts';

const OPERATION = 'mcp.client.operation.duration';
const SESSION = 'mcp.client.session.duration';

const unknown = (attributes: object, known: readonly string[]): string[] =>
  Object.keys(attributes).filter((name) => ![...known, ...OWN_ATTRIBUTES].includes(name));

describe('L4 mcp.client.operation.duration', () => {
  test('L4 name, unit and buckets are those of the conventions', async () => {
    const sdk = telemetry();
    await requestThrough([tracing()], async () => OK)(request());
    const [metric] = await sdk.measured();
    expect(metric?.descriptor).toMatchObject({ name: OPERATION, unit: 's', type: 'HISTOGRAM' });
    const [point] = await sdk.histogram(OPERATION);
    expect(point?.value.buckets.boundaries).toEqual(BUCKETS);
  });

  test('L4 seconds by the given clock, one for each attempt, with how it ended', async () => {
    const sdk = telemetry();
    let time = 5_000;
    const answers: (McpResult | Error)[] = [
      OK,
      { content: [], isError: true },
      new McpToolSetError('protocol_error', 'SENTINEL', { data: { code: -32603 } }),
      new McpToolSetError('timeout', 'SENTINEL'),
    ];
    const run = requestThrough([tracing({ now: () => time })], async ({ peer }: McpRequest) => {
      Object.assign(peer, { transport: 'http', address: 'docs.example.com', port: 443, version: '2025-11-25' });
      Object.assign(peer, { sessionId: 'SENTINEL', requestId: time });
      time += 1_500;
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    for (const principal of ['a', 'b', 'c', 'd']) await run(request({ principal: { id: principal }, peer: {} })).catch(() => {});
    const points = await sdk.histogram(OPERATION);
    const common = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'read_file',
      'mcp_tool_set.server': 'files',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': 'docs.example.com',
      'server.port': 443,
    };
    expect(points.map(({ attributes, value: { count, sum } }) => ({ attributes, count, sum }))).toEqual([
      { attributes: common, count: 1, sum: 1.5 },
      { attributes: { ...common, 'error.type': 'tool_error' }, count: 1, sum: 1.5 },
      { attributes: { ...common, 'error.type': '-32603', 'rpc.response.status_code': '-32603' }, count: 1, sum: 1.5 },
      { attributes: { ...common, 'error.type': 'timeout' }, count: 1, sum: 1.5 },
    ]);
    for (const { attributes } of points) expect(unknown(attributes, OPERATION_ATTRIBUTES)).toEqual([]);
  });

  test("L4 neither a URI nor the application's attributes make series of their own", async () => {
    const sdk = telemetry();
    const run = requestThrough([tracing({ recordInputs: true, attributes: { 'app.tenant': 'x' } })], async () => ({
      contents: [],
    }));
    for (const uri of ['demo://a', 'demo://b']) await run(request({ method: 'resources/read', params: { uri } }));
    const points = await sdk.histogram(OPERATION);
    expect(points.map(({ attributes }) => attributes)).toEqual([
      { 'mcp.method.name': 'resources/read', 'mcp_tool_set.server': 'files' },
    ]);
  });

  test("a meter of one's own, without anything registered; and one that is registered after the middleware was made", async () => {
    const late = requestThrough([tracing()], async () => OK);
    await late(request());
    const sdk = telemetry();
    await late(request());
    expect((await sdk.histogram(OPERATION)).map(({ value }) => value.count)).toEqual([1]);
    metrics.disable();
    trace.disable();
    await requestThrough([tracing({ meter: sdk.meters.getMeter('mine') })], async () => OK)(request());
    expect((await sdk.histogram(OPERATION)).map(({ value }) => value.count)).toEqual([1]);
    await late(request());
    expect(sdk.spans()).toHaveLength(1);
  });

  test('a meter that throws costs no request', async () => {
    const broken = new MeterProvider();
    onTestFinished(() => broken.shutdown());
    const meter = broken.getMeter('x');
    const createHistogram = () => ({
      record() {
        throw new Error('broken');
      },
    });
    const run = requestThrough([tracing({ meter: Object.assign(Object.create(meter), { createHistogram }) })], async () => OK);
    expect(await run(request())).toBe(OK);
  });
});

describe('L4 mcp.client.session.duration', () => {
  test('L4 from the connection to its end', async () => {
    const sdk = telemetry();
    const sessions = () => sdk.histogram(SESSION);
    let time = 0;
    const server = await fake();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing({ now: () => time })] });
    await call(await provider.tools(), 'docs_echo');
    expect(await sessions()).toEqual([]);
    time = 90_000;
    await provider.close();
    const [point] = await sessions();
    expect(point?.attributes).toEqual({
      'mcp_tool_set.server': 'docs',
      'mcp.protocol.version': expect.stringMatching(/^20/),
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'server.address': '127.0.0.1',
      'server.port': server.port,
    });
    expect(point?.value).toMatchObject({ sum: 90, count: 1, buckets: { boundaries: BUCKETS } });
  });

  test('L4 each connection is one, and what a hook throws costs nothing', async () => {
    const sdk = telemetry();
    const server = await fake();
    const broken: McpMiddleware = {
      name: 'broken',
      connection() {
        throw new Error('broken');
      },
    };
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [broken, tracing()] });
    const tools = await provider.tools();
    server.sessions.clear();
    expect(await call(tools, 'docs_echo')).toContain('echo');
    await provider.close();
    expect((await sdk.histogram(SESSION)).map(({ value }) => value.count)).toEqual([2]);
  });

  test('L4 a session that an error ended says which; all names are in the conventions', async () => {
    const sdk = telemetry();
    const connection = tracing().connection!;
    const peer = { transport: 'http', address: 'docs.example.com', port: 443, era: 'legacy', version: '2025-06-18' } as const;
    connection({ server: 'docs', peer: { ...peer, sessionId: 'SENTINEL' } })?.(new McpToolSetError('unavailable', 'SENTINEL'));
    connection({ server: 'files', peer: { transport: 'stdio', version: '2025-06-18' } })?.();
    const points = await sdk.histogram(SESSION);
    expect(points.map(({ attributes }) => attributes)).toEqual([
      {
        'mcp_tool_set.server': 'docs',
        'mcp.protocol.version': '2025-06-18',
        'network.transport': 'tcp',
        'network.protocol.name': 'http',
        'server.address': 'docs.example.com',
        'server.port': 443,
        'error.type': 'unavailable',
      },
      { 'mcp_tool_set.server': 'files', 'mcp.protocol.version': '2025-06-18', 'network.transport': 'pipe' },
    ]);
    for (const { attributes } of points) expect(unknown(attributes, SESSION_ATTRIBUTES)).toEqual([]);
  });

  test('a modern server over HTTP has no session to measure', async () => {
    const sdk = telemetry();
    tracing().connection?.({ server: 'docs', peer: { transport: 'http', era: 'modern' } })?.();
    expect(await sdk.histogram(SESSION)).toEqual([]);
  });
});

describe('without an SDK', () => {
  test('nothing is asked, made or changed', async () => {
    let asked = 0;
    const middleware = tracing({
      now: () => asked++,
      attributes: () => {
        asked++;
        return {};
      },
    });
    const input = Object.freeze(request());
    const received: McpRequest[] = [];
    const run = requestThrough([middleware], async (final) => {
      received.push(final);
      return OK;
    });
    expect(await run(input)).toBe(OK);
    expect(received[0]).toBe(input);
    expect(asked).toBe(0);
  });

  test('metrics alone: durations, no span, nothing sent', async () => {
    const sdk = telemetry();
    for (const api of [trace, context]) api.disable();
    const server = await fake();
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [tracing()] });
    await call(await provider.tools(), 'docs_echo');
    expect(sdk.spans()).toEqual([]);
    expect(server.requests.filter(({ body }) => body.includes('traceparent'))).toEqual([]);
    expect((await sdk.histogram(OPERATION)).map(({ attributes }) => attributes['mcp.method.name'])).toEqual(
      expect.arrayContaining(['initialize', 'tools/list', 'tools/call']),
    );
  });
});
