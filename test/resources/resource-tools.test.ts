import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import { closeToolSet, McpToolSetError } from '../../src/index.ts';
import type { FakeServer } from '../support/fake-server.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { startEverything } from '../support/reference.ts';

type Tools = Awaited<ReturnType<typeof toolSet>>;
type Blocks = { content: { type: string; text: string }[] };

const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);
async function list(tools: Tools): Promise<string[]> {
  const result: unknown = await tools.list_resources?.execute?.({}, executeOptions());
  return (result as Blocks).content.map(({ text }) => text);
}
const rows = async (tools: Tools) => JSON.parse((await list(tools))[0] ?? '') as Record<string, unknown>[];
const read = (tools: Tools, input: object) => tools.get_resource?.execute?.(input, executeOptions());

/** Answers one method with a result, or with a JSON-RPC error. */
const answering = (method: string, body: object, resources: object[] = [{ uri: 'test://r', name: 'r' }]) =>
  fake({
    resources,
    intercept: ({ message }, response) => {
      if (message.method !== method) return false;
      json(response, { jsonrpc: '2.0', id: message.id, ...body });
      return true;
    },
  });

describe('list_resources', () => {
  it('L4J-45 gives rows with the seed’s keys in the seed’s order, resources then templates, per server; null keys are left out', async () => {
    const templates = [{ uriTemplate: 'file:///data/{id}', name: 'dataTemplate', mimeType: 'application/json' }];
    const resources = [
      {
        uri: 'file:///info',
        name: 'basicInfo',
        description: 'About Alice',
        mimeType: 'text/plain',
        title: 'Info',
        size: 12,
        annotations: { priority: 1 },
        extra: 'ignored',
      },
      { uri: 'file:///bare' },
      { name: 'no uri' },
      null,
    ] as object[];
    const a = await answering('resources/templates/list', { result: { resourceTemplates: templates } }, resources);
    const b = await fake({ resources: [{ uri: 'file:///info', name: 'basicInfo' }] });
    const tools = await toolSet({ servers: { alice: { url: a.url }, bob: { url: b.url } } });
    expect((await list(tools))[0]).toBe(
      JSON.stringify([
        { mcpServer: 'alice', uri: 'file:///bare', name: 'file:///bare' },
        {
          mcpServer: 'alice',
          uri: 'file:///info',
          name: 'basicInfo',
          description: 'About Alice',
          mimeType: 'text/plain',
          title: 'Info',
          size: 12,
          annotations: { priority: 1 },
        },
        {
          mcpServer: 'alice',
          uriTemplate: 'file:///data/{id}',
          name: 'dataTemplate',
          mimeType: 'application/json',
          variables: { id: [] },
        },
        { mcpServer: 'bob', uri: 'file:///info', name: 'basicInfo' },
      ]),
    );
  });

  it('L4J-67 a failing server costs its own rows, and the answer names it', async () => {
    const good = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const bad = await answering('resources/list', { error: { code: -32603, message: 'database is down' } });
    const tools = await toolSet({ servers: { good: { url: good.url }, bad: { url: bad.url } } });
    const [json, note] = await list(tools);
    expect(JSON.parse(json ?? '')).toEqual([{ mcpServer: 'good', uri: 'test://r', name: 'r' }]);
    expect(note).toMatch(/Not listed.*"bad".*database is down/);
    const alone = await toolSet({ servers: { bad: { url: bad.url } } });
    await expect(list(alone)).rejects.toThrow(coded('protocol_error'));
  });

  it('G4 G5 a server without templates, or without resources, is no failure; nothing is asked of one that declares none', async () => {
    const server = await answering('resources/templates/list', { error: { code: -32601, message: 'Method not found' } });
    const plain = await fake();
    const tools = await toolSet({ servers: { server: { url: server.url }, plain: { url: plain.url } } });
    expect(await rows(tools)).toHaveLength(1);
    expect(plain.log().some((method) => method.startsWith('resources/'))).toBe(false);
    expect(Object.keys(await toolSet({ servers: { plain: { url: plain.url } } }))).toEqual(['plain_echo']);
  });

  it('I1 I2 follows all pages, and stops at a cursor that comes back', async () => {
    let frozen = false;
    const page: FakeServer = await fake({
      resources: [],
      intercept: ({ message }, response) => {
        if (message.method !== 'resources/list') return false;
        const at = frozen ? 1 : Number(message.params?.cursor ?? 0);
        json(response, {
          jsonrpc: '2.0',
          id: message.id,
          result: { resources: [{ uri: `test://${at}`, name: `${at}` }], ...(at < 3 && { nextCursor: String(at + 1) }) },
        });
        return true;
      },
    });
    const tools = await toolSet({ servers: { s: { url: page.url } } });
    expect((await rows(tools)).map(({ name }) => name)).toEqual(['0', '1', '2', '3']);
    frozen = true;
    await expect(list(await toolSet({ servers: { s: { url: page.url } } }))).rejects.toThrow(coded('bad_response'));
  });
});

describe('get_resource', () => {
  it('L4J-46 a missing argument and an unknown server are errors that say what there is', async () => {
    const server = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const tools = await toolSet({ servers: { docs: { url: server.url }, other: { url: server.url } } });
    await expect(read(tools, { uri: 'test://r' })).rejects.toThrow(/several servers have it: "docs", "other".*"mcpServer"/);
    await expect(read(tools, { mcpServer: 'docs' })).rejects.toThrow(/"uri" is missing/);
    await expect(read(tools, { mcpServer: 'docs', uri: 7 })).rejects.toThrow(coded('invalid_arguments'));
    await expect(read(tools, { mcpServer: 'nope', uri: 'test://r' })).rejects.toThrow(/Connected: "docs", "other"/);
    expect(await read(tools, { mcpServer: 'docs', uri: 'test://r' })).toEqual({
      content: [{ type: 'text', text: 'text of it' }],
    });
  });

  it('several contents keep their order and their URIs, nothing at all is an error', async () => {
    const contents = [{ uri: 'test://1', text: 'one' }, { uri: 'test://2', blob: 'AAAA', mimeType: 'image/png' }, 'odd'];
    const server = await answering('resources/read', { result: { contents } });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const model = plannedModel([{ toolName: 'get_resource', input: { mcpServer: 's', uri: 'test://r' } }]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
    const value = JSON.stringify(toolResultsOf(model)[0]?.output);
    expect(value.indexOf('test://1')).toBeGreaterThan(0);
    expect(value.indexOf('image/png')).toBeGreaterThan(value.indexOf('one'));
    const empty = await answering('resources/read', { result: { contents: [] } });
    await expect(
      read(await toolSet({ servers: { s: { url: empty.url } } }), { mcpServer: 's', uri: 'test://r' }),
    ).rejects.toThrow(coded('bad_response'));
  });

  it('G1 G2 text and binary of a real server reach the model as text and as media', async () => {
    const server = await startEverything();
    const tools = await toolSet({ servers: { every: { url: server.url } } });
    const read = (uri: string) => ({ toolName: 'get_resource', input: { mcpServer: 'every', uri } });
    const model = plannedModel([read('demo://resource/dynamic/text/7'), read('demo://resource/dynamic/blob/7')]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
    const [text, blob] = toolResultsOf(model);
    expect(text?.output).toMatchObject({ type: 'text', value: expect.stringContaining('Resource 7') });
    expect(JSON.stringify(blob?.output)).not.toMatch(/[A-Za-z0-9+/]{60,}={0,2}/);
    await closeToolSet(tools);
    await server.stop();
  });
});

describe('names and texts', () => {
  it('L4J-44 are langchain4j’s by default and can all be set', async () => {
    const server = await fake({ resources: [{ uri: 'test://r', name: 'r' }] });
    const servers = { s: { url: server.url } };
    const schemaOf = (tool: unknown) => JSON.stringify((tool as { inputSchema: { jsonSchema: unknown } }).inputSchema.jsonSchema);
    const tools = await toolSet({ servers });
    expect(tools.list_resources?.description).toBe('Lists all available resources.');
    expect(tools.get_resource?.description).toBe(
      "Retrieves a resource identified by the MCP server name and the resource URI. The 'list_resources' tool should be called before this one to obtain the list.",
    );
    expect(schemaOf(tools.get_resource)).toContain('The name of the MCP server to get the resource from.');
    expect(schemaOf(tools.get_resource)).toContain('The URI of the resource to get.');
    const own = await toolSet({
      servers,
      resources: {
        listName: 'show',
        listDescription: 'D1',
        getName: 'fetch',
        getDescription: 'D2',
        serverDescription: 'D3',
        uriDescription: 'D4',
      },
    });
    expect(Object.keys(own)).toEqual(['fetch', 's_echo', 'show']);
    expect([own.show?.description, own.fetch?.description]).toEqual(['D1', 'D2']);
    expect(schemaOf(own.fetch)).toMatch(/D3.*D4/);
    await expect(own.fetch?.execute?.({}, executeOptions())).rejects.toThrow(/a row of show/);
  });

  it('G2 L4J-11 a name that a prefix makes meets theirs: an error, and with another name for the pair both are there', async () => {
    const server = await fake({ tools: [{ name: 'resources' }], resources: [{ uri: 'test://r', name: 'r' }] });
    const servers = { list: { url: server.url } };
    await expect(toolSet({ servers })).rejects.toThrow(/"list_resources" belongs to the resource tools/);
    await expect(toolSet({ servers, toolName: () => 'get_resource' })).rejects.toThrow(/resource tools/);
    const tools = await toolSet({ servers, resources: { listName: 'find' } });
    await tools.list_resources?.execute?.({}, executeOptions());
    expect(server.executed).toEqual(['resources']);
    expect(JSON.stringify(await tools.find?.execute?.({}, executeOptions()))).toContain('test://r');
  });
});
