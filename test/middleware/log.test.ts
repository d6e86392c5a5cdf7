import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { cache } from '../../src/middleware/cache.ts';
import { type LogEvent, type LogOptions, log } from '../../src/middleware/log.ts';
import { retry } from '../../src/middleware/retry.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { CallToolResult } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { call, callThrough, OK, request, requestThrough, tool } from './fake.ts';
import { codeOf, connectorTools, execute } from './foreign.ts';

const SENTINEL = 'sentinel-7f3a';

/** The events of one call that comes out so. */
async function eventsOf(outcome: CallToolResult | Error, options: LogOptions = {}): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const middleware = log((event) => events.push(event), { now: clock(), ...options });
  const run = callThrough([middleware], async () => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  await run(call(tool(), { input: { path: SENTINEL, apiKey: SENTINEL } })).catch(() => {});
  return events;
}

function clock(): () => number {
  let time = 0;
  return () => (time += 5);
}

describe('L4J-29 what is told', () => {
  test('the start and the end of a call', async () => {
    expect(await eventsOf(OK)).toEqual([
      { event: 'call_start', server: 'files', tool: 'read_file', toolCallId: 'c1', inputBytes: 49 },
      {
        event: 'call_end',
        server: 'files',
        tool: 'read_file',
        toolCallId: 'c1',
        ok: true,
        milliseconds: 5,
        outputBytes: JSON.stringify(OK).length,
      },
    ]);
  });

  test('a result with isError, an error of ours with its status, and any other', async () => {
    expect((await eventsOf({ content: [], isError: true }))[1]).toMatchObject({ ok: false, code: 'tool_error', outputBytes: 29 });
    const http = new McpToolSetError('http_error', 'x', { data: { status: 503 } });
    expect((await eventsOf(http))[1]).toMatchObject({ ok: false, code: 'http_error', status: 503 });
    expect((await eventsOf(new Error(SENTINEL)))[1]).toEqual({
      event: 'call_end',
      server: 'files',
      tool: 'read_file',
      toolCallId: 'c1',
      ok: false,
      code: 'tool_error',
      milliseconds: 5,
    });
  });

  test('requests, with their method', async () => {
    const events: LogEvent[] = [];
    const run = requestThrough([log((event) => events.push(event))], async () => Promise.reject(new Error('x')));
    await run(request({ method: 'tools/list', params: {}, call: undefined, signal: AbortSignal.abort() })).catch(() => {});
    expect(events).toMatchObject([
      { event: 'request_start', server: 'files', method: 'tools/list' },
      { event: 'request_end', method: 'tools/list', ok: false, code: 'aborted' },
    ]);
    expect(events[0]).not.toHaveProperty('tool');
  });

  test('L5 no argument, result, header, URI or text of an error, unless asked for; then redacted', async () => {
    const secret = { content: [{ type: 'text', text: SENTINEL }], password: SENTINEL } as unknown as CallToolResult;
    for (const outcome of [secret, new McpToolSetError('tool_error', SENTINEL), new Error(SENTINEL)]) {
      expect(JSON.stringify(await eventsOf(outcome))).not.toContain(SENTINEL);
    }
    const [start, end] = await eventsOf(secret, { inputs: true, outputs: true, sizes: false });
    expect(start).toMatchObject({ input: `{"path":"${SENTINEL}","apiKey":"[redacted]"}` });
    expect(end).toMatchObject({ output: `{"content":[{"type":"text","text":"${SENTINEL}"}],"password":"[redacted]"}` });
    expect(start).not.toHaveProperty('inputBytes');
    expect(end).not.toHaveProperty('outputBytes');
    expect((await eventsOf(new Error('told'), { outputs: true }))[1]).toMatchObject({ message: 'told' });

    const events: LogEvent[] = [];
    const headers = { authorization: SENTINEL, 'X-Api-Key': SENTINEL, 'x-tenant': 't1' };
    const params = { uri: `https://x/?token=${SENTINEL}` };
    for (const options of [{}, { headers: true }]) {
      const run = requestThrough([log((event) => events.push(event), options)], async () => OK);
      await run(request({ method: 'resources/read', params, headers }));
    }
    expect(JSON.stringify(events)).not.toContain(SENTINEL);
    expect(events[2]?.headers).toBe('{"authorization":"[redacted]","X-Api-Key":"[redacted]","x-tenant":"t1"}');
  });

  test("one's own fields; those that are named win, and a function that throws costs its own part", async () => {
    const fields: LogOptions['fields'] = (subject) => ({ tenant: 't1', event: 'mine', id: 'tool' in subject });
    expect((await eventsOf(OK, { fields }))[0]).toMatchObject({ tenant: 't1', id: true, event: 'call_start' });
    const broken = (): never => {
      throw new Error('x');
    };
    expect(await eventsOf(OK, { fields: broken })).toHaveLength(2);
  });

  test('a sink that throws or rejects breaks nothing, and nobody waits for one', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): number => unhandled.push(error);
    process.on('unhandledRejection', note);
    const sinks = [
      () => {
        throw new Error('x');
      },
      async () => Promise.reject(new Error('x')),
      () => new Promise(() => {}),
    ];
    for (const sink of sinks) expect(await callThrough([log(sink)], async () => OK)(call(tool()))).toBe(OK);
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('what cannot be measured or shown is left out', async () => {
    const loop: Record<string, unknown> = { content: [] };
    loop.self = loop;
    const [, end] = await eventsOf(loop as unknown as CallToolResult, { outputs: true });
    expect(end).toMatchObject({ ok: true, outputBytes: undefined, output: '[unreadable]' });
  });

  test.each<[string, unknown, unknown, string]>([
    ['no sink', undefined, {}, 'write: is missing; it must be a function'],
    ['a sink that is a logger', console, {}, 'write: must be a function'],
    ['a slip of the pen', () => {}, { input: true }, 'input: is not known here. Did you mean "inputs"?'],
  ])('%s is refused at once', (_, write, options, text) => {
    expect(() => log(write as () => void, options as LogOptions)).toThrow(text);
  });
});

describe('on real servers', () => {
  const lines = (events: readonly LogEvent[]) => events.map(({ event, method, tool: name }) => [event, method ?? name].join(' '));

  test('listed first it sees a hit as a call without a request; handshakes and lists are requests', async () => {
    const events: LogEvent[] = [];
    const server = await fake({ tools: [{ name: 'echo', annotations: { readOnlyHint: true } }] });
    const middleware = [log((event) => events.push(event)), cache({ ttl: 60_000, anonymous: true })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    expect(lines(events)).toEqual(
      expect.arrayContaining(['request_start initialize', 'request_end initialize', 'request_end tools/list']),
    );
    events.length = 0;
    await execute(tools, 's_echo');
    await execute(tools, 's_echo');
    expect(lines(events)).toEqual([
      'call_start echo',
      'request_start tools/call',
      'request_end tools/call',
      'call_end echo',
      'call_start echo',
      'call_end echo',
    ]);
  });

  test('listed after retry, each attempt is a request of its own', async () => {
    const events: LogEvent[] = [];
    let busy = 1;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call' || busy-- <= 0) return false;
        json(response, {}, 429);
        return true;
      },
    });
    const middleware = [retry({ delay: 1 }), log((event) => events.push(event))];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    events.length = 0;
    await execute(tools, 's_echo');
    const ends = events.filter(({ event }) => event === 'request_end');
    expect(ends).toMatchObject([
      { ok: false, code: 'rate_limited', status: 429 },
      { ok: true, method: 'tools/call' },
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'call_end', ok: true, tool: 'echo' });
  });

  test('L5 a secret in a header, a query, an argument and a thrown error is in no event', async () => {
    const events: LogEvent[] = [];
    const server = await fake({ tools: [{ name: 'echo', result: { content: [{ type: 'text', text: SENTINEL }] } }] });
    const throwing = aiTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: (): Promise<string> => Promise.reject(new Error(SENTINEL)),
    });
    const middleware = [log((event) => events.push(event))];
    const servers = { s: { url: `${server.url}?key=${SENTINEL}`, headers: { authorization: SENTINEL } } };
    const tools = await toolSet({ servers, middleware });
    await execute(tools, 's_echo', { text: SENTINEL });
    const foreign = await wrapToolSet({ tools: { throwing, ...(await connectorTools(server.url)) }, middleware });
    expect(await codeOf(execute(foreign, 'throwing', { text: SENTINEL }))).toBe('Error');
    expect(await execute(foreign, 'echo', { text: SENTINEL })).toMatchObject({ content: [{ text: SENTINEL }] });
    expect(lines(events)).toEqual(expect.arrayContaining(['call_end throwing', 'request_end tools/call', 'call_end echo']));
    expect(JSON.stringify(events)).not.toContain(SENTINEL);
  });
});
