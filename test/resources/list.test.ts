import fc from 'fast-check';
import { encode } from 'gpt-tokenizer';
import { describe, expect, it, test } from 'vitest';
import { createMcpToolProvider } from '../../src/index.ts';
import { pageOf } from '../../src/resources/page.ts';
import { compareRows, type ResourceRow } from '../../src/resources/row.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { cursorOf, documents, page, run, shelf, texts } from './support.ts';

describe('list_resources, page by page', () => {
  it('L4J-50 gives a bounded page, says how many there are, and how to get the next', async () => {
    const server = await shelf({ resources: documents(1_000) });
    const tools = await toolSet({ servers: { docs: { url: server.url } } });
    const seen: unknown[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const answer = await texts(tools, 'list_resources', cursor === undefined ? {} : { cursor });
      expect(encode(answer.join('\n')).length).toBeLessThan(3_500);
      const { rows, notes } = await page(tools, cursor === undefined ? {} : { cursor });
      expect(notes[0]).toMatch(new RegExp(`^Rows ${seen.length + 1} to ${seen.length + rows.length} of 1000\\.`));
      seen.push(...rows.map(({ uri }) => uri));
      cursor = cursorOf(notes);
      pages++;
    } while (cursor !== undefined);
    expect(seen).toEqual(documents(1_000).map(({ uri }) => uri));
    expect(pages).toBeGreaterThan(10);
    // All of it was listed once.
    expect(server.log().filter((method) => method === 'resources/list')).toHaveLength(10);
  });

  it('a short list says nothing more than its rows, and an empty one says so', async () => {
    const server = await shelf({ resources: documents(3) });
    expect((await page(await toolSet({ servers: { docs: { url: server.url } } }))).notes).toEqual([]);
    const empty = await shelf({ resources: [] });
    expect(await page(await toolSet({ servers: { docs: { url: empty.url } } }))).toEqual({
      rows: [],
      notes: ['There are no resources.'],
    });
  });

  it('I10 gives the same answer byte for byte for the same state, whatever order servers and entries come in', async () => {
    const entries = documents(30);
    const [a, b] = [await shelf({ resources: entries }), await shelf({ resources: [...entries].reverse(), delay: 20 })];
    const one = await toolSet({ servers: { x: { url: a.url }, y: { url: b.url } } });
    const other = await toolSet({ servers: { y: { url: a.url }, x: { url: b.url } } });
    expect(await texts(one, 'list_resources', {})).toEqual(await texts(other, 'list_resources', {}));
    expect(await texts(one, 'list_resources', {})).toEqual(await texts(one, 'list_resources', {}));
  });

  it('a cursor that is none, a server that is none and arguments of a wrong type are told of', async () => {
    const server = await shelf({ resources: documents(3) });
    const tools = await toolSet({ servers: { docs: { url: server.url } } });
    await expect(run(tools, 'list_resources', { cursor: 'nonsense' })).rejects.toThrow(/"cursor" is none of this list/);
    await expect(run(tools, 'list_resources', { cursor: '%E0%A4%A resource x' })).rejects.toThrow(/"cursor" is none/);
    await expect(run(tools, 'list_resources', { query: 'x', cursor: 'docs resource x' })).rejects.toThrow(/"cursor" is none/);
    await expect(run(tools, 'list_resources', { server: 'nope' })).rejects.toThrow(/Connected: "docs"/);
    await expect(run(tools, 'list_resources', { query: 7 })).rejects.toThrow(/"query" is not a text|query/);
    expect((await page(tools, { server: '', query: ' ', cursor: null })).rows).toHaveLength(3);
  });

  it('a row of any making takes no more room than a row should, and what cannot be copied is none', async () => {
    const long = 'x'.repeat(100_000);
    const server = await shelf({
      resources: [
        { uri: 'x://1', name: long, title: long, description: long, mimeType: long, annotations: { note: long } },
        { uri: `x://2${long}`, name: 'no URI that a model could copy' },
        { uri: 'x://3', name: 'three' },
      ],
    });
    const tools = await toolSet({ servers: { docs: { url: server.url } } });
    expect((await texts(tools, 'list_resources', {})).join('').length).toBeLessThan(8_000);
    expect((await page(tools)).rows.map(({ uri }) => uri)).toEqual(['x://1', 'x://3']);
    const lines = await toolSet({ servers: { docs: { url: server.url } }, resources: { format: 'lines' } });
    expect((await texts(lines, 'list_mcp_resources', {})).join('').length).toBeLessThan(2_000);
    await expect(run(tools, 'get_resource', { uri: `x://{${long}}` })).rejects.toSatisfy(
      (error: Error) => error.message.length < 1_000,
    );
  });

  it('the name of the argument is understood in both tools', async () => {
    const server = await shelf({ resources: documents(1) });
    const tools = await toolSet({ servers: { docs: { url: server.url } } });
    await expect(run(tools, 'list_resources', { mcpServer: 'nope' })).rejects.toThrow(/Connected: "docs"/);
    await expect(run(tools, 'get_resource', { server: 'nope', uri: 'x' })).rejects.toThrow(/Connected: "docs"/);
  });

  it('a long description takes no more room than a row should', async () => {
    const server = await shelf({ resources: [{ uri: 'x://1', name: 'one', description: '😀'.repeat(5_000) }, { uri: 'x://2' }] });
    const { rows } = await page(await toolSet({ servers: { docs: { url: server.url } } }));
    expect(rows).toHaveLength(2);
    expect(String(rows[0]?.description)).toMatch(/^(?:😀)+…$/u);
  });

  test('no row is lost and none comes twice while the list changes', () => {
    const uri = fc.string({ unit: fc.constantFrom(...'ab/é😀'), minLength: 1, maxLength: 4 });
    const row = fc.record({ mcpServer: fc.constantFrom('a', 'b', 'c d', 'é'), place: uri, template: fc.boolean() });
    const toRow = ({ mcpServer, place, template }: { mcpServer: string; place: string; template: boolean }): ResourceRow => ({
      mcpServer,
      name: 'n',
      ...(template ? { uriTemplate: place } : { uri: place }),
    });
    const keyOf = ({ mcpServer, uri, uriTemplate }: ResourceRow): string => JSON.stringify([mcpServer, uri, uriTemplate]);
    const setsOf = (rows: readonly ResourceRow[]): ResourceRow[][] => {
      const unique = [...new Map(rows.map((each) => [keyOf(each), each])).values()];
      const servers = [...new Set(unique.map(({ mcpServer }) => mcpServer))].sort();
      return servers.map((server) => unique.filter(({ mcpServer }) => mcpServer === server).sort(compareRows));
    };
    const states = fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), states, fc.integer({ min: 1, max: 4 }), (kept, others, size) => {
        const given: string[] = [];
        let cursor: string | undefined;
        for (let step = 0; step < 100; step++) {
          const sets = setsOf([...kept, ...(others[step % others.length] ?? [])].map(toRow));
          let room = size;
          const answer = pageOf(sets, { cursor, fits: () => room-- > 0 });
          given.push(...answer.rows.map(keyOf));
          cursor = answer.nextCursor;
          if (cursor === undefined) break;
        }
        expect(new Set(given).size).toBe(given.length);
        for (const each of kept.map(toRow)) expect(given).toContain(keyOf(each));
      }),
      { numRuns: 300 },
    );
  });
});

describe('list_resources, by words', () => {
  const entries = [
    { uri: 'file:///notes/Überblick.md', name: 'overview', title: 'Quarterly overview' },
    { uri: 'file:///notes/budget-2026.md', name: 'budget', description: 'What we spend' },
    { uri: 'file:///src/readUserConfig.ts', name: 'readUserConfig.ts', description: 'Mentions the budget once' },
    { uri: 'file:///jp/1', name: '東京の天気', description: '明日の予報' },
  ];
  const find = async (query: string): Promise<unknown[]> => {
    const server = await shelf({
      resources: entries,
      templates: [{ uriTemplate: 'weather://{city}', name: 'Weather of a city' }],
    });
    const { rows } = await page(await toolSet({ servers: { docs: { url: server.url } } }), { query });
    return rows.map(({ uri, uriTemplate }) => uri ?? uriTemplate);
  };

  it.each([
    ['budget', 'file:///notes/budget-2026.md'],
    ['SPEND', 'file:///notes/budget-2026.md'],
    ['user config', 'file:///src/readUserConfig.ts'],
    ['uberblick', 'file:///notes/Überblick.md'],
    ['quartely', 'file:///notes/Überblick.md'],
    ['天気', 'file:///jp/1'],
    ['予報', 'file:///jp/1'],
    ['city weather', 'weather://{city}'],
    ['file:///src/readUserConfig.ts', 'file:///src/readUserConfig.ts'],
  ])('finds by %s', async (query, first) => {
    expect((await find(query))[0]).toBe(first);
  });

  it('says what fits and what does not, and pages by rank', async () => {
    const server = await shelf({ resources: documents(500) });
    const tools = await toolSet({ servers: { docs: { url: server.url } }, resources: { pageTokens: 300 } });
    const first = await page(tools, { query: 'archive' });
    expect(first.notes[0]).toMatch(/^Rows 1 to \d+ of 500 that fit the query, of 500\./);
    const second = await page(tools, { query: 'archive', cursor: cursorOf(first.notes) });
    expect(second.rows[0]).not.toEqual(first.rows[0]);
    expect((await page(tools, { query: 'zebra' })).notes[0]).toMatch(/^Nothing fits the query, of 500 resources/);
    expect((await page(tools, { query: 'document-00123' })).rows[0]).toMatchObject({ name: 'document-00123' });
  });
});

describe('three servers of which one is dead and one slow', () => {
  it('the slow and the dead one cost their own rows, and are named', async () => {
    const good = await shelf({ resources: documents(3) });
    const dead = await shelf({ resources: documents(3) });
    const slow = await shelf({ resources: documents(3) });
    const provider = createMcpToolProvider({
      servers: { good: { url: good.url }, dead: { url: dead.url }, slow: { url: slow.url } },
      onWarning: false,
    });
    const tools = await provider.tools();
    await dead.close();
    const { rows, notes } = await page(tools);
    expect(new Set(rows.map(({ mcpServer }) => mcpServer))).toEqual(new Set(['good', 'slow']));
    expect(notes.join()).toMatch(/Not listed: MCP server "dead"/);
    await provider.close();
  });

  it('a server that is still being listed is not waited for longer than is bearable, and its rows come later', async () => {
    const good = await shelf({ resources: documents(2) });
    const options = { resources: documents(3), delay: 0 };
    const slow = await shelf(options);
    const tools = await toolSet({ servers: { good: { url: good.url }, slow: { url: slow.url } } });
    options.delay = 11_000;
    const { rows, notes } = await page(tools);
    expect(rows).toHaveLength(2);
    expect(notes.join()).toMatch(/Not listed: MCP server "slow": it is still being listed/);
    await expect.poll(async () => (await page(tools)).rows.length, { timeout: 15_000, interval: 500 }).toBe(5);
  }, 40_000);
});

describe('the list is kept', () => {
  it('I6 asks once, again after list_changed, and keeps the older list of a server that fails to give a new one', async () => {
    let failing = false;
    const options = {
      resources: documents(3),
      answer: ({ message }: { message: { method?: string } }) =>
        failing && message.method === 'resources/list' ? { error: { code: -32603, message: 'down' } } : undefined,
    };
    const server = await shelf(options);
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } }, onWarning: false });
    const tools = await provider.tools();
    await page(tools);
    await page(tools);
    expect(server.log().filter((method) => method === 'resources/list')).toHaveLength(1);
    failing = true;
    provider.refresh('docs');
    const { rows, notes } = await page(tools);
    expect(rows).toHaveLength(3);
    expect(notes.join()).toMatch(/An older list stands in for a new one: MCP server "docs".*down/);
    failing = false;
    options.resources = documents(4);
    provider.refresh('docs');
    expect((await page(tools)).rows).toHaveLength(4);
    await provider.close();
  });

  it('two principals never see one list', async () => {
    const server = await shelf({
      resources: [],
      answer: ({ message, headers }) =>
        message.method === 'resources/list' ? { resources: [{ uri: `x://${headers.authorization}`, name: 'own' }] } : undefined,
    });
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } } });
    const of = async (id: string): Promise<unknown> => {
      const tools = await provider.tools({ principal: { id, headers: { authorization: id } } });
      return (await page(tools)).rows.map(({ uri }) => uri);
    };
    const [ann, bob] = await Promise.all([of('ann'), of('bob')]);
    expect([ann, bob, await of('ann')]).toEqual([['x://ann'], ['x://bob'], ['x://ann']]);
    await provider.close();
  });

  it('what came through other `request` hooks is not shared', async () => {
    const server = await shelf({ resources: documents(2) });
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } } });
    const hiding = { name: 'hide', request: async () => ({ resources: [], resourceTemplates: [] }) };
    expect((await page(await provider.tools())).rows).toHaveLength(2);
    expect((await page(await provider.tools({ middleware: [hiding] }))).rows).toHaveLength(0);
    expect((await page(await provider.tools())).rows).toHaveLength(2);
    await provider.close();
  });

  it('L4J-68 context, principal, signal and handlers of the calling run reach the requests', async () => {
    const server = await shelf({ resources: documents(2), read: (uri) => ({ contents: [{ uri, text: 'x' }] }) });
    const seen: unknown[] = [];
    const spy = {
      name: 'spy',
      request: async (request: never, next: (request: never) => Promise<never>) => {
        const { method, principal, call, signal, handlers } = request as Record<string, unknown> & {
          call?: { context: unknown };
        };
        if (String(method).startsWith('resources/'))
          seen.push({ method, principal, context: call?.context, signal: signal instanceof AbortSignal, handlers });
        return next(request);
      },
    };
    const handlers = { log: () => {} };
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } } });
    const tools = await provider.tools({ principal: { id: 'ann' }, middleware: [spy as never], handlers });
    const options = { toolCallId: '1', messages: [], context: { tenant: 7 }, abortSignal: new AbortController().signal };
    await tools.list_resources?.execute?.({}, options as never);
    await tools.get_resource?.execute?.({ mcpServer: 'docs', uri: documents(1)[0]?.uri }, options as never);
    expect(seen).toHaveLength(3);
    for (const each of seen) {
      expect(each).toMatchObject({
        principal: { id: 'ann' },
        context: { tenant: 7 },
        signal: true,
        handlers: { log: handlers.log },
      });
    }
    await provider.close();
  });

  it('an abort ends the waiting at once', async () => {
    const options = { resources: documents(2), delay: 0 };
    const server = await shelf(options);
    const tools = await toolSet({ servers: { docs: { url: server.url } } });
    options.delay = 5_000;
    const controller = new AbortController();
    const call = tools.list_resources?.execute?.({}, { toolCallId: '1', messages: [], abortSignal: controller.signal } as never);
    setTimeout(() => controller.abort(), 50);
    const start = performance.now();
    await expect(call).rejects.toThrow(/cancelled/);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('templates', () => {
  it('G4 are listed with their variables, and with what the server suggests for them', async () => {
    const asked: unknown[] = [];
    const server = await shelf({
      resources: [],
      templates: [{ uriTemplate: 'weather://{city}{?unit}', name: 'weather' }],
      capabilities: { completions: {} },
      answer({ message }) {
        if (message.method !== 'completion/complete') return undefined;
        asked.push(message.params);
        const { argument } = message.params as { argument: { name: string } };
        return { completion: { values: argument.name === 'city' ? ['Berlin', 'Paris', 7, 'x'.repeat(500)] : [] } };
      },
    });
    const tools = await toolSet({ servers: { w: { url: server.url } } });
    const expected = [
      {
        mcpServer: 'w',
        uriTemplate: 'weather://{city}{?unit}',
        name: 'weather',
        variables: { city: ['Berlin', 'Paris'], unit: [] },
      },
    ];
    expect((await page(tools)).rows).toEqual(expected);
    expect((await page(tools)).rows).toEqual(expected);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toEqual({
      ref: { type: 'ref/resource', uri: 'weather://{city}{?unit}' },
      argument: { name: 'city', value: '' },
    });
  });

  it('a server without completions, or whose completions fail, is asked nothing or costs nothing', async () => {
    const templates = [{ uriTemplate: 'x://{a}', name: 'x' }];
    const without = await shelf({ resources: [], templates });
    const failing = await shelf({ resources: [], templates, capabilities: { completions: {} } });
    const tools = await toolSet({ servers: { failing: { url: failing.url }, without: { url: without.url } } });
    expect((await page(tools)).rows.map(({ variables }) => variables)).toEqual([{ a: [] }, { a: [] }]);
    expect(without.log()).not.toContain('completion/complete');
  });
});

describe('forms', () => {
  it('TNX-11 lines: its names, arguments and texts', async () => {
    const server = await shelf({
      resources: [
        { uri: 'fixture://hello', name: 'hello', mimeType: 'text/plain', description: 'A\ngreeting' },
        { uri: 'fixture://bare', name: 'bare' },
      ],
    });
    const tools = await toolSet({ servers: { progress: { url: server.url } }, resources: { format: 'lines' } });
    expect(Object.keys(tools)).toEqual(['list_mcp_resources', 'progress_echo', 'read_mcp_resource']);
    expect(await texts(tools, 'list_mcp_resources', { server: 'progress' })).toEqual([
      'progress fixture://bare — bare\nprogress fixture://hello — hello (text/plain): A greeting',
    ]);
    expect(await texts(tools, 'read_mcp_resource', { server: 'progress', uri: 'fixture://hello' })).toEqual(['text of it']);
  });

  it('TNX-12 lines: an unknown server or URI is a result that says so, and names the servers', async () => {
    const server = await shelf({ resources: documents(1) });
    const tools = await toolSet({ servers: { progress: { url: server.url } }, resources: { format: 'lines' } });
    const unknown = await run(tools, 'read_mcp_resource', { server: 'nope', uri: 'x' });
    expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/Connected: "progress"/) }] });
    const missing = await run(tools, 'read_mcp_resource', { server: 'progress', uri: 'fixture://nope' });
    expect(missing.isError).toBe(true);
    expect(tools.read_mcp_resource?.toModelOutput?.({ output: missing } as never)).toMatchObject({ type: 'error-text' });
  });

  it('L4J-49 a filter decides by resource and server, fails closed, and holds for reading too', async () => {
    const server = await shelf({
      resources: [
        { uri: 'x://public', name: 'public' },
        { uri: 'x://secret', name: 'secret' },
        { uri: 'x://odd', name: 'odd' },
      ],
      templates: [{ uriTemplate: 'x://t/{a}', name: 'secret' }],
    });
    const filter = ({ name }: { name: string }, key: string): boolean => {
      if (name === 'odd') throw new Error('broken');
      return key === 'docs' && name === 'public' ? true : (Promise.resolve(true) as never);
    };
    for (const strict of [true, false]) {
      const tools = await toolSet({ servers: { docs: { url: server.url } }, resources: { filter, strict } });
      expect((await page(tools)).rows.map(({ uri }) => uri)).toEqual(['x://public']);
      for (const uri of ['x://secret', 'x://odd', 'x://t/1', 'x://unlisted']) {
        await expect(run(tools, 'get_resource', { mcpServer: 'docs', uri })).rejects.toThrow(/"uri" is no resource/);
      }
      expect(await texts(tools, 'get_resource', { uri: 'x://public' })).toEqual(['text of it']);
    }
    expect(server.log().filter((method) => method === 'resources/read')).toHaveLength(2);
  });

  it('L4J-48 a presenter replaces the pair, and can hand on to the standard one', async () => {
    const server = await shelf({ resources: documents(2), read: (uri) => ({ contents: [{ uri, text: 'read' }] }) });
    const tools = await toolSet({
      servers: { docs: { url: server.url } },
      resources: {
        presenter: {
          list: ({ servers, rows }) => ({
            name: 'discover',
            inputSchema: { type: 'object', properties: {} },
            async run(call) {
              const all = await Promise.all(servers().map((each) => rows(each, call)));
              return {
                content: [
                  {
                    type: 'text',
                    text: all
                      .flat()
                      .map(({ name }) => name)
                      .join(),
                  },
                ],
              };
            },
          }),
          get: ({ standard, read }) => ({
            ...standard,
            name: 'retrieve',
            async run(call) {
              const [first] = await read('docs', String(call.input.uri), call);
              return { content: [...(await standard.run(call)).content, { type: 'text', text: `again: ${first?.text}` }] };
            },
          }),
        },
      },
    });
    expect(Object.keys(tools)).toEqual(['discover', 'docs_echo', 'retrieve']);
    expect(await texts(tools, 'discover', {})).toEqual(['document-00000,document-00001']);
    expect(await texts(tools, 'retrieve', { uri: 'docs://archive/00000' })).toEqual(['read', 'again: read']);
    expect(tools.discover?.metadata).toMatchObject({ annotations: { readOnlyHint: true } });
  });

  it('G2 L4J-11 a server’s tool of the same name as one of the pair is an error with the fix in its text', async () => {
    const server = await fake({ resources: documents(1), tools: [{ name: 'list_resources' }, { name: 'other' }] });
    const servers = { s: { url: server.url } };
    const fix = /"list_resources" belongs to the resource tools.*`resources: \{ listName, getName \}`.*deny/;
    await expect(toolSet({ servers, toolName: 'original' })).rejects.toMatchObject({
      code: 'name_conflict',
      server: 's',
      message: expect.stringMatching(fix),
    });
    await expect(toolSet({ servers, toolName: () => 'list_resources' })).rejects.toMatchObject({ code: 'name_conflict' });
    const renamed = await toolSet({ servers, toolName: 'original', resources: { listName: 'find_resources' } });
    expect(Object.keys(renamed)).toEqual(['find_resources', 'get_resource', 'list_resources', 'other']);
    expect(Object.keys(await toolSet({ servers }))).toContain('s_list_resources');
  });
});
