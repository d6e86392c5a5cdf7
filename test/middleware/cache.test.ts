import { tool as aiTool, generateText, jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { createMcpToolProvider, inspectToolSet } from '../../src/index.ts';
import { type CacheOptions, cache } from '../../src/middleware/cache.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { readOnly } from '../../src/middleware/read-only.ts';
import type { TextStore } from '../../src/middleware/shared/text-store.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { CallToolResult, ToolCall, ToolDefinition } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { plannedModel, stopAfter } from '../support/model.ts';
import { call, callThrough, tool } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf, listeners } from './foreign.ts';

const READS = tool({ annotations: { readOnlyHint: true } });
const ANN = { id: 'ann' };

/** A cache over a last step that counts, and answers as it is told. */
function cached(options: Partial<CacheOptions> = {}, answer?: (call: ToolCall, count: number) => unknown) {
  const clock = { now: 1_000_000 };
  const calls: ToolCall[] = [];
  const middleware = cache({ ttl: 1_000, now: () => clock.now, ...options });
  const run = callThrough([middleware], async (input) => {
    calls.push(input);
    const made = answer?.(input, calls.length) ?? { content: [{ type: 'text', text: `answer ${calls.length}` }] };
    return (await made) as CallToolResult;
  });
  const ask = (input: Record<string, unknown> = {}, overrides: Partial<ToolCall> = {}) =>
    run(call(overrides.tool ?? READS, { input, principal: ANN, ...overrides }));
  return { middleware, ask, calls, clock };
}

const textOf = (result: CallToolResult) => (result.content[0] as { text: string }).text;

describe('what is kept', () => {
  test('equal arguments in any order, for as long as the ttl', async () => {
    const { ask, calls, clock, middleware } = cached();
    const first = await ask({ a: 1, b: { c: [1, 2], d: null } });
    expect(await ask({ b: { d: null, c: [1, 2] }, a: 1 })).toEqual(first);
    clock.now += 999;
    expect(await ask({ a: 1, b: { c: [1, 2], d: null }, e: undefined })).toEqual(first);
    expect(calls).toHaveLength(1);
    for (const other of [{ a: '1', b: 1 }, { a: 1, b: { c: [2, 1], d: null } }, {}]) await ask(other);
    expect(calls).toHaveLength(4);
    clock.now += 1;
    expect(textOf(await ask({ a: 1, b: { c: [1, 2], d: null } }))).toBe('answer 5');
    expect(middleware.stats()).toMatchObject({ hits: 2, misses: 5, joined: 0, skipped: 0, entries: 4 });
  });

  test.each<[string, Partial<ToolDefinition>, Partial<CacheOptions>, boolean]>([
    ['a read-only tool', { annotations: { readOnlyHint: true } }, {}, true],
    ['a tool without hints', {}, {}, false],
    ['a false hint', { annotations: { readOnlyHint: false } }, {}, false],
    ['a hint that is no boolean', { annotations: { readOnlyHint: 'true' as never } }, {}, false],
    ['contradictory hints', { annotations: { readOnlyHint: true, destructiveHint: true } }, {}, false],
    ['an idempotent tool', { annotations: { idempotentHint: true } }, {}, false],
    ['an idempotent tool, by option', { annotations: { idempotentHint: true } }, { idempotent: true }, true],
    ['an untrusted server', { annotations: { readOnlyHint: true } }, { trust: ['docs'] }, false],
    ['a trusted server', { annotations: { readOnlyHint: true } }, { trust: ['fil*'] }, true],
    ['a named tool', {}, { allow: ['files/read_*'] }, true],
    ['a tool that is denied', { annotations: { readOnlyHint: true } }, { allow: ['*/*'], deny: ['files/read_file'] }, false],
    ['a tool with a run of its own', { annotations: { readOnlyHint: true }, run: async () => ({ content: [] }) }, {}, false],
  ])('N8 %s', async (_, overrides, options, kept) => {
    const { ask, calls, middleware } = cached(options);
    const definition = tool(overrides);
    await ask({}, { tool: definition });
    await ask({}, { tool: definition });
    expect(calls).toHaveLength(kept ? 1 : 2);
    expect(middleware.stats().skipped).toBe(kept ? 0 : 2);
  });

  test('neither errors nor results with isError', async () => {
    const { ask, calls } = cached({}, (_, count) => {
      if (count === 1) throw new McpToolSetError('unavailable', 'x');
      return count === 2 ? { content: [], isError: true } : undefined;
    });
    expect(await codeOf(ask())).toBe('unavailable');
    expect(await ask()).toMatchObject({ isError: true });
    expect(textOf(await ask())).toBe('answer 3');
    expect(textOf(await ask())).toBe('answer 3');
    expect(calls).toHaveLength(3);
  });

  test('everything of a result, `_meta` included, and nobody can change it for the others', async () => {
    const answer = { content: [{ type: 'text', text: 'x' }], structuredContent: { a: [1] }, _meta: { id: 7 }, extra: true };
    const { ask } = cached({}, () => answer);
    const [first, second] = [await ask(), await ask()];
    expect(second).toEqual(answer);
    Object.assign(second.structuredContent as object, { a: 'changed' });
    Object.assign(first, { content: [] });
    expect(await ask()).toEqual({ ...answer, content: [{ type: 'text', text: 'x' }] });
  });

  test('within a budget of bytes, the longest unused going first; what is larger than it alone is not kept', async () => {
    const text = 'x'.repeat(1_000);
    const { ask, calls, middleware } = cached({ maxBytes: 4_000 }, ({ input }) => ({
      content: [{ type: 'text', text: input.large ? text.repeat(5) : text }],
    }));
    for (const id of [1, 2, 3]) await ask({ id });
    await ask({ id: 1 });
    await ask({ id: 4 });
    expect(calls).toHaveLength(4);
    expect(middleware.stats().bytes).toBeLessThanOrEqual(4_000);
    await ask({ id: 1 });
    expect(calls).toHaveLength(4);
    await ask({ id: 2 });
    expect(calls).toHaveLength(5);
    await ask({ large: true });
    await ask({ large: true });
    expect(calls).toHaveLength(7);
  });

  test('a definition that changed misses: hints, schema, text', async () => {
    const { ask, calls } = cached();
    await ask();
    await ask({}, { tool: { ...READS } });
    expect(calls).toHaveLength(1);
    const changes: Partial<ToolDefinition>[] = [
      { annotations: { readOnlyHint: true, openWorldHint: true } },
      { inputSchema: { type: 'object', properties: { a: {} } } },
      { outputSchema: { type: 'object' } },
      { description: 'other' },
    ];
    for (const change of changes) await ask({}, { tool: { ...READS, ...change } });
    expect(calls).toHaveLength(5);
    await ask({}, { tool: { ...READS, annotations: { readOnlyHint: false } } });
    expect(calls).toHaveLength(6);
  });
});

describe('N7 whose it is', () => {
  test('N7 no answer crosses principals, tools or servers, whatever characters are in their names', async () => {
    const { ask, calls } = cached();
    const of = (server: string, originalName: string) => tool({ server, originalName, annotations: READS.annotations ?? {} });
    const places: Partial<ToolCall>[] = [
      {},
      { principal: { id: 'bob' } },
      { principal: { id: 'null' } },
      { principal: { id: '' } },
      { tool: of('files', 'other') },
      { tool: of('other', 'read_file') },
      { tool: of('files","ann', 'x') },
      { tool: of('files', 'ann","x') },
    ];
    for (const place of places) await ask({}, place);
    expect(calls).toHaveLength(places.length);
    for (const place of places) await ask({}, place);
    expect(calls).toHaveLength(places.length);
  });

  test('N7 calls without a principal share nothing unless the application says that they may', async () => {
    const strict = cached();
    for (let index = 0; index < 2; index++) await strict.ask({}, { principal: undefined });
    expect(strict.calls).toHaveLength(2);
    expect(strict.middleware.stats().skipped).toBe(2);
    const open = cached({ anonymous: true });
    for (let index = 0; index < 2; index++) await open.ask({}, { principal: undefined });
    await open.ask();
    expect(open.calls).toHaveLength(2);
  });

  test('clear() drops everything, or what is one principal’s, also what is under way', async () => {
    let release = (): void => {};
    const { ask, calls, middleware } = cached({}, ({ input }) =>
      input.wait ? new Promise((resolve) => (release = () => resolve({ content: [] }))) : undefined,
    );
    await ask();
    await ask({}, { principal: { id: 'bob' } });
    middleware.clear('ann');
    await ask({}, { principal: { id: 'bob' } });
    expect(calls).toHaveLength(2);
    await ask();
    expect(calls).toHaveLength(3);
    const waiting = ask({ wait: true });
    await Promise.resolve();
    middleware.clear();
    release();
    await waiting;
    expect(middleware.stats()).toMatchObject({ entries: 0, bytes: 0 });
  });
});

describe('equal calls at the same time', () => {
  function slow() {
    const signals: (AbortSignal | undefined)[] = [];
    const releases: ((result: unknown) => void)[] = [];
    const made = cached({}, ({ signal }) => {
      signals.push(signal);
      return new Promise((resolve, reject) => {
        releases.push((result) => (result instanceof Error ? reject(result) : resolve(result)));
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    });
    return { ...made, signals, releases };
  }
  const OK = { content: [{ type: 'text', text: 'one' }] };

  test('are made once, and each gets a copy of its own', async () => {
    const { ask, calls, releases, middleware } = slow();
    const asked = [ask({ a: 1 }), ask({ a: 1 }), ask({ a: 1 }), ask({ a: 2 })];
    await Promise.resolve();
    expect(calls).toHaveLength(2);
    for (const release of releases) release(OK);
    const results = await Promise.all(asked);
    for (const result of results) expect(result).toEqual(OK);
    expect(new Set(results.slice(0, 3)).size).toBe(3);
    expect(middleware.stats()).toMatchObject({ misses: 2, joined: 2 });
  });

  test('H1 whoever leaves takes nothing along; when nobody waits, the call ends', async () => {
    const { ask, calls, releases, signals } = slow();
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()];
    const leaving = failureOf(ask({}, { signal: first.signal }));
    const staying = ask({}, { signal: second.signal });
    await Promise.resolve();
    first.abort(new Error('left'));
    expect((await leaving).message).toBe('left');
    expect(signals[0]?.aborted).toBe(false);
    releases[0]?.(OK);
    expect(await staying).toEqual(OK);
    expect(calls).toHaveLength(1);

    const alone = failureOf(ask({ b: 1 }, { signal: third.signal }));
    await Promise.resolve();
    third.abort(new Error('left'));
    expect((await alone).message).toBe('left');
    expect(signals[1]?.aborted).toBe(true);
    for (const { signal } of [first, second, third]) expect(listeners(signal)).toBe(0);
  });

  test('an error is everyone’s, but not one that came of its owner’s end', async () => {
    const { ask, calls, releases } = slow();
    const both = [codeOf(ask()), codeOf(ask())];
    await Promise.resolve();
    releases[0]?.(new McpToolSetError('unavailable', 'x'));
    expect(await Promise.all(both)).toEqual(['unavailable', 'unavailable']);
    expect(calls).toHaveLength(1);

    const owner = new AbortController();
    const first = codeOf(ask({}, { signal: owner.signal }));
    const second = ask();
    await Promise.resolve();
    owner.abort();
    releases[1]?.(new Error('nobody reads the output any longer'));
    await first;
    await new Promise((resolve) => setTimeout(resolve));
    expect(calls).toHaveLength(3);
    releases[2]?.(OK);
    expect(await second).toEqual(OK);
  });
});

describe('a shared store', () => {
  function memoryStore(faults: Partial<TextStore> = {}): TextStore & { readonly entries: Map<string, string>; ttls: number[] } {
    const entries = new Map<string, string>();
    const ttls: number[] = [];
    return {
      entries,
      ttls,
      get: async (key) => entries.get(key) ?? null,
      async set(key, value, ttl) {
        entries.set(key, value);
        ttls.push(ttl);
      },
      ...faults,
    };
  }

  test('gives other processes the answer for as long as it is good, and tells neither arguments nor principals in its keys', async () => {
    const store = memoryStore();
    const [one, other] = [cached({ store }), cached({ store })];
    const first = await one.ask({ secret: 'sentinel' });
    expect(await other.ask({ secret: 'sentinel' })).toEqual(first);
    expect(other.calls).toHaveLength(0);
    expect(other.middleware.stats()).toMatchObject({ hits: 1, misses: 0 });
    expect([...store.entries.keys()].join()).toMatch(/^mcp-tool-set:cache:[0-9a-f]{64}$/);
    expect(store.ttls).toEqual([1_000]);
    other.clock.now += 1_000;
    await other.ask({ secret: 'sentinel' });
    expect(other.calls).toHaveLength(1);
    await other.ask({ secret: 'sentinel' }, { principal: { id: 'bob' } });
    await other.ask({ secret: 'sentinel' }, { tool: { ...READS, description: 'other' } });
    expect(other.calls).toHaveLength(3);
  });

  test.each<[string, Partial<TextStore>]>([
    ['rejects', { get: async () => Promise.reject(new Error('down')), set: async () => Promise.reject(new Error('down')) }],
    [
      'throws',
      {
        get() {
          throw new Error('down');
        },
      },
    ],
    ['hangs', { get: () => new Promise(() => {}), set: () => new Promise(() => {}) }],
    ['gives rubbish', { get: async () => '{"until":1e99,"text":"{"}' }],
    ['gives no text', { get: async () => 7 as never }],
  ])('a store that %s is a miss', async (_, faults) => {
    const { ask, calls } = cached({ store: memoryStore(faults) });
    expect(textOf(await ask())).toBe('answer 1');
    expect(textOf(await ask())).toBe('answer 1');
    expect(calls).toHaveLength(1);
  });

  test('H1 an abort ends the wait for it', async () => {
    const { ask } = cached({ store: memoryStore({ get: () => new Promise(() => {}) }) });
    const controller = new AbortController();
    const asking = failureOf(ask({}, { signal: controller.signal }));
    controller.abort(new Error('left'));
    expect((await asking).message).toBe('left');
  });
});

test.each<[string, unknown, string]>([
  ['no ttl', {}, 'ttl: is missing; it must be a number of milliseconds from 1'],
  ['a ttl of 0', { ttl: 0 }, 'ttl: must be'],
  ['a store without set', { ttl: 1, store: { get() {} } }, 'store: must be an object { get(key), set(key, value, ttl) }'],
  ['a slip of the pen', { ttl: 1, maxbytes: 1 }, 'maxbytes: is not known here. Did you mean "maxBytes"?'],
])('%s is refused at once', (_, options, text) => {
  expect(() => cache(options as CacheOptions)).toThrow(text);
});

describe('on real servers', () => {
  const READ = { name: 'look', annotations: { readOnlyHint: true } };

  test('a hit costs no token and sends nothing; what readOnly refuses is refused from the cache too', async () => {
    const annotations = { readOnlyHint: true };
    const server = await fake({ tools: [{ name: 'look', annotations }, { name: 'write' }] });
    const limits = rateLimit({ limit: 10, interval: 60_000 });
    const answers = cache({ ttl: 60_000, anonymous: true });
    const middleware = [readOnly({ allow: ['s/write'] }), answers, limits];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    const model = plannedModel([{ toolName: 's_look' }], [{ toolName: 's_look' }, { toolName: 's_write' }]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(4) });
    expect(await execute(tools, 's_look')).toMatchObject({ content: [{ text: 'look {}' }] });
    expect(server.executed).toEqual(['look', 'write']);
    expect(limits.usage()).toMatchObject([{ used: 2 }]);
    expect(answers.stats()).toMatchObject({ hits: 2, misses: 1, skipped: 1 });

    annotations.readOnlyHint = false;
    inspectToolSet(tools).provider.refresh();
    await inspectToolSet(tools).provider.tools();
    expect(await codeOf(execute(tools, 's_look'))).toBe('not_allowed');
  });

  test('N8 a hint that flips ends the caching of a run that holds an older record', async () => {
    const annotations = { readOnlyHint: true };
    const server = await fake({ tools: [{ name: 'look', annotations }] });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [cache({ ttl: 60_000, anonymous: true })] });
    for (let index = 0; index < 2; index++) await execute(tools, 's_look');
    expect(server.executed).toHaveLength(1);
    annotations.readOnlyHint = false;
    inspectToolSet(tools).provider.refresh();
    await inspectToolSet(tools).provider.tools();
    for (let index = 0; index < 2; index++) await execute(tools, 's_look');
    expect(server.executed).toHaveLength(3);
  });

  test('N7 two users interleaved each get their own', async () => {
    const server = await fake({ tools: [READ] });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, middleware: [cache({ ttl: 60_000 })] });
    const records = await Promise.all(['ann', 'bob'].map((id) => provider.tools({ principal: { id } })));
    for (let index = 0; index < 2; index++) await Promise.all(records.map((tools) => execute(tools, 's_look')));
    await provider.close();
    expect(server.executed).toHaveLength(2);
  });

  test('the resource tools are not cached unless named', async () => {
    const server = await fake({ resources: [{ uri: 'a:b', name: 'x' }] });
    const of = async (options: Partial<CacheOptions>) => {
      const middleware = [cache({ ttl: 60_000, anonymous: true, ...options })];
      // They have a cache of their own.
      const tools = await toolSet({ servers: { s: { url: server.url } }, middleware, resources: { cacheBytes: 0 } });
      const before = server.log().length;
      for (let index = 0; index < 2; index++) await execute(tools, 'get_resource', { mcpServer: 's', uri: 'a:b' });
      return server
        .log()
        .slice(before)
        .filter((method) => method === 'resources/read').length;
    };
    expect(await of({})).toBe(2);
    expect(await of({ allow: ['*/get_resource'] })).toBe(1);
  });
});

describe('around foreign tools', () => {
  test('plain tools, streaming tools and the connector of the AI SDK', async () => {
    let calls = 0;
    const schema = jsonSchema({ type: 'object' });
    const tools = {
      plain: aiTool({ inputSchema: schema, execute: async () => ({ calls: ++calls }) }),
      stream: aiTool({
        inputSchema: schema,
        async *execute() {
          yield 'part';
          yield `whole ${++calls}`;
        },
      }),
      date: aiTool({ inputSchema: schema, execute: async () => ({ at: new Date(++calls) }) }),
      nothing: aiTool({ inputSchema: schema, execute: async () => void ++calls }),
      tenant: aiTool({ inputSchema: schema, execute: async () => ({ calls: ++calls }) }),
    };
    const server = await fake({ tools: [READ_TOOL] });
    const wrapped = await wrapToolSet({
      tools: { ...tools, ...(await connectorTools(server.url)) },
      middleware: [cache({ ttl: 60_000, anonymous: true })],
      annotate: () => ({ readOnlyHint: true }),
    });
    expect(await execute(wrapped, 'plain')).toEqual({ calls: 1 });
    expect(await execute(wrapped, 'plain')).toEqual({ calls: 1 });
    const drain = async (): Promise<unknown[]> => {
      const values: unknown[] = [];
      for await (const value of (await execute(wrapped, 'stream')) as AsyncIterable<unknown>) values.push(value);
      return values;
    };
    expect(await drain()).toEqual(['part', 'whole 2']);
    expect(await drain()).toEqual(['whole 2']);
    // What JSON would change is not kept.
    expect(await execute(wrapped, 'date')).toEqual({ at: new Date(3) });
    expect(await execute(wrapped, 'date')).toEqual({ at: new Date(4) });
    for (let index = 0; index < 2; index++) expect(await execute(wrapped, 'nothing')).toBeUndefined();
    expect(calls).toBe(6);
    // A tool of one's own may answer by its context.
    expect(await execute(wrapped, 'tenant', {}, { context: { tenant: 1 } })).toEqual({ calls: 7 });
    expect(await execute(wrapped, 'tenant', {}, { context: { tenant: 2 } })).toEqual({ calls: 8 });
    expect(await execute(wrapped, 'tenant', {}, { context: { tenant: 1 } })).toEqual({ calls: 7 });

    const first = await execute(wrapped, 'look', { a: 1 });
    expect(await execute(wrapped, 'look', { a: 1 })).toEqual(first);
    expect(server.executed).toEqual(['look']);
  });
});

const READ_TOOL = { name: 'look', annotations: { readOnlyHint: true } };
