import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { type McpErrorCode, McpToolSetError } from '../../src/errors.ts';
import { inspectToolSet } from '../../src/index.ts';
import { type CircuitBreakerOptions, circuitBreaker } from '../../src/middleware/circuit-breaker.ts';
import { timeout } from '../../src/middleware/timeout.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { McpRequest, McpResult } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { call, OK, request, requestThrough, tool } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf } from './foreign.ts';

const fails = (code: McpErrorCode, data: Record<string, unknown> = {}) => new McpToolSetError(code, 'it failed', { data });
const down = fails('unavailable');

/** A breaker with a clock of its own, over a last step that settles as it is told. */
function broken(options: CircuitBreakerOptions = {}) {
  let time = 0;
  let outcome: unknown = OK;
  let sent = 0;
  const changes: string[] = [];
  const middleware = circuitBreaker({
    failures: 3,
    openFor: 1_000,
    now: () => time,
    onChange: ({ server, state }) => changes.push(`${server} ${state}`),
    ...options,
  });
  const waiting: ((outcome: unknown) => void)[] = [];
  const run = requestThrough([middleware], async (): Promise<McpResult> => {
    sent++;
    const settled = outcome === 'later' ? await new Promise((resolve) => waiting.push(resolve)) : outcome;
    if (settled instanceof Error) throw settled;
    return settled as McpResult;
  });
  /** Sends one that comes out so, and says what became of it. */
  async function send(as: unknown = OK, overrides: Partial<McpRequest> = {}): Promise<string> {
    outcome = as;
    return codeOf(run(request(overrides)));
  }
  return {
    middleware,
    changes,
    waiting,
    run,
    send,
    sent: () => sent,
    pass: (milliseconds: number) => (time += milliseconds),
    async open(overrides: Partial<McpRequest> = {}) {
      for (let index = 0; index < (options.failures ?? 3); index++) await send(down, overrides);
    },
  };
}

describe('opens', () => {
  test('after so many failures in a row; then nothing is sent, and the error says when to try again', async () => {
    const { send, sent, pass, changes, run, middleware } = broken();
    expect([await send(down), await send(down), await send(), await send(down), await send(down)]).toHaveLength(5);
    expect(changes).toEqual([]);
    await send(down);
    expect(changes).toEqual(['files open']);
    pass(400);
    const error = await failureOf(run(request()));
    expect(error).toMatchObject({ code: 'unavailable', server: 'files', data: { retryAfter: 600, circuit: 'open' } });
    expect(error.message).toBe(
      'MCP server "files", tool "read_file": it is left alone after 3 failures in a row. Nothing was sent. Try again in 0.6 s, or use ' +
        "another server's tool.",
    );
    expect(sent()).toBe(6);
    expect(middleware.circuits()).toEqual([{ server: 'files', state: 'open', failures: 3, retryAfter: 600 }]);
  });

  test.each<[McpErrorCode, Record<string, unknown>]>([
    ['unavailable', {}],
    ['timeout', {}],
    ['outcome_unknown', {}],
    ['http_error', { status: 500 }],
    ['http_error', { status: 503 }],
  ])('%s %j is a failure', async (code, data) => {
    const { send } = broken({ failures: 1 });
    await send(fails(code, data));
    expect(await send()).toBe('unavailable');
  });

  test.each<[McpErrorCode, Record<string, unknown>]>([
    ['http_error', { status: 400 }],
    ['rate_limited', { status: 429 }],
    ['unauthorized', {}],
    ['protocol_error', { code: -32000 }],
    ['invalid_arguments', {}],
    ['tool_error', {}],
    ['bad_response', {}],
    ['not_allowed', {}],
  ])('%s %j is an answer', async (code, data) => {
    const { send } = broken({ failures: 2 });
    await send(down);
    await send(fails(code, data));
    await send(down);
    expect(await send()).toBe('ok');
  });

  test('an abort says nothing, whatever comes of it', async () => {
    const { send } = broken({ failures: 2 });
    await send(down);
    await send(fails('aborted'));
    await send(fails('closed'));
    await send(new DOMException('x', 'AbortError'), { signal: AbortSignal.abort() });
    await send(down);
    expect(await send()).toBe('unavailable');
  });

  test('by a failure rate too', async () => {
    const { send, changes } = broken({ failures: 100, rate: { share: 0.5, of: 10 } });
    for (let index = 0; index < 10; index++) await send(index % 2 === 0 ? OK : down);
    expect(changes).toEqual([]);
    await send();
    await send(down);
    expect(changes).toEqual([]);
    await send(down);
    expect(changes).toEqual(['files open']);
  });

  test('`isFailure` decides in place of the rule', async () => {
    const { send } = broken({ failures: 1, isFailure: (error) => (error as McpToolSetError).code === 'bad_response' });
    await send(down);
    expect(await send()).toBe('ok');
    await send(fails('bad_response'));
    expect(await send()).toBe('unavailable');
  });

  test('M4 for one server, and by option for one principal or one tool', async () => {
    const server = broken();
    await server.open();
    expect(await server.send(OK, { server: 'docs', call: undefined })).toBe('ok');
    expect(await server.send(OK, { principal: { id: 'bob' } })).toBe('unavailable');

    const principal = broken({ per: 'principal' });
    await principal.open({ principal: { id: 'ann' } });
    expect(await principal.send(OK, { principal: { id: 'ann' } })).toBe('unavailable');
    expect(await principal.send(OK, { principal: { id: 'bob' } })).toBe('ok');
    expect(await principal.send()).toBe('ok');

    const each = broken({ per: 'tool' });
    await each.open();
    expect(await each.send()).toBe('unavailable');
    expect(await each.send(OK, { params: { name: 'write_file' } })).toBe('ok');
    expect(each.middleware.circuits()).toMatchObject([{ server: 'files', tool: 'read_file' }]);
  });

  test('handshakes and pings are neither held up nor counted', async () => {
    const { send, open, changes } = broken({ failures: 1 });
    for (const method of ['initialize', 'server/discover', 'ping']) await send(down, { method });
    expect(changes).toEqual([]);
    await open();
    for (const method of ['initialize', 'server/discover', 'ping']) expect(await send(OK, { method })).toBe('ok');
    expect(await send()).toBe('unavailable');
  });
});

describe('half open', () => {
  test('one probe at a time; its answer closes the circuit', async () => {
    const { open, send, pass, run, sent, waiting, changes } = broken();
    await open();
    pass(1_000);
    const probe = send('later');
    const error = await failureOf(run(request()));
    expect(error).toMatchObject({ code: 'unavailable', data: { circuit: 'half_open' } });
    expect(error.message).toContain('one request at a time finds out whether it is well again');
    expect(sent()).toBe(4);
    waiting[0]?.(OK);
    expect(await probe).toBe('ok');
    expect(changes).toEqual(['files open', 'files half_open', 'files closed']);
    await send(down);
    expect(await send()).toBe('ok');
  });

  test('its failure opens it for as long again', async () => {
    const { open, send, pass, sent } = broken();
    await open();
    pass(1_000);
    await send(down);
    pass(999);
    expect(await send()).toBe('unavailable');
    expect(sent()).toBe(4);
    pass(1);
    expect(await send()).toBe('ok');
  });

  test('an aborted probe says nothing, and the next request is the probe', async () => {
    const { open, send, pass, middleware } = broken();
    await open();
    pass(1_000);
    await send(fails('aborted'));
    expect(middleware.circuits()).toMatchObject([{ state: 'half_open', retryAfter: 0 }]);
    expect(await send()).toBe('ok');
    expect(middleware.circuits()).toEqual([]);
  });

  test('a probe that never ends does not hold the others up for ever, and tells nothing when it does', async () => {
    const { open, send, pass, waiting } = broken();
    await open();
    pass(1_000);
    const lost = send('later');
    pass(1_000);
    await send(down);
    waiting[0]?.(OK);
    await lost;
    expect(await send()).toBe('unavailable');
  });

  test('what began before the circuit opened tells nothing about it after', async () => {
    const { open, send, pass, waiting, middleware } = broken();
    const early = [send('later'), send('later')];
    await open();
    pass(600);
    waiting[0]?.(down);
    expect(await early[0]).toBe('unavailable');
    expect(middleware.circuits()).toMatchObject([{ state: 'open', retryAfter: 400 }]);
    pass(400);
    const probe = send('later');
    waiting[1]?.(OK);
    expect(await early[1]).toBe('ok');
    expect(middleware.circuits()).toMatchObject([{ state: 'half_open' }]);
    waiting[2]?.(OK);
    expect(await probe).toBe('ok');
  });

  test('an observer that throws breaks nothing', async () => {
    const { open, send } = broken({
      onChange() {
        throw new Error('x');
      },
    });
    await open();
    expect(await send()).toBe('unavailable');
  });

  test('servers that are well leave nothing behind, and the number of circuits is bounded', async () => {
    const { send, middleware } = broken({ per: 'principal' });
    for (let index = 0; index < 1_500; index++) await send(OK, { principal: { id: `u${index}` } });
    expect(middleware.circuits()).toEqual([]);
    for (let index = 0; index < 1_500; index++) await send(down, { principal: { id: `u${index}` } });
    expect(middleware.circuits()).toHaveLength(1_000);
  });
});

test.each<[string, unknown, string]>([
  ['no failure', { failures: 0 }, 'failures: must be a whole number, 1 or more'],
  ['a rate of percent', { rate: { share: 50, of: 10 } }, 'rate: must be an object { share, of }'],
  ['an unknown division', { per: 'user' }, "per: must be 'server', 'principal' or 'tool'"],
  ['a slip of the pen', { openfor: 1 }, 'openfor: is not known here. Did you mean "openFor"?'],
])('%s is refused at once', (_, options, text) => {
  expect(() => circuitBreaker(options as CircuitBreakerOptions)).toThrow(text);
});

describe('on real servers', () => {
  test('a dead server is left alone, its handshake included, and found again; the other one is not touched', async () => {
    const server = await fake();
    const other = await fake();
    let time = 0;
    const breaker = circuitBreaker({ failures: 2, openFor: 1_000, now: () => time });
    const servers = { s: { url: server.url }, o: { url: other.url } };
    const tools = await toolSet({ servers, middleware: [breaker] });
    await server.close();
    const codes = [];
    for (let index = 0; index < 4; index++) codes.push(await codeOf(execute(tools, 's_echo')));
    expect(codes.slice(2)).toEqual(['unavailable', 'unavailable']);
    expect(breaker.circuits()).toMatchObject([{ server: 's', state: 'open', failures: 2 }]);
    expect(await codeOf(execute(tools, 'o_echo'))).toBe('ok');

    const again = await fake({ port: server.port });
    expect(await codeOf(execute(tools, 's_echo'))).toBe('unavailable');
    expect(again.requests).toEqual([]);
    time = 1_000;
    // The probe's own handshake passes.
    expect(await codeOf(execute(tools, 's_echo'))).toBe('ok');
    expect(breaker.circuits()).toEqual([]);
    expect(Object.keys(await inspectToolSet(tools).provider.tools())).toEqual(['o_echo', 's_echo']);
  });

  test('time-outs further in count, and a failing tool does not', async () => {
    const server = await fake({
      tools: [{ name: 'slow' }, { name: 'bad', result: { content: [], isError: true } }],
      intercept: ({ message }) => message.params?.name === 'slow',
    });
    const middleware = [circuitBreaker({ failures: 2 }), timeout({ request: 100 })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    for (let index = 0; index < 3; index++) expect(await codeOf(execute(tools, 's_bad'))).toBe('tool_error');
    const codes = [];
    for (let index = 0; index < 3; index++) codes.push(await codeOf(execute(tools, 's_slow')));
    expect(codes).toEqual(['timeout', 'timeout', 'unavailable']);
  });

  test('whatever a plain tool or the connector of the AI SDK throws is a failure', async () => {
    let calls = 0;
    const flaky = aiTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async (): Promise<string> => {
        calls++;
        throw new Error('busy');
      },
    });
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        json(response, {}, 503);
        return true;
      },
    });
    const middleware = [circuitBreaker({ failures: 2, per: 'tool' })];
    const tools = await wrapToolSet({ tools: { flaky, ...(await connectorTools(server.url)) }, middleware });
    const codes = [];
    for (const name of ['flaky', 'flaky', 'flaky', 'echo', 'echo', 'echo']) codes.push(await codeOf(execute(tools, name)));
    expect(codes).toEqual([
      'Error',
      'Error',
      'unavailable',
      expect.stringMatching(/Error/),
      expect.stringMatching(/Error/),
      'unavailable',
    ]);
    expect(calls).toBe(2);
  });

  test('a middleware further in that throws by mistake does not open it for a server', async () => {
    const { send } = broken({ failures: 1 });
    await send(new TypeError('x'), { call: call(tool()) });
    expect(await send()).toBe('ok');
  });
});
