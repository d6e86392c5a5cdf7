import { tool as aiTool, jsonSchema } from 'ai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type McpErrorCode, McpToolSetError } from '../../src/errors.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { type RetryOptions, retry } from '../../src/middleware/retry.ts';
import { timeout } from '../../src/middleware/timeout.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { McpRequest, ToolAnnotations } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { call, request, requestThrough, tool } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf, listeners } from './foreign.ts';

const fails = (code: McpErrorCode, data: Record<string, unknown> = {}) => new McpToolSetError(code, 'it failed', { data });
const hinted = (annotations: ToolAnnotations): McpRequest => request({ call: call(tool({ annotations })) });

/** How often it is sent when each attempt fails so. */
async function attemptsOf(options: RetryOptions, error: unknown, input: McpRequest = request()): Promise<number> {
  let attempts = 0;
  const run = requestThrough([retry({ delay: 0, ...options })], async () => {
    attempts++;
    throw error;
  });
  expect(await failureOf(run(input))).toBe(error);
  return attempts;
}

describe('H5 what is sent again', () => {
  test.each<[McpErrorCode, Record<string, unknown>]>([
    ['unavailable', {}],
    ['rate_limited', { status: 429 }],
    ['rate_limited', { retryAfter: 1 }],
    ['session_expired', {}],
  ])('M1 %s %j was not executed: any tool', async (code, data) => {
    expect(await attemptsOf({}, fails(code, data))).toBe(3);
  });

  const unclear: [McpErrorCode, Record<string, unknown>][] = [
    ['outcome_unknown', {}],
    ['timeout', {}],
    ['http_error', { status: 500 }],
    ['http_error', { status: 503, retryAfter: 1 }],
  ];
  test.each(unclear)('H5 %s %j may have been executed: never a tool that nobody vouches for', async (code, data) => {
    expect(await attemptsOf({}, fails(code, data))).toBe(1);
    expect(await attemptsOf({}, fails(code, data), hinted({ readOnlyHint: true, idempotentHint: true }))).toBe(1);
    expect(await attemptsOf({ trust: ['other'] }, fails(code, data), hinted({ readOnlyHint: true }))).toBe(1);
    expect(await attemptsOf({ trust: ['*'] }, fails(code, data), hinted({}))).toBe(1);
  });

  test.each(unclear)('H5 %s %j: reads, trusted hints and named tools are', async (code, data) => {
    const error = fails(code, data);
    const read = request({ method: 'resources/read', params: { uri: 'a:b' } });
    expect(await attemptsOf({}, error, read)).toBe(3);
    expect(await attemptsOf({ reads: false }, error, read)).toBe(1);
    expect(await attemptsOf({ trust: ['fil*'] }, error, hinted({ readOnlyHint: true }))).toBe(3);
    expect(await attemptsOf({ trust: ['files'] }, error, hinted({ idempotentHint: true, destructiveHint: true }))).toBe(3);
    expect(await attemptsOf({ allow: ['files/read_*'] }, error)).toBe(3);
  });

  test.each<[string, ToolAnnotations]>([
    ['contradictory', { readOnlyHint: true, destructiveHint: true, idempotentHint: true }],
    ['false', { readOnlyHint: false }],
    ['no boolean', { readOnlyHint: 'true' as never, idempotentHint: 1 as never }],
  ])('N8 hints that are %s vouch for nothing', async (_, annotations) => {
    expect(await attemptsOf({ trust: ['*'] }, fails('outcome_unknown'), hinted(annotations))).toBe(1);
  });

  test('H5 a request for another tool than the call has no hints', async () => {
    const input = hinted({ readOnlyHint: true });
    const options = { trust: ['*'], allow: ['*/*'] };
    expect(await attemptsOf(options, fails('timeout'), { ...input, params: { name: 'other' } })).toBe(1);
    expect(await attemptsOf(options, fails('timeout'), { ...input, call: undefined })).toBe(1);
  });

  test.each<McpErrorCode>([
    'protocol_error',
    'invalid_arguments',
    'tool_error',
    'not_allowed',
    'tool_not_found',
    'unauthorized',
    'forbidden',
    'redirect_refused',
    'bad_response',
    'too_large',
    'closed',
    'aborted',
    'config_invalid',
  ])('H5 %s is an answer and stands', async (code) => {
    const options = { trust: ['*'], allow: ['*/*'], retryIf: () => true };
    expect(await attemptsOf(options, fails(code), hinted({ readOnlyHint: true }))).toBe(1);
    expect(await attemptsOf(options, fails(code), request({ method: 'tools/list' }))).toBe(1);
  });

  test('a 4xx stands too, handshakes and pings are left alone, and a result with isError is a result', async () => {
    expect(await attemptsOf({}, fails('http_error', { status: 400 }), request({ method: 'tools/list' }))).toBe(1);
    for (const method of ['initialize', 'server/discover', 'ping']) {
      expect(await attemptsOf({}, fails('unavailable'), request({ method }))).toBe(1);
    }
    let attempts = 0;
    const failed = { content: [], isError: true };
    const run = requestThrough([retry({ allow: ['*/*'] })], async () => {
      attempts++;
      return failed;
    });
    expect(await run(request())).toBe(failed);
    expect(attempts).toBe(1);
  });

  test('an error that is not ours is repeated only by `retryIf`', async () => {
    const error = new TypeError('x');
    expect(await attemptsOf({}, error)).toBe(1);
    expect(await attemptsOf({ retryIf: (seen) => seen === error }, error)).toBe(3);
    expect(await attemptsOf({ retryIf: (() => 'yes') as never }, error)).toBe(1);
  });
});

describe('M3 when', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** When each attempt started, in milliseconds. */
  function timed(options: RetryOptions, error: unknown, overrides: Partial<McpRequest> = {}) {
    const starts: number[] = [];
    const begin = Date.now();
    const run = requestThrough([retry(options)], async () => {
      starts.push(Date.now() - begin);
      throw error;
    });
    return { starts, failing: failureOf(run(request(overrides))) };
  }

  test('waits grow exponentially up to the longest, with full jitter', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999_999);
    const { starts, failing } = timed({ attempts: 6, delay: 100, maxDelay: 400 }, fails('unavailable'));
    await vi.runAllTimersAsync();
    await failing;
    expect(starts.map((start, index) => Math.round(start - (starts[index - 1] ?? 0)))).toEqual([0, 99, 199, 399, 399, 399]);

    vi.spyOn(Math, 'random').mockReturnValue(0);
    const none = timed({ attempts: 3, delay: 100 }, fails('unavailable'));
    await vi.advanceTimersByTimeAsync(5);
    await none.failing;
    expect(none.starts).toHaveLength(3);
  });

  test('M1 the server says how long', async () => {
    const { starts, failing } = timed({ attempts: 2, delay: 100 }, fails('rate_limited', { retryAfter: 5_000 }));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(starts).toEqual([0]);
    await vi.advanceTimersByTimeAsync(102);
    await failing;
    expect(starts).toHaveLength(2);
  });

  test('M3 a wait past the budget does not begin: the error comes at once', async () => {
    const error = fails('rate_limited', { retryAfter: 31_000 });
    const { starts, failing } = timed({}, error);
    expect(await failing).toBe(error);
    expect(starts).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('M3 the budget runs over all attempts', async () => {
    const { starts, failing } = timed({ attempts: 100, budget: 10_000 }, fails('rate_limited', { retryAfter: 3_000 }));
    await vi.runAllTimersAsync();
    expect(await failing).toMatchObject({ code: 'rate_limited' });
    expect(starts).toHaveLength(4);
    expect(starts.at(-1)).toBeLessThan(10_000);
  });

  test('M3 neither does a wait past a time-out that is further out', async () => {
    const error = fails('rate_limited', { retryAfter: 2_000 });
    const run = requestThrough([timeout({ request: 1_500 }), retry()], async () => Promise.reject(error));
    expect(await failureOf(run(request()))).toBe(error);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an abort ends a wait at once, and leaves no timer and no listener', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const { starts, failing } = timed({}, fails('unavailable', { retryAfter: 20_000 }), { signal });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(listeners(signal)).toBe(1);
    controller.abort(new Error('stop'));
    expect(await failing).toMatchObject({ code: 'aborted', cause: signal.reason });
    expect((await failing).message).toContain('the caller ended the call while it waited to try again after unavailable');
    expect(starts).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(signal)).toBe(0);
  });

  test('nothing is repeated for a caller who has left', async () => {
    const { starts, failing } = timed({}, fails('unavailable'), { signal: AbortSignal.abort() });
    expect(await failing).toMatchObject({ code: 'unavailable' });
    expect(starts).toEqual([0]);
  });
});

test.each<[string, unknown, string]>([
  ['no attempt', { attempts: 0 }, 'attempts: must be a whole number, 1 or more'],
  ['an endless budget', { budget: Number.POSITIVE_INFINITY }, 'budget: must be a number of milliseconds'],
  ['a pattern without a server', { allow: ['read'] }, 'allow: must be a list of patterns of the form server/tool'],
  ['a slip of the pen', { atempts: 2 }, 'atempts: is not known here. Did you mean "attempts"?'],
])('%s is refused at once', (_, options, text) => {
  expect(() => retry(options as RetryOptions)).toThrow(text);
});

describe('on real servers', () => {
  /** A server whose first calls are answered with a status, after they were executed or before. */
  async function failing(times: number, status: number, headers: Record<string, string> = {}) {
    const calls: string[] = [];
    const server = await fake({
      tools: [{ name: 'write' }, { name: 'read', annotations: { readOnlyHint: true } }],
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        calls.push(String(message.params?.name));
        if (calls.length > times) return false;
        json(response, { error: 'no' }, status, headers);
        return true;
      },
    });
    return { server, calls };
  }

  test('M1 a 429 is sent again as its Retry-After says, also for a write; each attempt costs a token', async () => {
    const { server, calls } = await failing(2, 429, { 'retry-after': '0' });
    const limits = rateLimit({ limit: 10, interval: 60_000 });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [retry({ delay: 10 }), limits] });
    expect(await execute(tools, 's_write')).toMatchObject({ content: [{ text: 'write {}' }] });
    expect(calls).toHaveLength(3);
    expect(limits.usage()).toMatchObject([{ used: 3 }]);
  });

  test('H5 a 503 after the commit is not sent again for a write, and is for a read that is trusted', async () => {
    const { server, calls } = await failing(1, 503);
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [retry({ delay: 10, trust: ['s'] })] });
    expect(await codeOf(execute(tools, 's_write'))).toBe('http_error');
    expect(calls).toEqual(['write']);
    calls.length = 0;
    expect(await execute(tools, 's_read')).toMatchObject({ content: [{ text: 'read {}' }] });
    expect(calls).toEqual(['read', 'read']);
  });

  test('H5 a connection that is lost after the commit is not tried again for a write', async () => {
    let executed = 0;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        executed++;
        response.destroy();
        return true;
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [retry({ delay: 10 })] });
    expect(await codeOf(execute(tools, 's_echo'))).toBe('outcome_unknown');
    expect(executed).toBe(1);
  });

  test('H5 invalid arguments are not sent again', async () => {
    let executed = 0;
    const server = await fake({
      intercept: ({ message: { id, method } }, response) => {
        if (method !== 'tools/call') return false;
        executed++;
        json(response, { jsonrpc: '2.0', id, error: { code: -32602, message: 'bad' } });
        return true;
      },
    });
    const middleware = [retry({ delay: 10, allow: ['*/*'] })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    expect(await codeOf(execute(tools, 's_echo'))).toBe('invalid_arguments');
    expect(executed).toBe(1);
  });
});

describe('around foreign tools', () => {
  const flaky = (failures: number) => {
    let calls = 0;
    return aiTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async () => {
        if (calls++ < failures) throw new Error('busy');
        return { calls };
      },
    });
  };

  test('says at once that it cannot tell which of their errors are safe', async () => {
    const error = await failureOf(wrapToolSet({ tools: { flaky: flaky(0) }, middleware: [retry()] }));
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect(error.message).toContain('retry() can do nothing for the tool "flaky" of wrapToolSet()');
    expect(error.message).toContain('`retryIf`');
  });

  test('repeats what `retryIf` says: plain tools and the connector of the AI SDK', async () => {
    let down = true;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call' || !down) return false;
        down = false;
        json(response, { error: 'busy' }, 503);
        return true;
      },
    });
    const connector = await connectorTools(server.url);
    const middleware = [retry({ delay: 10, retryIf: (error) => /busy|503/.test(String(error)) })];
    const tools = await wrapToolSet({ tools: { twice: flaky(2), often: flaky(9), ...connector }, middleware });
    expect(await execute(tools, 'twice')).toEqual({ calls: 3 });
    await expect(execute(tools, 'often')).rejects.toThrow('busy');
    expect(await execute(tools, 'echo')).toMatchObject({ content: [{ text: 'echo {}' }] });
  });
});
