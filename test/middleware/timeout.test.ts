import { tool as aiTool, jsonSchema } from 'ai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { retry } from '../../src/middleware/retry.ts';
import { type TimeoutOptions, timeout } from '../../src/middleware/timeout.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { McpRequest, McpResult } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { OK, request, requestThrough } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf, listeners } from './foreign.ts';

const never = (): Promise<never> => new Promise(() => {});
/** Does what it can to end when it is told to. */
const obedient = ({ signal }: McpRequest): Promise<McpResult> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('with a clock', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('H1 a request that takes too long is cancelled by its signal, and its error says what to do', async () => {
    let seen: AbortSignal | undefined;
    const run = requestThrough([timeout({ request: 1_000 })], (input) => {
      seen = input.signal;
      return obedient(input);
    });
    const failing = failureOf(run(request()));
    await vi.advanceTimersByTimeAsync(999);
    expect(seen?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const error = await failing;
    expect(error).toMatchObject({ code: 'timeout', server: 'files', tool: 'read_file', data: { milliseconds: 1_000 } });
    expect(error.message).toBe(
      'MCP server "files", tool "read_file": tools/call had no answer within 1000 ms and was cancelled. It may have been executed all ' +
        'the same: check before repeating it. The application raises the limit in timeout().',
    );
    expect(seen?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('H1 nobody hangs on work that does not look at its signal, after the limit or after an abort', async () => {
    const run = requestThrough([timeout({ request: 1_000 })], never);
    const late = codeOf(run(request()));
    const { signal, abort } = controller();
    const ended = failureOf(run(request({ signal })));
    await vi.advanceTimersByTimeAsync(500);
    abort(new Error('enough'));
    expect(await ended).toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
    expect(listeners(signal)).toBe(0);
    await vi.advanceTimersByTimeAsync(500);
    expect(await late).toBe('timeout');
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the caller's own time limit comes out as `timeout`, a budget further out as it is", async () => {
    const run = requestThrough([timeout({ request: 1_000 })], never);
    const { signal, abort } = controller();
    const mine = failureOf(run(request({ signal })));
    abort(new DOMException('late', 'TimeoutError'));
    expect(await mine).toMatchObject({ code: 'timeout' });
    expect((await mine).message).toContain('the time was up while tools/call was under way');

    const both = requestThrough([timeout({ request: 300 }), timeout({ request: 1_000 })], never);
    const nested = failureOf(both(request()));
    await vi.advanceTimersByTimeAsync(300);
    expect(await nested).toMatchObject({ code: 'timeout', data: { milliseconds: 300 } });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what settles in time comes out as it is, and leaves no timer and no listener', async () => {
    const { signal } = controller();
    const error = new McpToolSetError('protocol_error', 'no');
    const steps = [async () => OK, async () => Promise.reject(error)];
    const run = requestThrough([timeout({ request: 1_000 })], async () => (steps.shift() ?? never)());
    expect(await run(request({ signal }))).toBe(OK);
    expect(await failureOf(run(request({ signal })))).toBe(error);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners(signal)).toBe(0);
  });

  test('H3 single tools have limits of their own; 0 is none; handshakes have none', async () => {
    const tools = { 'files/slow_*': 5_000, 'files/endless': 0, 'other/*': 1 };
    const run = requestThrough([timeout({ request: 1_000, tools })], never);
    const of = (name: string) => codeOf(run(request({ params: { name } }))).then((code) => ends.push(`${name} ${code}`));
    const ends: string[] = [];
    for (const name of ['quick', 'slow_one', 'endless']) void of(name);
    void codeOf(run(request({ method: 'initialize' }))).then(() => ends.push('initialize'));
    void codeOf(run(request({ method: 'resources/read', params: { uri: 'a:b' } }))).then((code) => ends.push(`read ${code}`));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ends).toEqual(['quick timeout', 'read timeout']);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(ends.slice(2)).toEqual(['slow_one timeout']);
  });

  test('inside retry each attempt has the whole limit; outside, all attempts share one', async () => {
    let attempts = 0;
    const last = (input: McpRequest): Promise<McpResult> => {
      attempts++;
      return obedient(input);
    };
    const again = retry({ attempts: 3, allow: ['files/*'], delay: 0 });
    const inside = failureOf(requestThrough([again, timeout({ request: 1_000 })], last)(request()));
    await vi.advanceTimersByTimeAsync(3_100);
    expect(await inside).toMatchObject({ code: 'timeout', data: { milliseconds: 1_000 } });
    expect(attempts).toBe(3);

    attempts = 0;
    const outside = failureOf(requestThrough([timeout({ request: 2_500 }), again, timeout({ request: 1_000 })], last)(request()));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await outside).toMatchObject({ code: 'timeout', data: { milliseconds: 2_500 } });
    expect(attempts).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('its input is not changed, and `peer` stays the one that is filled in', async () => {
    const input = Object.freeze(request());
    await requestThrough([timeout({ request: 1_000 })], async ({ peer, signal }) => {
      peer.version = '1';
      expect(signal).toBeDefined();
      return OK;
    })(input);
    expect(input.peer).toEqual({ version: '1' });
  });
});

test.each<[string, unknown, string]>([
  ['nothing', {}, 'request: is missing'],
  ['a negative limit', { request: -1 }, 'request: must be a number of milliseconds from 0'],
  ['a text', { request: '1s' }, 'request: must be'],
  [
    'a tool without its server',
    { request: 1, tools: { read: 1 } },
    'tools: must be an object from patterns of the form server/tool',
  ],
  ['a slip of the pen', { request: 1, tool: {} }, 'tool: is not known here. Did you mean "tools"?'],
])('%s is refused at once', (_, options, text) => {
  expect(() => timeout(options as TimeoutOptions)).toThrow(text);
});

describe('on real servers', () => {
  test('H1 the server is told, the call ends as `timeout`, and the next one works', async () => {
    let hang = true;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call' || !hang) return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        return true;
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [timeout({ request: 300 })] });
    expect(await codeOf(execute(tools, 's_echo'))).toBe('timeout');
    await vi.waitFor(() => expect(server.log()).toContain('notifications/cancelled'));
    hang = false;
    expect(await execute(tools, 's_echo')).toMatchObject({ content: [{ text: 'echo {}' }] });
  });

  test("H1 a plain tool and the AI SDK's connector are held to it, by the signal that they are given", async () => {
    let ended: unknown;
    const slow = aiTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: (_, { abortSignal }) =>
        new Promise((_resolve, reject) =>
          abortSignal?.addEventListener('abort', () => {
            ended = abortSignal.reason;
            reject(abortSignal.reason);
          }),
        ),
    });
    const deaf = aiTool({ inputSchema: jsonSchema({ type: 'object' }), execute: (): Promise<string> => never() });
    const server = await fake({ intercept: ({ message }) => message.method === 'tools/call' });
    const connector = await connectorTools(server.url);
    const middleware = [timeout({ request: 200, tools: { 'tools/deaf': 100 } })];
    const tools = await wrapToolSet({ tools: { slow, deaf, ...connector }, middleware });
    const codes = await Promise.all(['slow', 'deaf', 'echo'].map((name) => codeOf(execute(tools, name))));
    expect(codes).toEqual(['timeout', 'timeout', 'timeout']);
    expect(ended).toMatchObject({ code: 'timeout', tool: 'slow' });
  });
});

function controller(): { signal: AbortSignal; abort: (reason: unknown) => void } {
  const made = new AbortController();
  return { signal: made.signal, abort: (reason) => made.abort(reason) };
}
