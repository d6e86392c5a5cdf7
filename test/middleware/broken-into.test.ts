/** What an attack on the middleware found, each as its smallest case. */

import type { Tracer } from '@opentelemetry/api';
import { jsonSchema, tool } from 'ai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMcpToolProvider, type McpMiddleware, McpToolSetError, type ToolCall, wrapToolSet } from '../../src/index.ts';
import {
  approval,
  cache,
  circuitBreaker,
  type LogEvent,
  limitOutput,
  log,
  meta,
  rateLimit,
  retry,
} from '../../src/middleware/index.ts';
import { redacted } from '../../src/middleware/shared/redact.ts';
import { countedOf, failureOf } from '../../src/middleware/tracing/attributes.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';

it.each([404, 429, 401])('H5 a JSON-RPC error with the code %i is an answer: a write is not sent again', async (code) => {
  let calls = 0;
  const server = await fake({
    intercept({ message }, response) {
      if (message.method !== 'tools/call') return false;
      calls++;
      json(response, { jsonrpc: '2.0', id: message.id, error: { code, message: 'Not connected' } });
      return true;
    },
  });
  const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [retry({ delay: 1 })] });
  await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toMatchObject({ code: 'protocol_error', data: { code } });
  expect(calls).toBe(1);
});

/** A tool whose calls end when they are told to. */
async function gated(middleware: McpMiddleware[]) {
  const ends: ((how: 'ok' | 'down') => void)[] = [];
  const x = tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: () =>
      new Promise<string>((resolve, reject) => {
        ends.push((how) => (how === 'ok' ? resolve('fine') : reject(new Error('down'))));
      }),
  });
  const tools = await wrapToolSet({ tools: { x }, middleware });
  const call = (): Promise<unknown> => Promise.resolve(tools.x.execute?.({}, executeOptions() as never)).catch((error) => error);
  return { ends, call };
}

it('circuitBreaker: a success beside failures under way does not make it forget them', async () => {
  const breaker = circuitBreaker({ failures: 3, openFor: 60_000 });
  const { ends, call } = await gated([breaker]);
  const running = [call(), call(), call(), call()];
  await expect.poll(() => ends.length).toBe(4);
  for (const [index, how] of (['ok', 'down', 'down', 'down'] as const).entries()) {
    ends[index]?.(how);
    await running[index];
  }
  expect(breaker.circuits()).toMatchObject([{ state: 'open', failures: 3 }]);
  expect(await call()).toMatchObject({ code: 'unavailable' });
  expect(ends).toHaveLength(4);
});

it('circuitBreaker: an onChange that rejects is nobody’s rejection', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { ends, call } = await gated([circuitBreaker({ failures: 1, onChange: async () => Promise.reject(new Error('pager')) })]);
  const running = call();
  await expect.poll(() => ends.length).toBe(1);
  ends[0]?.('down');
  await running;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rejections).toEqual([]);
});

it('N8 no middleware decides on the hints of a snapshot that nobody has verified', async () => {
  const tools = [{ name: 'charge', annotations: { readOnlyHint: true } }];
  const server = await fake({ tools });
  const before = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
  await before.tools();
  const snapshot = before.snapshot();
  await before.close();
  tools[0] = { name: 'charge', annotations: { readOnlyHint: false } };
  const middleware = [cache({ ttl: 60_000, anonymous: true })];
  const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, snapshot, middleware, onWarning: false });
  onTestFinished(() => provider.close());
  const record = await provider.tools();
  for (let n = 0; n < 2; n++) await record.s_charge?.execute?.({}, executeOptions());
  expect(server.executed).toEqual(['charge', 'charge']);
});

it('approval: what is sent is what was approved, whoever changes the arguments meanwhile', async () => {
  const server = await fake({ tools: [{ name: 'pay' }] });
  const ask = ({ input }: ToolCall): boolean => {
    (input as { amount: number }).amount = 1_000;
    given.amount = 2_000;
    return true;
  };
  const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [approval({ ask })] });
  const given = { amount: 1 };
  expect(await tools.s_pay?.execute?.(given, executeOptions())).toMatchObject({ content: [{ text: 'pay {"amount":1}' }] });
});

it.each<[string, () => unknown]>([
  ['that is no span', () => null],
  ['whose context throws', () => spanWith({ spanContext: broken })],
  ['that throws when it is asked', () => spanWith({ isRecording: broken })],
])('tracing: a tracer that gives a span %s costs the span, not the call', async (_, startSpan) => {
  const server = await fake();
  const tracer = { startSpan } as unknown as Tracer;
  const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [tracing({ tracer })] });
  expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {}' }] });
});

const CONTEXT = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };

function spanWith(parts: object): object {
  return { spanContext: () => CONTEXT, isRecording: () => true, setAttributes() {}, end() {}, ...parts };
}

function broken(): never {
  throw new Error('broken');
}

it.each([
  [{ pin: 'SENTINEL' }],
  [{ encryptionKey: 'SENTINEL' }],
  [{ text: 'X-Api-Key: SENTINEL\nAuthorization: Token SENTINEL' }],
  [{ text: 'export API_KEY=SENTINEL' }],
  [{ body: 'user=ada&password=SENTINEL' }],
  [{ text: 'password: SENTINEL' }],
  [{ text: 'Here you are:\n```json\n{"apiKey": "SENTINEL", "a": 1}\n```' }],
  [{ text: '{"a":1}\n{"password":"SENTINEL"}\n' }],
  [{ text: JSON.stringify(JSON.stringify({ apiKey: 'SENTINEL' })) }],
  [{ text: `said ${JSON.stringify(JSON.stringify({ apiKey: 'SENTINEL "quoted"', b: { c: 1 } }))}` }],
  [{ text: 'see {"auth": {"kind": "x", "value": "SENTINEL"}} there' }],
  [{ text: 'see {"token": 12, "secret": SENTINEL}' }],
  [[['Authorization', 'SENTINEL']]],
  [{ rawHeaders: ['Host', 'a.example', 'X-Api-Key', 'SENTINEL'] }],
  [[{ Name: 'Authorization', Value: 'SENTINEL' }]],
  [{ url: 'https://u:p@SENTINEL@host/x' }],
  [{ url: 'https://host/x?%61pi_key=SENTINEL' }],
  [{ text: 'see {"auth": {"kind": "}", "value": "SENTINEL"}} there' }],
  [{ text: `see ${JSON.stringify('{"auth": {"kind": "]}", "value": "SENTINEL"}}')} there` }],
])('L5 what looks like a secret is not recorded: %j', (value) => {
  expect(redacted(value)).not.toContain('SENTINEL');
});

it('L5 a text of backslashes alone does not hold up the process', () => {
  const text = `see ${'\\\\'.repeat(200_000)}`;
  expect(redacted({ text })).toBe(JSON.stringify({ text }));
});

it('L5 the texts of errors are recorded as redacted as everything else', async () => {
  const execute = async (): Promise<string> => {
    throw new Error('no: {"apiKey": "SENTINEL"} at https://u:p@SENTINEL@host/?api_key=SENTINEL');
  };
  const events: LogEvent[] = [];
  const x = tool({ inputSchema: jsonSchema({ type: 'object' }), execute });
  const tools = await wrapToolSet({ tools: { x }, middleware: [log((event) => events.push(event), { outputs: true })] });
  await Promise.resolve(tools.x.execute?.({}, executeOptions() as never)).catch(() => {});
  expect(events.filter(({ message }) => message?.startsWith('no: '))).toHaveLength(2);
  expect(JSON.stringify(events)).not.toContain('SENTINEL');
  const said = failureOf(new McpToolSetError('protocol_error', 'bad {"apiKey": "SENTINEL"}', { data: { code: -32_602 } })).said;
  expect(said).toBe('bad {"apiKey": "[redacted]"}');
});

it('L5 what is no secret stays, in texts that hold one too', () => {
  const text = 'before {"apiKey": "x", "city": "Graz"} after; {"list": [1, 2]} and "plain": "words"';
  expect(redacted({ text })).toBe(JSON.stringify({ text: text.replace('"x"', '"[redacted]"') }));
  expect(redacted(['Host', 'a.example', 'Accept', 'text/html'])).toBe('["Host","a.example","Accept","text/html"]');
});

describe('a function of the user’s that throws does not take the place of what happened', () => {
  const thrower = (): never => {
    throw new Error('a mistake of the user’s');
  };

  it('H5 retryIf', async () => {
    const execute = async (): Promise<string> => {
      throw new Error('down');
    };
    const x = tool({ inputSchema: jsonSchema({ type: 'object' }), execute });
    const tools = await wrapToolSet({ tools: { x }, middleware: [retry({ retryIf: thrower })] });
    await expect(tools.x.execute?.({}, executeOptions() as never)).rejects.toThrow('down');
  });

  it('circuitBreaker: isFailure, whose default then counts', async () => {
    const breaker = circuitBreaker({ failures: 1, isFailure: thrower });
    const { ends, call } = await gated([breaker]);
    const running = call();
    await expect.poll(() => ends.length).toBe(1);
    ends[0]?.('down');
    expect(await running).toMatchObject({ message: 'down' });
    expect(breaker.circuits()).toMatchObject([{ state: 'open' }]);
  });

  it('M4 rateLimit: key costs the request, and says why', async () => {
    const server = await fake();
    const middleware = [rateLimit({ limit: 1, interval: 1_000, key: thrower })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toMatchObject({
      code: 'config_invalid',
      server: 's',
      tool: 'echo',
      cause: { message: 'a mistake of the user’s' },
    });
    expect(server.executed).toEqual([]);
  });

  it.each([[thrower], [() => 'perhaps']])('M4 rateLimit: onStoreError, whose default then holds', async (onStoreError) => {
    const server = await fake();
    const store = { take: () => Promise.reject(new Error('the store is down')) };
    const middleware = [rateLimit({ limit: 1, interval: 60_000, maxWait: 0, store, onStoreError: onStoreError as never })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    await tools.s_echo?.execute?.({}, executeOptions());
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toMatchObject({ code: 'rate_limited' });
    expect(server.executed).toEqual(['echo']);
  });
});

describe('a function of the user’s that gives a promise is asked for an answer at once, and its rejection is nobody’s', () => {
  const later = async (): Promise<never> => {
    throw new Error('a mistake of the user’s');
  };
  const failing = (): McpMiddleware => ({ name: 'failing', request: () => Promise.reject(new Error('down')) });
  const cases: [string, () => McpMiddleware[], unknown][] = [
    ['H5 retryIf', () => [retry({ retryIf: later as never }), failing()], { message: 'down' }],
    ['circuitBreaker: isFailure', () => [circuitBreaker({ isFailure: later as never }), failing()], { message: 'down' }],
    ['M3 rateLimit: limited', () => [rateLimit({ limit: 1, interval: 9, limited: later as never })], 'fine'],
    ['M4 rateLimit: key', () => [rateLimit({ limit: 1, interval: 9, key: later as never })], { code: 'config_invalid' }],
    [
      'M4 rateLimit: onStoreError',
      () => [
        rateLimit({ limit: 1, interval: 9, store: { take: () => Promise.reject(new Error('x')) }, onStoreError: later as never }),
        failing(),
      ],
      { message: 'down' },
    ],
    ['F15 limitOutput: count', () => [limitOutput({ count: later as never })], 'fine'],
  ];

  it.each(cases)('%s', async (_, middleware, outcome) => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const x = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async (): Promise<string> => 'fine' });
    const tools = await wrapToolSet({ tools: { x }, middleware: middleware() });
    const run: Promise<unknown> = Promise.resolve(tools.x.execute?.({}, executeOptions() as never));
    expect({ outcome: await run.catch((error) => error) }).toMatchObject({ outcome });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rejections).toEqual([]);
  });

  it('circuitBreaker: a promise is no yes, the default counts', async () => {
    const breaker = circuitBreaker({ failures: 1, isFailure: (async () => true) as never });
    const refusal = new McpToolSetError('not_allowed', 'no');
    const refusing: McpMiddleware = { name: 'refusing', request: () => Promise.reject(refusal) };
    const x = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'fine' });
    const tools = await wrapToolSet({ tools: { x }, middleware: [breaker, refusing] });
    await expect(tools.x.execute?.({}, executeOptions() as never)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(breaker.circuits()).toEqual([]);
  });
});

it.each(['285000 years', 'Infinity'])('M3 a key is not paused for ever: %s', async (asked) => {
  let now = 0;
  let calls = 0;
  const server = await fake({
    intercept({ message }, response) {
      if (asked === 'Infinity' || message.method !== 'tools/call' || calls++ > 0) return false;
      json(response, {}, 429, { 'retry-after': '9000000000000' });
      return true;
    },
  });
  const limited = (): number | undefined => (asked === 'Infinity' && calls++ === 0 ? Number.POSITIVE_INFINITY : undefined);
  const middleware = [rateLimit({ limit: 100, interval: 1_000, maxWait: 0, limited, now: () => now })];
  const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
  const call = (): Promise<unknown> => Promise.resolve(tools.s_echo?.execute?.({}, executeOptions())).catch(({ code }) => code);
  await call();
  now += 3_599_000;
  expect(await call()).toBe('rate_limited');
  now += 2_000;
  expect(await call()).toMatchObject({ content: [{ text: 'echo {}' }] });
});

it.each(['true', '{}', '{"content":"x"}', '{"content":[1]}', '{"content":[],"isError":true}', '[]'])(
  'N7 cache: a shared store that somebody else wrote to is not believed: %s',
  async (text) => {
    const server = await fake({ tools: [{ name: 'echo', annotations: { readOnlyHint: true } }] });
    const store = { get: async () => JSON.stringify({ until: Date.now() + 1_000, text }), set: async () => {} };
    const middleware = [cache({ ttl: 60_000, anonymous: true, store })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'echo {}' }] });
    expect(server.executed).toEqual(['echo']);
  },
);

it('N7 cache: those who waited for an output that cannot be copied do not share it', async () => {
  const x = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => ({ made: new Date() }) });
  const annotate = () => ({ readOnlyHint: true });
  const tools = await wrapToolSet({ tools: { x }, middleware: [cache({ ttl: 1_000, anonymous: true })], annotate });
  const [a, b] = await Promise.all([1, 2].map(() => tools.x.execute?.({}, executeOptions() as never)));
  expect(a).toEqual({ made: expect.any(Date) });
  expect(b).toEqual({ made: expect.any(Date) });
  expect(a).not.toBe(b);
});

it.each([[1n], [circular()], [() => 1], [new Date()]])(
  'L4J-26 meta: what is no JSON is named, and nothing is sent',
  async (value) => {
    expect(() => meta({ 'com.example/a': value })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
    const server = await fake();
    const middleware = [meta(({ method }) => (method === 'tools/call' ? { 'com.example/a': value } : {}))];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    await expect(tools.s_echo?.execute?.({}, executeOptions())).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('com.example/a'),
    });
    expect(server.executed).toEqual([]);
  },
);

function circular(): object {
  const value: Record<string, unknown> = {};
  value.itself = value;
  return value;
}

it('L4 a JSON-RPC number of a server’s invention is no time series of its own', () => {
  const failure = (code: number) => failureOf(new McpToolSetError('protocol_error', 'x', { data: { code } }));
  expect(countedOf(failure(-32_602))).toEqual({ 'error.type': '-32602', 'rpc.response.status_code': '-32602' });
  for (const code of [1, 123_456, -1, -32_769, 0.5]) expect(countedOf(failure(code))).toEqual({ 'error.type': '_OTHER' });
  expect(countedOf(failureOf(new McpToolSetError('timeout', 'x')))).toEqual({ 'error.type': 'timeout' });
});

it.each([
  [{ middleware: [{ name: 'x', call: 5 }] }, /call/],
  [{ tools: { a: { inputSchema: 5, execute: () => 1 } } }, /a/],
])('wrapToolSet says what is wrong with %j', async (options, told) => {
  const wrapping = wrapToolSet({ tools: {}, middleware: [], ...options } as never);
  await expect(wrapping).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringMatching(told) });
});

it.each([
  [{ principal: 'alice' }, /principal/],
  [{ principal: { id: null } }, /principal/],
  [{ server: '*' }, /server/],
  [{ tools: { a: null } }, /tools/],
])('N7 wrapToolSet refuses what would mix users or get past a policy: %j', async (options, told) => {
  const wrapping = wrapToolSet({ tools: {}, middleware: [], ...options } as never);
  await expect(wrapping).rejects.toMatchObject({ code: 'config_invalid', message: expect.stringMatching(told) });
});

it('F8 a failure inside another connector’s result is one: it is not kept, and logged as it is', async () => {
  let runs = 0;
  const events: LogEvent[] = [];
  const x = tool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: async () => ({ content: [{ type: 'text', text: `down ${++runs}` }], isError: true }),
  });
  const tools = await wrapToolSet({
    tools: { x },
    middleware: [log((event) => events.push(event)), cache({ ttl: 60_000, anonymous: true, allow: ['*/x'] })],
    annotate: () => ({ readOnlyHint: true }),
  });
  for (let n = 0; n < 2; n++) await tools.x.execute?.({}, executeOptions() as never);
  expect(runs).toBe(2);
  expect(events.map(({ ok }) => ok)).not.toContain(true);
  expect(events.map(({ ok }) => ok)).toContain(false);
});
