import { generateText } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { createMcpToolProvider, type McpToolProvider, type McpWarning, resourceTools } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { fake } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { documents, run, shelf, texts } from './support.ts';

const open: McpToolProvider[] = [];
afterEach(async () => {
  for (const provider of open.splice(0)) await provider.close();
});

function provide(options: Parameters<typeof createMcpToolProvider>[0]): McpToolProvider {
  const provider = createMcpToolProvider(options);
  open.push(provider);
  return provider;
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe('L4J-51 provider.resources', () => {
  it('lists resources and templates of every server or of one, and reads text and blobs', async () => {
    const a = await shelf({ resources: documents(250), templates: [{ uriTemplate: 'x://{id}', name: 't' }] });
    const b = await shelf({
      resources: [{ uri: 'y://1' }],
      read: (uri) => ({ contents: [{ uri, blob: 'AAAA' }, { text: 'x' }, 7] }),
    });
    const plain = await fake();
    const { resources } = provide({ servers: { a: { url: a.url }, b: { url: b.url }, plain: { url: plain.url } } });
    expect(await all(resources.list())).toHaveLength(251);
    expect(await all(resources.list({ server: 'b' }))).toEqual([{ mcpServer: 'b', uri: 'y://1', name: 'y://1' }]);
    expect(await all(resources.templates())).toEqual([{ mcpServer: 'a', uriTemplate: 'x://{id}', name: 't' }]);
    expect(await all(resources.list({ server: 'plain' }))).toEqual([]);
    expect(await resources.read({ server: 'b', uri: 'y://1' })).toEqual([
      { uri: 'y://1', blob: 'AAAA' },
      { uri: 'y://1', text: 'x' },
    ]);
    expect(plain.log().filter((method) => method.startsWith('resources/'))).toEqual([]);
    for await (const { uri } of resources.list()) {
      expect(uri).toBe('docs://archive/00000');
      break;
    }
  });

  it('a failing server costs its own rows and a warning; alone or asked for by name it throws', async () => {
    const good = await shelf({ resources: documents(2) });
    const bad = await shelf({
      resources: [],
      answer: ({ message }) => (message.method === 'resources/list' ? { error: { code: -32603, message: 'down' } } : undefined),
    });
    const warnings: McpWarning[] = [];
    const { resources } = provide({
      servers: { good: { url: good.url }, bad: { url: bad.url } },
      onWarning: (warning) => void warnings.push(warning),
    });
    expect(await all(resources.list())).toHaveLength(2);
    expect(warnings).toMatchObject([{ kind: 'server_failed', server: 'bad', message: expect.stringMatching(/down.*left out/) }]);
    await expect(all(resources.list({ server: 'bad' }))).rejects.toMatchObject({ code: 'protocol_error', server: 'bad' });
    await expect(all(resources.list({ server: 'nope' }))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(resources.read({ server: 'nope', uri: 'x' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('options that are wrong throw at once', async () => {
    const { resources } = provide({ servers: {} });
    expect(() => resources.list({ principle: { id: 'x' } } as never)).toThrow(/principal/);
    await expect(resources.read({ server: 'a' } as never)).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('TNX-15 resourceTools', () => {
  it('is the pair alone, for a record of one’s own; it connects when it is called, through the provider’s middleware', async () => {
    const server = await shelf({ resources: documents(2) });
    const provider = provide({ servers: { docs: { url: server.url } }, middleware: [readOnly()] });
    const tools = { ...resourceTools(provider), own: {} as never };
    expect(Object.keys(tools)).toEqual(['list_resources', 'get_resource', 'own']);
    expect(server.log()).toEqual([]);
    const pair = resourceTools(provider);
    const model = plannedModel([
      { toolName: 'list_resources', input: {} },
      { toolName: 'get_resource', input: { mcpServer: 'docs', uri: 'docs://archive/00001' } },
    ]);
    await generateText({ model, tools: pair, prompt: 'go', stopWhen: stopAfter(4) });
    expect(toolResultsOf(model).at(-1)?.output).toEqual({ type: 'text', value: 'text of it' });
    expect(server.log()).not.toContain('tools/list');
  });

  it('TNX-13 TNX-14 carries the read-only hint, and fails with `closed` once the provider is closed', async () => {
    const server = await shelf({ resources: documents(2) });
    const provider = provide({ servers: { docs: { url: server.url } } });
    const pair = resourceTools(provider, { resources: { format: 'lines' } });
    for (const tool of Object.values(pair)) expect(tool.metadata).toMatchObject({ annotations: { readOnlyHint: true } });
    expect((await texts(pair, 'list_mcp_resources', {}))[0]).toMatch(/^docs docs:\/\/archive\/00000 — document-00000/);
    await provider.close();
    await expect(run(pair, 'list_mcp_resources', {})).rejects.toMatchObject({ code: 'closed' });
  });

  it('is of the principal that it is made for', async () => {
    const seen: unknown[] = [];
    const server = await shelf({
      resources: documents(1),
      answer: ({ message, headers }) => {
        if (message.method === 'resources/list') seen.push(headers.authorization);
        return undefined;
      },
    });
    const provider = provide({ servers: { docs: { url: server.url } } });
    for (const id of ['ann', 'bob']) {
      const pair = resourceTools(provider, { principal: { id, headers: { authorization: id } } });
      await pair.list_resources?.execute?.({}, executeOptions());
    }
    expect(seen).toEqual(['ann', 'bob']);
  });

  it('what is no provider, and options that are wrong, are told of', () => {
    expect(() => resourceTools({} as never)).toThrow(/takes a provider/);
    const provider = provide({ servers: {} });
    expect(() => resourceTools(provider, { resources: { listName: 'a', getName: 'a' } })).toThrow(/one name/);
    expect(() => resourceTools(provider, { resource: {} } as never)).toThrow(/resource/);
  });
});
