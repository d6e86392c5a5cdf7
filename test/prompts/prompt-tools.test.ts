import { generateText, streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import type { McpMiddleware, McpToolSet } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { call, coded, failure, provide, refuse, silentTo } from '../provider/support.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { prompting, sent } from './support.ts';

const PNG = 'iVBORw0KGgo=';
const weather = {
  name: 'weather',
  title: 'Weather',
  arguments: [{ name: 'city', description: 'Where', required: true, other: 1 }],
  _meta: { hidden: true },
};
const messages = [
  { role: 'user', content: { type: 'text', text: 'How is it?' } },
  { role: 'assistant', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
];

async function blocks(tools: McpToolSet, name: string, input: object = {}): Promise<string[]> {
  const result: unknown = await tools[name]?.execute?.(input, executeOptions());
  return (result as { content: { text: string }[] }).content.map(({ text }) => text);
}

describe('list_prompts', () => {
  it('L4J-52 is there when it is asked for and some server has prompts', async () => {
    const server = await prompting({ pages: [[weather]] });
    const plain = await fake();
    const [s, p] = [{ s: { url: server.url } }, { p: { url: plain.url } }];
    expect(Object.keys(await toolSet({ servers: s }))).toEqual(['s_echo']);
    expect(Object.keys(await toolSet({ servers: s, prompts: true }))).toEqual(['get_prompt', 'list_prompts', 's_echo']);
    expect(Object.keys(await toolSet({ servers: p, prompts: true }))).toEqual(['p_echo']);
    const kept = async (prompts: boolean) =>
      Object.keys(await toolSet({ servers: s, prompts: true, middleware: [readOnly({ prompts })] }));
    expect([await kept(true), await kept(false)]).toEqual([['get_prompt', 'list_prompts'], []]);
  });

  it('gives rows of all servers or of one, without what is not for a model; a server that fails costs its own', async () => {
    const a = await prompting({ pages: [[weather], [{ name: 'news' }]] });
    const b = await prompting({ intercept: (r, s) => r.message.method === 'prompts/list' && refuse(r, s, -32603) });
    const tools = await toolSet({ servers: { a: { url: a.url }, b: { url: b.url } }, prompts: true });
    const [rows = '', note] = await blocks(tools, 'list_prompts');
    expect(JSON.parse(rows)).toEqual([
      {
        mcpServer: 'a',
        name: 'weather',
        title: 'Weather',
        arguments: [{ name: 'city', description: 'Where', required: true }],
      },
      { mcpServer: 'a', name: 'news' },
    ]);
    expect(note).toMatch(/^Not listed: MCP server "b"/);
    expect(await blocks(tools, 'list_prompts', { server: 'a' })).toEqual([rows]);
    await expect(call(tools, 'list_prompts', { server: 'b' })).rejects.toThrow(coded('protocol_error'));
    await expect(call(tools, 'list_prompts', { server: 'c' })).rejects.toThrow(/Connected: "a", "b"/);
  });

  it('has an end: what there is no room for is counted, and a row that is too long goes without its texts', async () => {
    const takes = [{ name: 'a', required: true, description: 'x' }];
    const long = { name: 'long', description: 'x'.repeat(100_000), arguments: takes };
    const wide = { name: 'wide', arguments: Array.from({ length: 1_000 }, (_, index) => ({ name: `a${index}` })) };
    const endless = { name: 'n'.repeat(10_000) };
    const many = Array.from({ length: 200 }, (_, index) => ({ name: `p${index}`, description: 'y'.repeat(1_000) }));
    const server = await prompting({ pages: [[long, wide, endless, ...many]] });
    const tools = await toolSet({ servers: { s: { url: server.url } }, prompts: true });
    const [rows = '', note] = await blocks(tools, 'list_prompts');
    const listed = JSON.parse(rows) as object[];
    expect(rows.length).toBeLessThan(40_100);
    expect(listed.slice(0, 3)).toEqual([
      { mcpServer: 's', name: 'long', arguments: [{ name: 'a', required: true }] },
      { mcpServer: 's', name: 'wide' },
      { mcpServer: 's', name: 'p0', description: many[0]?.description },
    ]);
    expect(note).toBe(`Not shown: ${203 - listed.length} more prompts.`);
  });
});

describe('get_prompt', () => {
  it.each(['generateText', 'streamText'])('reaches a model of %s as text and media under the roles', async (how) => {
    const server = await prompting({ pages: [[weather]], messages });
    const tools = await toolSet({ servers: { s: { url: server.url } }, prompts: true });
    const model = plannedModel(
      [{ toolName: 'list_prompts' }],
      [{ toolName: 'get_prompt', input: { mcpServer: 's', name: 'weather', arguments: { city: 'Ulm' } } }],
    );
    const run = { model, tools, prompt: 'go', stopWhen: stopAfter(3) };
    if (how === 'generateText') await generateText(run);
    else await streamText(run).consumeStream();
    const [list, got] = toolResultsOf(model, how === 'streamText');
    expect(JSON.stringify(list?.output)).toContain('weather');
    expect(got?.output).toMatchObject({
      type: 'content',
      value: [{ type: 'text', text: 'user:\nHow is it?\nassistant:' }, { mediaType: 'image/png' }],
    });
    expect(sent(server, 'prompts/get')).toMatchObject([{ name: 'weather', arguments: { city: 'Ulm' } }]);
  });

  it('says what is missing or unknown, and that there is nothing', async () => {
    const server = await prompting({ pages: [[weather]] });
    const tools = await toolSet({ servers: { s: { url: server.url } }, prompts: true });
    const get = (input: object) => failure(call(tools, 'get_prompt', input));
    expect((await get({ name: 'weather' })).message).toMatch(/"mcpServer" is missing.*row of list_prompts/);
    expect((await get({ mcpServer: 's' })).message).toMatch(/"name" is missing/);
    expect((await get({ mcpServer: 'x', name: 'weather' })).message).toMatch(/Connected: "s"/);
    expect((await get({ mcpServer: 's', name: 'weather', arguments: { city: [1] } })).message).toMatch(/"city" must be a text/);
    await call(tools, 'list_prompts');
    expect(await get({ mcpServer: 's', name: 'weather' })).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('prompt "weather": the argument "city" is missing'),
    });
    expect(sent(server, 'prompts/get')).toEqual([]);
    expect(await call(tools, 'get_prompt', { mcpServer: 's', name: 'other' })).toBe('The prompt has no messages.');
  });

  it('runs as a call of its principal through all middleware, and ends with its signal', async () => {
    const server = await prompting({ pages: [[weather]], messages, intercept: silentTo('prompts/get') });
    const provider = provide({ servers: { s: { url: server.url } }, prompts: true });
    const seen: string[] = [];
    const log = () => {};
    const spy: McpMiddleware = {
      name: 'spy',
      call: (each, next) => {
        seen.push(`call ${each.tool.kind} ${each.tool.originalName}`);
        return next(each);
      },
      request: (each, next) => {
        const heard = each.handlers?.log === log ? 'heard' : 'unheard';
        if (each.call !== undefined) seen.push(`${each.method} ${each.principal?.id} ${each.call.toolCallId} ${heard}`);
        return next(each);
      },
    };
    const principal = { id: 'ann', headers: { 'x-user': 'ann' } };
    const tools = await provider.tools({ principal, middleware: [spy], handlers: { log } });
    await call(tools, 'list_prompts');
    const signal = AbortSignal.timeout(100);
    expect(await failure(call(tools, 'get_prompt', { mcpServer: 's', name: 'p' }, signal))).toMatchObject({ code: 'timeout' });
    expect(seen).toEqual([
      'call prompt list_prompts',
      'prompts/list ann call-1 heard',
      'call prompt get_prompt',
      'prompts/get ann call-1 heard',
    ]);
    const asked = server.requests.filter(({ message }) => message.method?.startsWith('prompts/'));
    expect(asked.map(({ headers }) => headers['x-user'])).toEqual(['ann', 'ann']);
  });
});

describe('names and texts', () => {
  it('can all be set, and are told apart from the resource tools’', async () => {
    const server = await prompting({ pages: [[weather]] });
    const servers = { s: { url: server.url } };
    const own = await toolSet({
      servers,
      prompts: {
        listName: 'show',
        listDescription: 'D1',
        getName: 'fetch',
        getDescription: 'D2',
        listServerDescription: 'D3',
        serverDescription: 'D4',
        nameDescription: 'D5',
        argumentsDescription: 'D6',
      },
    });
    expect(Object.keys(own)).toEqual(['fetch', 's_echo', 'show']);
    const schemaOf = (tool: unknown) => JSON.stringify((tool as { inputSchema: { jsonSchema: unknown } }).inputSchema.jsonSchema);
    expect([own.show?.description, own.fetch?.description]).toEqual(['D1', 'D2']);
    expect(schemaOf(own.show)).toContain('D3');
    expect(schemaOf(own.fetch)).toMatch(/D4.*D5.*D6/);
    await expect(call(own, 'fetch')).rejects.toThrow(/a row of show/);
    const clash = (prompts: object, resources?: false) => toolSet({ servers, prompts, resources });
    await expect(clash({ listName: 'get_resource' })).rejects.toThrow(/prompts: gives a tool the name of a resource tool/);
    await expect(clash({ listName: 'x', getName: 'x' })).rejects.toThrow(/prompts: gives both tools one name/);
    await expect(clash({ lstName: 'x' })).rejects.toThrow(/Did you mean "listName"/);
    expect(Object.keys(await clash({ listName: 'get_resource' }, false))).toContain('get_resource');
  });

  it('G2 L4J-11 a server tool that would take their name is refused with the fix, and so is a mapper’s', async () => {
    const server = await prompting({ pages: [[weather]] });
    const servers = { get: { url: server.url } };
    const taker = await fake({ tools: [{ name: 'prompt' }] });
    const taken = { list: { url: server.url }, get: { url: taker.url } };
    await expect(toolSet({ servers: taken, prompts: true })).rejects.toThrow(
      /"get_prompt" belongs to the prompt tools.*`prompts: \{/,
    );
    const tools = await toolSet({ servers: taken, prompts: { getName: 'fetch_prompt' } });
    expect(Object.keys(tools)).toContain('get_prompt');
    expect(await blocks(tools, 'list_prompts')).toHaveLength(1);
    await expect(toolSet({ servers, prompts: true, toolName: () => 'get_prompt' })).rejects.toThrow(
      /"get_prompt" of the prompt tools and "echo" of "get"/,
    );
  });
});
