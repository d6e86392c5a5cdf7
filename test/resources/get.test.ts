import { generateText } from 'ai';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createMcpToolProvider } from '../../src/index.ts';
import { windowOf } from '../../src/resources/window.ts';
import { toolSet } from '../support/fixtures.ts';
import { plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { documents, page, run, shelf, texts } from './support.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const one = (contents: object, more: object = {}) =>
  shelf({ resources: [{ uri: 'x://r', name: 'r' }], read: () => ({ contents: [contents].flat(), ...more }) });
const read = async (tools: Awaited<ReturnType<typeof toolSet>>, input: object = {}) =>
  run(tools, 'get_resource', { uri: 'x://r', ...input });

describe('get_resource, what a model gets', () => {
  it.each([
    ['image', { mimeType: 'image/png', blob: PNG }],
    ['audio', { mimeType: 'audio/wav', blob: 'UklGRg==' }],
    ['PDF', { mimeType: 'application/pdf', blob: 'JVBERi0=' }],
  ])('L4J-47 an %s as a file', async (_, contents) => {
    const server = await one({ uri: 'x://r', ...contents });
    const tools = await toolSet({ servers: { s: { url: server.url } }, media: ['image/*', 'audio/wav', 'application/pdf'] });
    const model = plannedModel([{ toolName: 'get_resource', input: { uri: 'x://r' } }]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(2) });
    const output = toolResultsOf(model)[0]?.output;
    expect(output).toMatchObject({ type: 'content' });
    expect(JSON.stringify(output)).toContain(contents.mimeType);
    expect(JSON.stringify(output)).toContain(contents.blob);
  });

  it('text that hides in a blob as text, other bytes as what they are', async () => {
    const blob = Buffer.from('{"é": 1}').toString('base64');
    const tools = await toolSet({
      servers: { s: { url: (await one({ uri: 'x://r', mimeType: 'application/json', blob })).url } },
    });
    expect((await read(tools)).content).toEqual([{ type: 'text', text: '{"é": 1}' }]);
    const video = await one({ uri: 'x://r', mimeType: 'video/mp4', blob: 'AAAA' });
    const result = await read(await toolSet({ servers: { s: { url: video.url } } }));
    expect(JSON.stringify(tools.get_resource?.toModelOutput?.({ output: result } as never))).toMatch(/video\/mp4, 3 bytes/);
  });

  it('a file that is too large is described, and stays in the output for the application', async () => {
    const server = await one({ uri: 'x://r', mimeType: 'image/png', blob: PNG });
    const tools = await toolSet({ servers: { s: { url: server.url } }, resources: { maxMediaBytes: 10 } });
    const { content, _meta } = await read(tools);
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^\[Resource x:\/\/r, image\/png, 70 bytes: larger than the 10 bytes/) },
    ]);
    expect(_meta?.['mcp-tool-set/contents']).toEqual([{ uri: 'x://r', mimeType: 'image/png', blob: PNG }]);
  });

  it('F15 a long text in parts that say where they are, with the whole for the application', async () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `line ${index} 👨‍👩‍👧 é`).join('\n');
    const server = await one({ uri: 'x://r', text });
    const tools = await toolSet({ servers: { s: { url: server.url } }, resources: { maxTokens: 1_000 } });
    let joined = '';
    let offset: number | undefined = 0;
    for (let parts = 0; offset !== undefined; parts++) {
      const { content, _meta } = await read(tools, { offset });
      joined += content[0]?.text;
      expect(content[0]?.text.length).toBeLessThanOrEqual(4_000);
      expect(_meta?.['mcp-tool-set/contents']).toEqual([{ uri: 'x://r', text }]);
      const notice = content[1]?.text ?? '';
      expect(notice).toContain(`of ${text.length}.`);
      offset = /"offset": (\d+)\]$/.exec(notice)?.[1] === undefined ? undefined : Number(/"offset": (\d+)\]$/.exec(notice)?.[1]);
      expect(parts).toBeLessThan(100);
    }
    expect(joined).toBe(text);
    expect(server.log().filter((method) => method === 'resources/read')).toHaveLength(1);
    expect((await read(tools, { offset: 5, limit: 3 })).content.map((block) => block.text)).toEqual([
      text.slice(5, 7),
      expect.stringMatching(/^\[Characters 5 to 7 of/),
    ]);
    expect((await read(tools, { offset: 1e9 })).content.at(-1)?.text).toMatch(/^\[There is no more text/);
  });

  it('several contents keep their order and their URIs, in parts too', async () => {
    const contents = [
      { uri: 'x://1', text: 'one' },
      { uri: 'x://2', mimeType: 'image/png', blob: PNG },
      { uri: 'x://3', text: 'three' },
    ];
    const tools = await toolSet({ servers: { s: { url: (await one(contents)).url } } });
    expect((await read(tools)).content).toEqual(contents.map((resource) => ({ type: 'resource', resource })));
    expect((await read(tools, { limit: 3 })).content.map((block) => block.resource?.uri)).toEqual(['x://1', undefined]);
    expect((await read(tools, { offset: 3 })).content.map((block) => block.resource?.uri)).toEqual(['x://2', 'x://3', undefined]);
  });

  test('whatever is asked for, no character is cut and the parts make the whole', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '👨‍👩‍👧', 'é', '\r\n', '🇩🇪'), maxLength: 12 });
    const contents = fc.array(
      fc.oneof(
        piece.map((text) => ({ uri: 'x://t', text })),
        fc.constant({ uri: 'x://b', mimeType: 'image/png', blob: PNG }),
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 20 }), (given, limit) => {
        const whole = given.map((each) => ('text' in each ? each.text : '')).join('');
        let joined = '';
        let files = 0;
        let offset = 0;
        for (let step = 0; step < 500; step++) {
          const { blocks, from, to, total } = windowOf(given, { offset, limit, maxMediaBytes: 1e6 });
          expect(from).toBe(offset);
          for (const block of blocks) {
            const part = block.type === 'text' ? block.text : block.type === 'resource' ? block.resource.text : undefined;
            if (typeof part === 'string') joined += part;
            else files++;
          }
          if (to === total) break;
          expect(to).toBeGreaterThan(from);
          offset = to;
        }
        expect(joined).toBe(whole);
        expect(files).toBe(given.filter((each) => 'blob' in each).length);
      }),
      { numRuns: 300 },
    );
  });
});

describe('get_resource, what it finds', () => {
  it('needs no server where one alone has it, and asks which where several do', async () => {
    const a = await shelf({ resources: [{ uri: 'x://a' }, { uri: 'x://both' }] });
    const b = await shelf({ resources: [{ uri: 'x://b' }, { uri: 'x://both' }] });
    const tools = await toolSet({ servers: { a: { url: a.url }, b: { url: b.url } } });
    expect(await texts(tools, 'get_resource', { uri: 'x://b' })).toEqual(['text of it']);
    await expect(run(tools, 'get_resource', { uri: 'x://both' })).rejects.toThrow(/several servers have it: "a", "b"/);
    expect(await texts(tools, 'get_resource', { mcpServer: 'a', uri: 'x://both' })).toEqual(['text of it']);
    expect(a.log().filter((method) => method === 'resources/read')).toHaveLength(1);
  });

  it('L4J-50 refuses what nobody listed, and names the nearest; `strict: false` lets the server decide', async () => {
    const server = await shelf({ resources: documents(300) });
    const servers = { docs: { url: server.url } };
    const tools = await toolSet({ servers });
    const asked = run(tools, 'get_resource', { mcpServer: 'docs', uri: 'docs://archive/document-00042' });
    await expect(asked).rejects.toThrow(/"uri" is no resource.*The nearest are: docs:\/\/archive\/00042 \(docs\)/);
    expect(server.log()).not.toContain('resources/read');
    const loose = await toolSet({ servers, resources: { strict: false } });
    expect(await texts(loose, 'get_resource', { mcpServer: 'docs', uri: 'docs://elsewhere' })).toEqual(['text of it']);
  });

  it('sees what is newer than the list, without asking for it all the time', async () => {
    const options = { resources: documents(2), now: 0 };
    const server = await shelf(options);
    let now = Date.now();
    const tools = await toolSet({ servers: { docs: { url: server.url } }, now: () => now });
    await page(tools);
    options.resources = documents(3);
    now += 5_000;
    expect(await texts(tools, 'get_resource', { uri: 'docs://archive/00002' })).toEqual(['text of it']);
    for (const uri of ['x://1', 'x://2', 'x://3'])
      await expect(run(tools, 'get_resource', { uri })).rejects.toThrow(/no resource/);
    expect(server.log().filter((method) => method === 'resources/list')).toHaveLength(2);
  });

  it('a server whose list cannot be read can still be read from', async () => {
    const server = await shelf({
      resources: [],
      answer: ({ message }) =>
        message.method === 'resources/list' ? { error: { code: -32603, message: 'no lists' } } : undefined,
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(await texts(tools, 'get_resource', { mcpServer: 's', uri: 'x://any' })).toEqual(['text of it']);
  });

  it('G6 follows a link of a tool’s result on the server that gave it, though it is not listed', async () => {
    const link = { type: 'resource_link', uri: 'x://linked', name: 'linked' };
    const a = await shelf({ resources: [{ uri: 'x://a' }], tools: [{ name: 'search', result: { content: [link] } }] });
    const b = await shelf({ resources: [{ uri: 'x://b' }] });
    const tools = await toolSet({ servers: { a: { url: a.url }, b: { url: b.url } } });
    await expect(run(tools, 'get_resource', { uri: 'x://linked' })).rejects.toThrow(/no resource/);
    await run(tools, 'a_search', {});
    expect(await texts(tools, 'get_resource', { uri: 'x://linked' })).toEqual(['text of it']);
    await expect(run(tools, 'get_resource', { mcpServer: 'b', uri: 'x://linked' })).rejects.toThrow(/no resource/);
  });

  it('templates: a URI of one is read, values are put in and encoded, braces that are left are refused', async () => {
    const asked: string[] = [];
    const server = await shelf({
      resources: [{ uri: 'x://odd/{literal}', name: 'braces of its own' }],
      templates: [{ uriTemplate: 'x://users/{id}{?fields}', name: 'user' }],
      read: (uri) => {
        asked.push(uri);
        return { contents: [{ uri, text: 'x' }] };
      },
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const get = (input: object) => run(tools, 'get_resource', input);
    await get({ uri: 'x://users/7?fields=name' });
    await get({ uri: 'x://users/ann lee' });
    await get({ uri: 'x://users/{id}{?fields}', variables: { id: 'a/b é', fields: 'x&y' } });
    await get({ uri: 'x://users/{id}{?fields}', variables: { id: '9' } });
    await get({ uri: 'x://odd/{literal}' });
    expect(asked).toEqual([
      'x://users/7?fields=name',
      'x://users/ann%20lee',
      'x://users/a%2Fb%20%C3%A9?fields=x%26y',
      'x://users/9',
      'x://odd/{literal}',
    ]);
    await expect(get({ uri: 'x://users/{id}' })).rejects.toThrow(/still has \{id\} in it.*"variables"/);
    await expect(get({ uri: 'x://users/{id}{?fields}', variables: { fields: '1' } })).rejects.toThrow(/still has \{id\}/);
    await expect(get({ uri: 'x://users/a/b' })).rejects.toThrow(/no resource/);
    expect(asked).toHaveLength(5);
  });

  it('arguments of a wrong type are told of', async () => {
    const server = await shelf({ resources: documents(1) });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    for (const input of [{ offset: -1 }, { limit: 0 }, { offset: 1.5 }, { variables: [] }, { uri: ['x'] }]) {
      await expect(run(tools, 'get_resource', { uri: 'docs://archive/00000', ...input })).rejects.toThrow(/get_resource/);
    }
    expect(server.log()).not.toContain('resources/read');
  });
});

describe('what was read is kept', () => {
  const counted = async (options: Partial<Parameters<typeof shelf>[0]> = {}) => {
    let reads = 0;
    const server = await shelf({
      resources: documents(3),
      read: (uri) => ({ contents: [{ uri, text: `read ${++reads}` }] }),
      tools: [{ name: 'write' }, { name: 'look', annotations: { readOnlyHint: true } }],
      ...options,
    });
    return server;
  };
  const uri = 'docs://archive/00001';

  it('for as long as a list is fresh; a tool that may write, a refresh and `anew` ask again', async () => {
    const server = await counted();
    let now = Date.now();
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } }, now: () => now });
    const tools = await provider.tools();
    const text = async () => (await texts(tools, 'get_resource', { uri }))[0];
    expect([await text(), await text()]).toEqual(['read 1', 'read 1']);
    await run(tools, 'docs_look', {});
    expect(await text()).toBe('read 1');
    await run(tools, 'docs_write', {});
    expect(await text()).toBe('read 2');
    now += 61_000;
    expect(await text()).toBe('read 3');
    provider.refresh('docs');
    expect(await text()).toBe('read 4');
    expect(await provider.resources.read({ server: 'docs', uri })).toEqual([{ uri, text: 'read 4' }]);
    expect(await provider.resources.read({ server: 'docs', uri, anew: true })).toEqual([{ uri, text: 'read 5' }]);
    await provider.close();
  });

  it('as the server says: `ttlMs` and `cacheScope`; private is the default between principals', async () => {
    let more: object = { ttlMs: 0 };
    let reads = 0;
    const server = await shelf({
      resources: documents(3),
      read: (uri) => ({ contents: [{ uri, text: `read ${++reads}` }], ...more }),
    });
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } } });
    const of = async (id: string, each = uri) =>
      (await provider.resources.read({ server: 'docs', uri: each, principal: { id } }))[0]?.text;
    expect([await of('ann'), await of('ann')]).toEqual(['read 1', 'read 2']);
    more = {};
    expect([await of('ann'), await of('ann'), await of('bob')]).toEqual(['read 3', 'read 3', 'read 4']);
    more = { cacheScope: 'public', ttlMs: 60_000 };
    const other = 'docs://archive/00002';
    expect([await of('ann', other), await of('bob', other)]).toEqual(['read 5', 'read 5']);
    await provider.close();
  });

  it('within a budget of bytes, and not at all with 0', async () => {
    const reads: string[] = [];
    const server = await shelf({
      resources: documents(3),
      read: (each) => {
        reads.push(each);
        return { contents: [{ uri: each, text: 'x'.repeat(1_000) }] };
      },
    });
    const servers = { docs: { url: server.url } };
    const all = documents(3).map(({ uri }) => uri);
    const twice = async (cacheBytes: number): Promise<number> => {
      reads.length = 0;
      const tools = await toolSet({ servers, resources: { cacheBytes } });
      for (const each of [...all, ...all]) await run(tools, 'get_resource', { uri: each });
      return reads.length;
    };
    expect([await twice(0), await twice(3_000), await twice(100_000)]).toEqual([6, 6, 3]);
  });

  it('what a tool changes while it is read is not kept', async () => {
    let reads = 0;
    let open: (() => void) | undefined;
    const server = await shelf({
      resources: documents(3),
      tools: [{ name: 'write' }],
      read: (each) => ({ contents: [{ uri: each, text: `read ${++reads}` }] }),
    });
    const slow = {
      name: 'slow',
      request: async (request: never, next: (request: never) => Promise<never>) => {
        const result = await next(request);
        if ((request as { method: string }).method === 'resources/read' && open === undefined)
          await new Promise<void>((resolve) => {
            open = resolve;
          });
        return result;
      },
    };
    const provider = createMcpToolProvider({ servers: { docs: { url: server.url } }, middleware: [slow as never] });
    const first = provider.resources.read({ server: 'docs', uri });
    await expect.poll(() => open).toBeDefined();
    await provider.callTool({ server: 'docs', tool: 'write' });
    open?.();
    expect((await first)[0]?.text).toBe('read 1');
    expect((await provider.resources.read({ server: 'docs', uri }))[0]?.text).toBe('read 2');
    await provider.close();
  });
});
