import { tool as aiTool, jsonSchema } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMcpToolProvider } from '../../src/index.ts';
import { type MetaSupplier, meta } from '../../src/middleware/meta.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { McpRequest } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { OK, request, requestThrough } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf, listeners } from './foreign.ts';

/** The `_meta` that comes out. */
async function sent(supplier: MetaSupplier, overrides: Partial<McpRequest> = {}): Promise<unknown> {
  let seen: McpRequest | undefined;
  await requestThrough([meta(supplier)], async (input) => {
    seen = input;
    return OK;
  })(request(overrides));
  return seen?.params._meta;
}

describe('L4J-26 what is added', () => {
  test('an object, or what a function gives for each request, at once or later', async () => {
    expect(await sent({ 'com.example/tenant': 't1' })).toEqual({ 'com.example/tenant': 't1' });
    expect(await sent(({ principal }) => ({ user: principal?.id }), { principal: { id: 'ann' } })).toEqual({ user: 'ann' });
    expect(await sent(async ({ method }) => ({ method }))).toEqual({ method: 'tools/call' });
    expect(await sent(() => undefined)).toBeUndefined();
    expect(await sent(() => ({ nothing: undefined }))).toBeUndefined();
  });

  test('L4J-26 keys of the framework win, and are never taken from a supplier', async () => {
    const supplied = {
      progressToken: 1,
      traceparent: 'x',
      tracestate: 'x',
      baggage: 'x',
      'io.modelcontextprotocol/clientInfo': 'x',
      'IO.ModelContextProtocol/x': 'x',
      'dev.mcp/x': 'x',
      'modelcontextprotocol.io/x': 'x',
      'com.mcp.tools/x': 'x',
      'com.example.mcp/mine': 'kept',
      'com.example/tenant': 'kept',
      shared: 'supplied',
    };
    const present = { shared: 'there before', 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    expect(await sent(() => supplied, { params: { name: 'read_file', _meta: present } })).toEqual({
      'com.example.mcp/mine': 'kept',
      'com.example/tenant': 'kept',
      ...present,
    });
    expect(await sent(() => supplied, { params: { name: 'read_file', _meta: null } })).toMatchObject({ shared: 'supplied' });
  });

  test('inputs are not changed', async () => {
    const params = Object.freeze({ name: 'read_file', _meta: Object.freeze({ a: 1 }) });
    expect(await sent(Object.freeze({ b: 2 }), { params })).toEqual({ a: 1, b: 2 });
  });

  test.each<[string, unknown, string]>([
    ['a key of the framework', { progressToken: 1 }, 'progressToken: must be left out: only the framework writes it'],
    ['a key of the protocol', { 'io.modelcontextprotocol/x': 1 }, 'must be left out'],
    ['nothing', undefined, 'must be an object, not missing'],
    ['a list', [], 'must be an object, not a list'],
  ])('%s is refused at once', (_, supplier, text) => {
    expect(() => meta(supplier as MetaSupplier)).toThrow(text);
  });

  test('a function that fails costs the request, tells nothing of why, and sends nothing', async () => {
    for (const supplier of [() => Promise.reject(new Error('sentinel')), () => JSON.parse('sentinel')]) {
      const error = await failureOf(sent(supplier));
      expect(error).toMatchObject({ code: 'unavailable', server: 'files', tool: 'read_file' });
      expect(error.message).not.toContain('sentinel');
    }
    expect(await failureOf(sent((() => 'text') as never))).toMatchObject({ code: 'config_invalid' });
  });

  test('H1 an abort ends the wait for a function that hangs', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const failing = codeOf(sent(() => new Promise(() => {}), { signal }));
    controller.abort();
    expect(await failing).toBe('aborted');
    expect(listeners(signal)).toBe(0);
  });
});

describe('on real servers', () => {
  test('L4J-26 it is in every request of the legacy era, handshake and resource tools included', async () => {
    const server = await fake({ resources: [{ uri: 'a:b', name: 'x' }] });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [meta({ 'com.example/tenant': 't1' })] });
    await execute(tools, 's_echo');
    await execute(tools, 'list_resources');
    const requests = server.requests.map(({ message }) => message).filter(({ id }) => id !== undefined);
    expect(requests.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['server/discover', 'initialize', 'tools/list', 'tools/call', 'resources/list']),
    );
    for (const { params } of requests) expect(params?._meta).toMatchObject({ 'com.example/tenant': 't1' });
    const called = requests.find(({ method }) => method === 'tools/call')?.params?._meta as { progressToken?: unknown };
    expect(called.progressToken).toBeDefined();
  });

  test('L4J-26 each principal sends its own', async () => {
    const server = await fake();
    const provider = createMcpToolProvider({
      servers: { s: { url: server.url } },
      middleware: [meta(({ principal }) => ({ user: principal?.id }))],
    });
    for (const id of ['ann', 'bob']) await execute(await provider.tools({ principal: { id } }), 's_echo');
    await provider.close();
    const called = server.requests.filter(({ message }) => message.method === 'tools/call');
    expect(called.map(({ message }) => message.params?._meta)).toMatchObject([{ user: 'ann' }, { user: 'bob' }]);
  });

  test("L4J-26 in the modern era the protocol's own keys stand beside it", async () => {
    const server = await startSdkServer((each) => each.registerTool('hi', {}, async () => ({ content: [] })));
    onTestFinished(() => server.close());
    const bodies: { method: string; params: { _meta: unknown } }[] = [];
    const fetch: typeof globalThis.fetch = (url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return globalThis.fetch(url, init);
    };
    const tools = await toolSet({ servers: { s: { url: server.url, fetch } }, middleware: [meta({ tenant: 't1' })] });
    await execute(tools, 's_hi');
    expect(bodies.map(({ method }) => method)).toEqual(['server/discover', 'tools/list', 'tools/call']);
    for (const { params } of bodies) {
      expect(params._meta).toMatchObject({ tenant: 't1', 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
    }
  });

  test('it says at once that no `_meta` reaches foreign tools', async () => {
    const plain = aiTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 1 });
    const server = await fake();
    for (const tools of [{ plain }, await connectorTools(server.url)]) {
      const error = await failureOf(wrapToolSet({ tools, middleware: [meta({ a: 1 })] }));
      expect(error).toMatchObject({ code: 'config_invalid' });
      expect(error.message).toContain('Leave meta() out of this list.');
    }
  });
});
