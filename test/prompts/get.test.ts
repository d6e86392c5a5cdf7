import { generateText, type ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { McpMiddleware } from '../../src/index.ts';
import { toModelMessages } from '../../src/prompts/messages.ts';
import { answer, coded, count, failure, provide, pushing, refuse, silentTo } from '../provider/support.ts';
import { json } from '../support/listen.ts';
import { plannedModel } from '../support/model.ts';
import { all, prompting, sent, settle } from './support.ts';

const PNG = 'iVBORw0KGgo=';
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const text = (said: string) => ({ type: 'text', text: said });
const file = { type: 'file', mediaType: 'image/png', data: PNG };

async function got(messages: unknown): Promise<ModelMessage[]> {
  const server = await prompting({ messages });
  const provider = provide({ servers: { s: { url: server.url } } });
  return provider.prompts.get({ server: 's', name: 'p' });
}

/** What a model is given of the messages. */
async function prompted(messages: ModelMessage[]) {
  const model = plannedModel();
  await generateText({ model, messages });
  return model.doGenerateCalls[0]?.prompt;
}

describe('messages', () => {
  it('L4J-52 text, media, embedded resources and links become parts of a user message, in order', async () => {
    const resource = (contents: object) => ({ type: 'resource', resource: contents });
    const messages = await got([
      user(text('Look:')),
      user({ type: 'image', data: PNG, mimeType: 'image/png' }),
      user({ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }),
      user(resource({ uri: 'file:///a.md', mimeType: 'text/markdown', text: '# A' })),
      user(resource({ uri: 'file:///b.pdf', mimeType: 'application/pdf', blob: 'JVBERg==' })),
      user(resource({ uri: 'file:///c.txt', mimeType: 'text/plain', blob: 'aGk=' })),
      user({ type: 'resource_link', uri: 'file:///d', name: 'd' }),
    ]);
    expect(messages).toEqual([
      user([
        text('Look:'),
        file,
        { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
        text('Resource file:///a.md (text/markdown):\n# A'),
        text('Resource file:///b.pdf (application/pdf):'),
        { type: 'file', mediaType: 'application/pdf', data: 'JVBERg==', filename: 'b.pdf' },
        text('Resource file:///c.txt (text/plain):\nhi'),
        text('Resource link: file:///d — d'),
      ]),
    ]);
    const [said] = (await prompted(messages)) ?? [];
    expect(said?.role).toBe('user');
    expect(((said?.content ?? []) as { type: string }[]).map(({ type }) => type)).toEqual(
      ((messages[0]?.content ?? []) as { type: string }[]).map(({ type }) => type),
    );
    expect(JSON.stringify(said)).toContain(PNG);
  });

  it('L4J-52 an assistant’s file follows in a user message that says whose it is; text stays where it was', async () => {
    const messages = await got([
      user(text('Draw.')),
      assistant([text('Here:'), { type: 'image', data: PNG, mimeType: 'image/png' }, text('Done.')]),
      user(text('Thanks.')),
    ]);
    expect(messages).toEqual([
      user([text('Draw.')]),
      assistant([text('Here:')]),
      user([text("[The assistant's message above holds this file: image/png, 8 bytes]"), file]),
      assistant([text('Done.')]),
      user([text('Thanks.')]),
    ]);
    expect((await prompted(messages))?.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('lies: empty content, unknown roles and blocks, bad base64, a bare text, one message for a list', async () => {
    expect(await got([])).toEqual([]);
    expect(await got([user(text('')), user(text(' \n')), user([]), user(null), {}, null, 7])).toEqual([]);
    expect(await got([{ role: 'system', content: text('obey') }])).toEqual([user([text('obey')])]);
    expect(await got([user('bare'), 'barer'])).toEqual([user([text('bare'), text('barer')])]);
    expect(await got(user(text('one')))).toEqual([user([text('one')])]);
    expect(await got([user({ type: 'image', data: '!!', mimeType: 'image/png' })])).toEqual([
      user([text('[image, image/png: its data is not valid base64]')]),
    ]);
    expect(JSON.stringify(await got([assistant({ type: 'video', src: 'x' })]))).toMatch(/assistant.*unknown type.*video/);
    await expect(got(null)).rejects.toThrow(coded('bad_response'));
    await expect(got('text')).rejects.toThrow(/"s": prompt "p": .*no messages/);
  });

  it('whatever a server says, no part is blank, no two neighbours have one role, and the AI SDK takes it', async () => {
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string() }),
      fc.record({
        type: fc.constantFrom('image', 'audio'),
        data: fc.constantFrom(PNG, '', '!'),
        mimeType: fc.constantFrom('image/png', 'x'),
      }),
      fc.anything(),
    );
    const said = fc.array(fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), blocks: fc.array(block) }));
    await fc.assert(
      fc.asyncProperty(said, async (messages) => {
        const made = toModelMessages(messages);
        const parts = made.flatMap(({ content }) => content as { text?: string }[]);
        expect(parts.filter((part) => part.text?.trim() === '')).toEqual([]);
        expect(made.filter(({ content }) => content.length === 0)).toEqual([]);
        expect(made.filter(({ role }, index) => role === made[index + 1]?.role)).toEqual([]);
        if (made.length > 0) expect(await prompted(made)).toHaveLength(made.length);
      }),
      { numRuns: 100 },
    );
  });
});

describe('arguments and refusals', () => {
  const city = { name: 'city', required: true };
  const weather = { name: 'weather', arguments: [city, { name: 'days' }] };

  it('numbers and booleans are sent as text, what is absent is not, and what is neither is refused by name', async () => {
    const server = await prompting();
    const provider = provide({ servers: { s: { url: server.url } } });
    const given = { a: 'x', b: 3, c: false, d: undefined, e: null, f: 10n };
    await provider.prompts.get({ server: 's', name: 'p', arguments: given });
    await provider.prompts.get({ server: 's', name: 'p' });
    expect(sent(server, 'prompts/get')).toMatchObject([
      { name: 'p', arguments: { a: 'x', b: '3', c: 'false', f: '10' } },
      { name: 'p' },
    ]);
    expect(sent(server, 'prompts/get')[0]).toHaveProperty('arguments', { a: 'x', b: '3', c: 'false', f: '10' });
    expect(sent(server, 'prompts/get')[1]).not.toHaveProperty('arguments');
    const bad = provider.prompts.get({ server: 's', name: 'p', arguments: { where: { secret: 1 } } as never });
    expect(await failure(bad)).toMatchObject({
      code: 'invalid_arguments',
      message: 'MCP server "s": prompt "p": the argument "where" must be a text, a number, or true or false, not an object.',
    });
    expect(count(server, 'prompts/get')).toBe(2);
  });

  it('a missing argument is named before anything is sent where the list is known, and after the refusal where it is not', async () => {
    const refusing = (r: Parameters<typeof refuse>[0], s: Parameters<typeof refuse>[1]) =>
      r.message.method === 'prompts/get' && refuse(r, s, -32602);
    const server = await prompting({ pages: [[weather]], intercept: refusing });
    const provider = provide({ servers: { s: { url: server.url } } });
    await settle(provider, 's');
    const get = () => failure(provider.prompts.get({ server: 's', name: 'weather', arguments: { days: 3 } }));
    const missing = 'MCP server "s": prompt "weather": the argument "city" is missing. It takes: city, days (optional).';
    expect(await get()).toMatchObject({ code: 'invalid_arguments', message: missing, data: { code: -32602 } });
    expect([count(server, 'prompts/get'), count(server, 'prompts/list')]).toEqual([1, 1]);
    expect(await get()).toMatchObject({ code: 'invalid_arguments', message: missing });
    expect([count(server, 'prompts/get'), count(server, 'prompts/list')]).toEqual([1, 1]);
  });

  it('what is known of the list is one principal’s own, and for `listTtl` only', async () => {
    const server = await prompting({ pages: [[weather]] });
    let time = 0;
    const provider = provide({ servers: { s: { url: server.url } }, now: () => time, listTtl: 1_000 });
    const get = (id: string) => provider.prompts.get({ server: 's', name: 'weather', principal: { id } });
    await all(provider.prompts.list({ principal: { id: 'ann' } }));
    await expect(get('ann')).rejects.toThrow(/"city" is missing/);
    expect(await get('bob')).toEqual([]);
    time = 1_000;
    expect(await get('ann')).toEqual([]);
  });

  it('what is known of the list is forgotten when the server tells that it changed', async () => {
    let pages: unknown[][] = [[weather]];
    const server = await pushing({
      capabilities: { tools: {}, prompts: { listChanged: true } },
      intercept: (r, s) => {
        if (r.message.method === 'prompts/list') return answer(r, s, { prompts: pages[0] });
        return r.message.method === 'prompts/get' && answer(r, s, { messages: [] });
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const told = new Promise((resolve) => provider.on('list_changed', resolve));
    await all(provider.prompts.list());
    const get = () => provider.prompts.get({ server: 's', name: 'weather' });
    await expect(get()).rejects.toThrow(/"city" is missing/);
    await expect.poll(() => server.streams.size).toBe(1);
    pages = [[{ name: 'weather' }]];
    server.push('notifications/prompts/list_changed');
    await told;
    expect(await get()).toEqual([]);
  });

  it('what fails on the way names the prompt too', async () => {
    const server = await prompting();
    const broken: McpMiddleware = {
      name: 'broken',
      request: (request, next) => {
        if (request.method === 'prompts/get') throw new TypeError('no');
        return next(request);
      },
    };
    const servers = { s: { url: server.url }, dead: { url: 'http://127.0.0.1:9/mcp' } };
    const provider = provide({ servers, middleware: [broken] });
    const get = async (key: string) => (await failure(provider.prompts.get({ server: key, name: 'p' }))).message;
    expect(await get('s')).toMatch(/^MCP server "s": prompt "p": .*middleware/);
    expect(await get('dead')).toMatch(/^MCP server "dead": prompt "p": no connection/);
    await provider.close();
    expect(await get('s')).toMatch(/^MCP server "s": prompt "p": the tool set was closed/);
  });

  it('an unknown prompt, an unknown server and one without prompts say what there is', async () => {
    const server = await prompting({
      pages: [[weather, { name: 'news' }]],
      intercept: (r, s) => r.message.method === 'prompts/get' && refuse(r, s, -32603),
    });
    const plain = await prompting({ capabilities: { tools: {} } });
    const provider = provide({ servers: { s: { url: server.url }, plain: { url: plain.url } } });
    const get = (server: string, name: string) => failure(provider.prompts.get({ server, name }));
    expect(await get('s', 'wether')).toMatchObject({
      code: 'invalid_arguments',
      message: 'MCP server "s": prompt "wether": the server has no such prompt. Did you mean "weather"?',
    });
    expect((await get('s', 'zzz')).message).toContain('It offers: weather, news.');
    expect(await get('s', 'news')).toMatchObject({
      code: 'protocol_error',
      message: expect.stringMatching(/"s": prompt "news": .*refused/),
    });
    expect(await get('plain', 'news')).toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('offers no prompts'),
    });
    expect(count(plain, 'prompts/get')).toBe(0);
    expect(await get('nope', 'news')).toMatchObject({ code: 'config_invalid' });
    await expect(provider.prompts.get({ server: 's', nam: 'x' } as never)).rejects.toThrow(/nam: is not known here/);
  });

  it('no value of an argument comes back in an error, however the server repeats it', async () => {
    const secret = 'tell nobody "of this" now';
    const echo = (message: string) =>
      prompting({
        intercept: (r, s) => {
          if (r.message.method !== 'prompts/get') return false;
          json(s, { jsonrpc: '2.0', id: r.message.id, error: { code: -32602, message } });
          return true;
        },
      });
    const texts = [
      `bad value ${secret}!`,
      `bad value ${JSON.stringify(secret)}`,
      `${'x'.repeat(485)} ${secret}`,
      `bad value ${secret.replace(' ', '\n')}`,
    ];
    for (const said of texts) {
      const server = await echo(said);
      const provider = provide({ servers: { s: { url: server.url } } });
      const error = await failure(provider.prompts.get({ server: 's', name: 'p', arguments: { note: secret } }));
      expect(error.message).toContain('prompt "p"');
      expect(error.message).toContain('[note]');
      expect(error.message).not.toMatch(/nobody|tell/);
    }
  });

  it('an abort ends it', async () => {
    const server = await prompting({ intercept: silentTo('prompts/get') });
    const provider = provide({ servers: { s: { url: server.url } } });
    const signal = AbortSignal.timeout(100);
    const error = await failure(provider.prompts.get({ server: 's', name: 'p', signal }));
    expect(error).toMatchObject({ code: 'aborted', server: 's', message: expect.stringContaining('prompt "p"') });
  });
});

describe('complete', () => {
  const completions = { tools: {}, prompts: {}, completions: {} };

  it('sends the argument and the others, and gives the texts', async () => {
    const server = await prompting({
      capabilities: completions,
      intercept: (r, s) => {
        if (r.message.method !== 'completion/complete') return false;
        json(s, { jsonrpc: '2.0', id: r.message.id, result: { completion: { values: ['Utrecht', 7, 'Ulm'] } } });
        return true;
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const request = { server: 's', name: 'p', argument: 'city', value: 'U', arguments: { country: 'NL', days: 2, city: 'old' } };
    expect(await provider.prompts.complete(request)).toEqual(['Utrecht', 'Ulm']);
    expect(sent(server, 'completion/complete')).toMatchObject([
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'city', value: 'U' },
        context: { arguments: { country: 'NL', days: '2' } },
      },
    ]);
  });

  it('G5 is empty without the capability, without the method, and for an answer that says nothing', async () => {
    const plain = await prompting();
    const lying = await prompting({ capabilities: completions });
    const empty = await prompting({
      capabilities: completions,
      intercept: (r, s) => {
        if (r.message.method !== 'completion/complete') return false;
        json(s, { jsonrpc: '2.0', id: r.message.id, result: { completion: null } });
        return true;
      },
    });
    for (const [server, asked] of [
      [plain, 0],
      [lying, 1],
      [empty, 1],
    ] as const) {
      const provider = provide({ servers: { s: { url: server.url } } });
      await settle(provider, 's');
      expect(await provider.prompts.complete({ server: 's', name: 'p', argument: 'a', value: '' })).toEqual([]);
      expect(count(server, 'completion/complete')).toBe(asked);
    }
  });
});
