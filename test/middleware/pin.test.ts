import { createMCPClient } from '@ai-sdk/mcp';
import * as ai from 'ai';
import { tool as aiTool, jsonSchema, type ToolSet } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { inspectToolSet, listMcpTools, type McpMiddleware, type ToolDefinition, wrapToolSet } from '../../src/index.ts';
import { lockOf, type PinLock } from '../../src/middleware/pin/lock.ts';
import type { PinDrift } from '../../src/middleware/pin/teller.ts';
import { type PinOptions, pin } from '../../src/middleware/pin.ts';
import { call as callTool, failure, provide } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';
import { call, callThrough, listThrough, OK, request, requestThrough, tool } from './fake.ts';

const READ = tool({ description: 'Reads.', title: 'Read', annotations: { readOnlyHint: true } });
const lockFor = (...tools: ToolDefinition[]): Promise<PinLock> => lockOf({ tools });
const names = (tools: readonly ToolDefinition[]): string[] => tools.map(({ originalName }) => originalName);

/** ai 7 alone has it. */
const { fingerprintTools, detectToolDrift } = ai as Partial<Pick<typeof ai, 'fingerprintTools' | 'detectToolDrift'>>;
const leftOut = fingerprintTools === undefined ? ' (left out: this AI SDK has no fingerprintTools)' : '';

describe('N4 a lock', () => {
  test('N4 is plain, sorted JSON: hashes by server and own name, and no text of the server’s', async () => {
    const lock = await lockFor(tool({ server: 'z' }), { ...READ, name: 'anything' }, tool({ server: 'a/b', originalName: 'c' }));
    expect(Object.keys(lock)).toEqual(['a%2Fb/c', 'files/read_file', 'z/read_file']);
    expect(lock['files/read_file']).toMatch(
      /^title=[\w-]{43} description=[\w-]{43} inputSchema=[\w-]{43} annotations=[\w-]{43}$/,
    );
    expect(JSON.parse(JSON.stringify(lock))).toEqual(lock);
    expect(JSON.stringify(lock)).not.toContain('Reads');
    // SHA-256 of {"type":"object"}: the same tomorrow, in another process, and in another language.
    expect(lock['z/read_file']).toBe('inputSchema=oseZJio848Ge9c3Zg789ErQ6s8QmInCRuQnctwVHOMA');
  });

  test('N4 `lock()` gives what came to it last, the same as `lockOf` of a listing; own and resource tools are not in it', async () => {
    const server = await fake({
      tools: [{ name: 'one', description: 'x' }, { name: 'two' }],
      resources: [{ uri: 'a:b', name: 'b' }],
    });
    const servers = { s: { url: server.url } };
    const pinned = pin({ lock: {}, onDrift: 'warn', onChange: () => {} });
    expect(await pinned.lock()).toEqual({});
    const record = await provide({ servers, middleware: [pinned] }).tools();
    expect(Object.keys(record)).toEqual(['get_resource', 'list_resources', 's_one', 's_two']);
    expect(await pinned.lock()).toEqual(await lockOf(await listMcpTools(servers)));
    expect(Object.keys(await pinned.lock())).toEqual(['s/one', 's/two']);
  });

  test('lockOf() says what it takes', async () => {
    await expect(lockOf({ s_one: {} } as never)).rejects.toMatchObject({ code: 'config_invalid' });
    await expect(lockOf(undefined as never)).rejects.toMatchObject({ code: 'config_invalid' });
  });

  test('N4 a definition that is no JSON is not in it, and never passes', async () => {
    const odd = { ...READ, inputSchema: { type: 'object', at: new Date(0) } };
    expect(await lockFor(odd)).toEqual({});
    expect(await listThrough([pin({ lock: await lockFor(READ) })], [odd])).toEqual([]);
  });
});

describe('N4 pin', () => {
  test('N4 an empty lock knows no tool; resource tools and the application’s own pass', async () => {
    const list = tool({ server: '*', originalName: 'list_resources', kind: 'resource' });
    const own = tool({ originalName: 'own', kind: 'added', run: async () => OK });
    const middleware = pin({ lock: {} });
    expect(names(await listThrough([middleware], [READ, list, own]))).toEqual(['list_resources', 'own']);
    expect(middleware.explain(READ)).toBe('the lock does not know it: it is new, or has a new name');
    expect(middleware.explain(list)).toBeUndefined();
    const run = callThrough([middleware], async () => OK);
    expect(await run(call(list))).toBe(OK);
    expect(await run(call(own))).toBe(OK);
    // What a server says of itself makes it neither.
    await expect(run(call(tool({ kind: 'prompt' })))).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(run(call(tool({ kind: 'added' })))).rejects.toMatchObject({ code: 'not_allowed' });
  });

  test('N4 the refusal says what changed and what to do', async () => {
    const lock = await lockFor(READ);
    const changed = { ...READ, description: 'Reads!', annotations: undefined };
    await expect(callThrough([pin({ lock })], async () => OK)(call(changed))).rejects.toThrow(
      'MCP server "files", tool "read_file": refused by pin, because its description and annotations changed since the lock was made. ' +
        'Nothing was sent. Use another tool. If that is as it should be, the application makes its lock anew.',
    );
  });

  test('N4 the display name, `_meta` and icons are no part of it', async () => {
    const lock = await lockFor(READ);
    const same = { ...READ, name: 'other', meta: { build: 7 }, icons: [{ src: 'x' }], ai: { deferLoading: true } };
    expect(await listThrough([pin({ lock })], [same])).toHaveLength(1);
  });

  test('N4 `warn` lets it pass, and tells once of each change', async () => {
    const told: PinDrift[] = [];
    const lock = await lockFor(READ, tool({ originalName: 'gone' }));
    const middleware = pin({ lock, onDrift: 'warn', onChange: (drift) => told.push(drift) });
    const changed = { ...READ, description: 'Reads!' };
    const added = tool({ originalName: 'added' });
    for (let round = 0; round < 3; round++) {
      expect(names(await listThrough([middleware], [changed, added]))).toEqual(['read_file', 'added']);
      expect(await callThrough([middleware], async () => OK)(call(changed))).toBe(OK);
      expect(await requestThrough([middleware], async () => ({ a: 1 }))(request({ call: call(changed) }))).toEqual({ a: 1 });
    }
    expect(told).toEqual([
      { server: 'files', tool: 'gone', what: 'removed', fields: [] },
      { server: 'files', tool: 'read_file', what: 'changed', fields: ['description'] },
      { server: 'files', tool: 'added', what: 'added', fields: [] },
    ]);
    await listThrough([middleware], [{ ...READ, description: 'Reads!!' }]);
    expect(told.slice(3)).toMatchObject([{ what: 'changed', fields: ['description'] }]);
  });

  test('a server that is not there is not told of as tools that are gone', async () => {
    const told: PinDrift[] = [];
    const lock = await lockFor(READ, tool({ server: 'down' }));
    await listThrough([pin({ lock, onChange: (drift) => told.push(drift) })], [READ]);
    expect(told).toEqual([]);
  });

  test('an `onChange` that throws, at once or later, breaks nothing', async () => {
    for (const onChange of [
      () => {
        throw new Error('boom');
      },
      () => Promise.reject(new Error('later')),
    ]) {
      expect(await listThrough([pin({ lock: {}, onChange })], [READ])).toEqual([]);
    }
  });

  test('N4 no tools/call leaves for a tool that was not judged', async () => {
    const middleware = pin({ lock: await lockFor(READ) });
    const send = requestThrough([middleware], async () => ({ sent: true }));
    expect(await send(request({ call: call(READ) }))).toEqual({ sent: true });
    expect(await send(request({ method: 'resources/read', call: undefined }))).toEqual({ sent: true });
    for (const wrong of [
      request({ call: undefined }),
      request({ call: call(READ), params: { name: 'write_file' } }),
      request({ call: call(READ), server: 'other' }),
      request({ call: call({ ...READ, title: 'x' }) }),
    ]) {
      await expect(send(wrong)).rejects.toMatchObject({ code: 'not_allowed' });
    }
  });

  test('N4 what a middleware further in puts in is judged too', async () => {
    const swapping: McpMiddleware = {
      name: 'swapping',
      list: async (tools, next) => [...(await next(tools)), tool({ originalName: 'swapped' })],
    };
    expect(names(await listThrough([pin({ lock: await lockFor(READ) }), swapping], [READ]))).toEqual(['read_file']);
  });

  test.each<[unknown, string]>([
    [{}, 'lock: is missing; it must be a lock, as lockOf()'],
    [{ lock: [] }, 'lock: must be a lock'],
    [{ lock: { 's/a': 'short' } }, 'lock: must be a lock'],
    [{ lock: { 's/a': { description: 'x' } } }, 'lock: must be a lock'],
    [{ lock: {}, onDrift: 'hide' }, 'onDrift: must be "block" or "warn"'],
    [{ lock: {}, onDrift: 'warn' }, 'onChange: is missing'],
    [{ lock: {}, onchange: () => {} }, 'Did you mean "onChange"?'],
  ])('bad options throw at once: %j', (options, text) => {
    expect(() => pin(options as PinOptions)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });

  test('later changes to the lock change nothing', async () => {
    const lock: Record<string, string> = {};
    const middleware = pin({ lock });
    Object.assign(lock, await lockFor(READ));
    expect(await listThrough([middleware], [READ])).toEqual([]);
  });
});

describe(`N4 locks of the AI SDK`, () => {
  // Made by ai 7.0.173 of the very tools below.
  const MADE = { read: 'Yp-JuidqGMdqii8TBuqnoe12_C7P-GtY_OOBkltRVQM', zod: 'mYbHT2YNWpYZLcx8-iNWzV0j9jORmsfH70s2PeBMlbQ' };
  const read = aiTool({
    description: 'Reads.',
    inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
    execute: async () => 1,
  });
  const zod = aiTool({ inputSchema: z.object({ a: z.string().default('x') }), title: 'Zod', execute: async () => 2 });
  const wrap = (tools: ToolSet, lock: PinLock) => wrapToolSet({ tools, middleware: [pin({ lock })] });

  test('N4 one that fingerprintTools made holds, in either major', async () => {
    expect(Object.keys(await wrap({ read, zod }, MADE))).toEqual(['read', 'zod']);
    expect(Object.keys(await wrap({ read: Object.assign({}, read, { description: 'Reads?' }), zod }, MADE))).toEqual(['zod']);
    expect(Object.keys(await wrap({ read, zod: Object.assign({}, zod, { title: 'Z' }) }, MADE))).toEqual(['read']);
    expect(Object.keys(await wrap({ read, zod2: zod }, MADE))).toEqual(['read']);
  });

  test.skipIf(fingerprintTools === undefined)(`N4 it is what fingerprintTools makes now${leftOut}`, async () => {
    expect(await fingerprintTools?.({ read, zod })).toEqual(MADE);
  });

  test.skipIf(fingerprintTools === undefined)(
    `N4 of a record of MCP tools, flips after the list included${leftOut}`,
    async () => {
      const tools = [{ name: 'look', description: 'Looks.', title: 'Look', annotations: { readOnlyHint: true } }];
      const server = await fake({ tools });
      const servers = { s: { url: server.url } };
      const lock = (await fingerprintTools?.(await provide({ servers }).tools())) ?? {};
      expect(Object.keys(lock)).toEqual(['s_look']);
      const provider = provide({ servers, middleware: [pin({ lock })] });
      const record = await provider.tools();
      await callTool(record, 's_look');
      Object.assign(tools[0] ?? {}, { description: 'Looks!' });
      provider.refresh();
      expect(await failure(callTool(record, 's_look'))).toMatchObject({ code: 'not_allowed' });
      // What such a lock does not cover is held to what was listed.
      Object.assign(tools[0] ?? {}, { description: 'Looks.', annotations: { readOnlyHint: false } });
      provider.refresh();
      expect(await failure(callTool(record, 's_look'))).toMatchObject({ data: { fields: ['annotations'] } });
      expect(server.executed).toEqual(['look']);
    },
  );

  test.skipIf(detectToolDrift === undefined)(`N4 detectToolDrift compares two of ours${leftOut}`, async () => {
    const before = await lockFor(READ, tool({ originalName: 'gone' }), tool({ originalName: 'same' }));
    const now = await lockFor({ ...READ, title: 'x' }, tool({ originalName: 'new' }), tool({ originalName: 'same' }));
    expect(detectToolDrift?.({ ...now }, { ...before })).toEqual({
      added: ['files/new'],
      removed: ['files/gone'],
      changed: ['files/read_file'],
    });
  });
});

test('N4 the tools of @ai-sdk/mcp can be pinned', async () => {
  const tools = [{ name: 'look', description: 'Looks.', annotations: { readOnlyHint: true } }, { name: 'write' }];
  const server = await fake({ tools });
  const client = await createMCPClient({ transport: { type: 'http', url: String(server.url) } });
  onTestFinished(() => client.close());
  const wrap = async (middleware: McpMiddleware): Promise<ToolSet> =>
    wrapToolSet({ tools: (await client.tools()) as unknown as ToolSet, middleware: [middleware], server: 'docs' });
  const taking = pin({ lock: {}, onDrift: 'warn', onChange: () => {} });
  await wrap(taking);
  const lock = await taking.lock();
  expect(Object.keys(lock)).toEqual(['docs/look', 'docs/write']);
  const same = await wrap(pin({ lock }));
  await same.look?.execute?.({}, executeOptions());
  expect(server.executed).toEqual(['look']);
  Object.assign(tools[0] ?? {}, { description: 'Looks, and sends it on.' });
  expect(Object.keys(await wrap(pin({ lock })))).toEqual(['write']);
});

test('N4 the report says which rule hid a tool', async () => {
  const server = await fake();
  const record = await provide({ servers: { s: { url: server.url } }, middleware: [pin({ lock: {} })] }).tools();
  expect(inspectToolSet(record).notes).toMatchObject([
    { originalName: 'echo', what: 'hidden', why: 'by pin', rule: 'the lock does not know it: it is new, or has a new name' },
  ]);
});
