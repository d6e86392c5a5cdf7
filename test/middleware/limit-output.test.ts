import { tool as aiTool, asSchema, generateText, jsonSchema, type ToolSet } from 'ai';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer';
import { describe, expect, test } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { cache } from '../../src/middleware/cache.ts';
import { type LimitOutputOptions, limitOutput } from '../../src/middleware/limit-output.ts';
import { readOnly } from '../../src/middleware/read-only.ts';
import type { TextStore } from '../../src/middleware/shared/text-store.ts';
import { toModelOutput } from '../../src/tools/result.ts';
import { wrapToolSet } from '../../src/tools/wrap.ts';
import type { CallToolResult, ContentBlock, Principal, ToolCall } from '../../src/types.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { call, callThrough, listThrough, tool } from './fake.ts';
import { codeOf, connectorTools, execute, failureOf } from './foreign.ts';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
const bytes = (value: string): number => new TextEncoder().encode(value).length;
const btoa64 = (value: string): string => Buffer.from(value).toString('base64');
const NOTICE =
  /\n\[… (\d+) of (\d+) characters are left out here\. Read them with (\w+)\(\{"handle":"(\w+)","offset":(\d+)\}\) …\]\n/;

/** A limiter around a tool that answers so, and its own tool. */
function limited(options: LimitOutputOptions, answer: unknown) {
  const middleware = limitOutput(options);
  const run = callThrough([middleware], (input) => input.tool.run?.(input) ?? Promise.resolve(answer as CallToolResult));
  const ask = (overrides: Partial<ToolCall> = {}) => run(call(overrides.tool ?? tool(), overrides));
  async function readMore(input: Record<string, unknown>, principal?: Principal): Promise<string> {
    const [added] = (await listThrough([middleware], [])).slice(-1);
    const result = await run(call(added ?? tool(), { input, principal }));
    return allText(result);
  }
  return { middleware, ask, readMore };
}

const textsOf = ({ content }: Pick<CallToolResult, 'content'>): string[] =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
const allText = (result: Pick<CallToolResult, 'content'>): string => textsOf(result).join('\n');

function noticeIn(value: string) {
  const [whole = '', left, all, name, handle = '', offset] = NOTICE.exec(value) ?? [];
  const [head = '', tail = ''] = value.split(whole);
  return { head, tail, left: Number(left), all: Number(all), name, handle, offset: Number(offset) };
}

describe('F15 the cut', () => {
  test('F15 what fits stays the very same result; what does not is cut in the middle, with a notice that says how to read on', async () => {
    const small = { content: [text(lines(20))], structuredContent: { a: 1 }, _meta: { b: 2 } };
    expect(await limited({ maxBytes: 1_000 }, small).ask()).toBe(small);

    const whole = lines(1_000);
    const { ask, readMore } = limited({ maxBytes: 1_000 }, { content: [text(whole)] });
    const output = allText(await ask());
    expect(bytes(output)).toBeLessThanOrEqual(1_000);
    expect(bytes(output)).toBeGreaterThan(900);
    const { head, tail, left, all, name, handle, offset } = noticeIn(output);
    expect(whole.startsWith(head)).toBe(true);
    expect(whole.endsWith(tail)).toBe(true);
    expect(head.length / (head.length + tail.length)).toBeCloseTo(0.7, 1);
    expect({ left, all, name, offset }).toEqual({
      left: whole.length - head.length - tail.length,
      all: whole.length,
      name: 'read_more',
      offset: head.length,
    });
    expect(await readMore({ handle, offset })).toMatch(new RegExp(`^${whole.slice(offset, offset + 100)}`));
  });

  test('F15 the limit holds, no character is cut in half, and reading on gives the whole text, for any text', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.constant('😀é漢'),
    );
    const options = fc.record({ maxBytes: fc.integer({ min: 400, max: 900 }), head: fc.double({ min: 0, max: 1, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), options, async (parts, settings) => {
        const content = parts.map(text);
        const whole = parts.join('\n');
        const { ask, readMore } = limited(settings, { content });
        const result = await ask();
        const output = allText(result);
        if (bytes(whole) <= settings.maxBytes) {
          expect(result.content).toEqual(content);
          return;
        }
        expect(bytes(output)).toBeLessThanOrEqual(settings.maxBytes);
        const { handle, head, tail } = noticeIn(output);
        expect(isWhole(head) && isWhole(tail)).toBe(true);
        let read = '';
        for (let offset = 0; offset < whole.length; ) {
          const page = await readMore({ handle, offset });
          expect(bytes(page)).toBeLessThanOrEqual(settings.maxBytes);
          const [, body = '', end] = /^([\s\S]*)\n\[characters \d+ to (\d+) of \d+\. [^\]]*\]$/.exec(page) ?? [];
          read += body;
          offset = Number(end);
        }
        expect(read).toBe(whole);
      }),
      { numRuns: 60 },
    );
  });

  test('F15 neither cut parts the halves of a character, wherever it falls', async () => {
    for (let shift = 0; shift < 8; shift++) {
      const { ask, readMore } = limited(
        { maxBytes: 500 + shift },
        { content: [text(`${'a'.repeat(shift % 3)}${'😀'.repeat(1_000)}`)] },
      );
      const { head, tail, handle } = noticeIn(allText(await ask()));
      expect([head, tail].every(isWhole)).toBe(true);
      for (const input of [{ offset: 11 }, { offset: 12 }, { offset: 11, limit: 3 }, { offset: 12, limit: 3 }]) {
        expect(isWhole(await readMore({ handle, ...input }))).toBe(true);
      }
    }
  });

  test('F15 a tokenizer of one’s own is believed, and asked about little more than fits', async () => {
    let counted = 0;
    const count = (value: string): number => {
      counted += value.length;
      return countTokens(value);
    };
    const whole = lines(100_000);
    const output = allText(await limited({ maxTokens: 2_000, count }, { content: [text(whole)] }).ask());
    expect(countTokens(output)).toBeLessThanOrEqual(2_000);
    expect(countTokens(output)).toBeGreaterThan(1_800);
    expect(counted).toBeLessThan(whole.length / 4);
  });

  test('a tokenizer that fails costs nothing; both limits hold; 10 000 tokens are the default', async () => {
    const broken = (): never => {
      throw new Error('x');
    };
    const content = [text('漢'.repeat(40_000))];
    const both = allText(await limited({ maxTokens: 10_000, maxBytes: 2_000, count: broken }, { content }).ask());
    expect(bytes(both)).toBeLessThanOrEqual(2_000);
    const plain = allText(await limited({}, { content }).ask());
    expect(bytes(plain)).toBeLessThanOrEqual(40_000);
    expect(bytes(plain)).toBeGreaterThan(39_000);
  });

  test('F15 media is not cut and stays in its place; blocks that are all middle go', async () => {
    const image = { type: 'image', data: 'A'.repeat(100_000), mimeType: 'image/png' } as const;
    const link = { type: 'resource_link', uri: 'a:b', name: 'x' } as const;
    const blob = { type: 'resource', resource: { uri: 'a:b', mimeType: 'image/png', blob: 'A'.repeat(50_000) } } as const;
    const content = [text('start'), image, text('m'.repeat(5_000)), link, text('n'.repeat(5_000)), blob, text('end')];
    const result = await limited({ maxBytes: 600 }, { content }).ask();
    // What a link and a file are called is text as well; the files themselves are whole.
    expect(result.content.map(({ type }) => type)).toEqual(['text', 'image', 'text', 'text', 'text', 'image', 'text']);
    expect(result.content[1]).toEqual(image);
    expect(result.content[4]).toEqual(text('Resource a:b (image/png):'));
    expect(result.content[5]).toEqual({ type: 'image', data: blob.resource.blob, mimeType: 'image/png' });
    expect(textsOf(result)[0]).toBe('start');
    expect(textsOf(result)[1]).toMatch(NOTICE);
    expect(textsOf(result).at(-1)).toBe('end');
    const gone = await limited({ maxBytes: 600 }, { content: ['a', 'b', 'c'].map((part) => text(part.repeat(4_000))) }).ask();
    expect(textsOf(gone).map((part) => part[0])).toEqual(['a', 'c']);
  });

  test('F15 the text of embedded resources is cut, also where it was sent as bytes', async () => {
    const resource = { uri: 'a:b', mimeType: 'text/csv' };
    const blob = btoa('x'.repeat(5_000));
    for (const content of [
      [{ type: 'resource', resource: { ...resource, text: 'x'.repeat(5_000) } }],
      [{ type: 'resource', resource: { ...resource, blob } }],
    ]) {
      const { content: cut } = await limited({ maxBytes: 600 }, { content }).ask();
      expect(cut).toEqual([text(expect.stringMatching(NOTICE))]);
      expect(textsOf({ content: cut })[0]).toMatch(/^Resource a:b \(text\/csv\):\nx/);
    }
  });

  const bulk = fc.integer({ min: 0, max: 3_000 }).map((length) => 'é"\n'.repeat(length));
  const blockOf: fc.Arbitrary<unknown> = fc.oneof(
    bulk.map(text),
    fc.record({ type: fc.constant('resource_link'), uri: bulk, name: bulk, description: bulk }),
    fc.record({
      type: fc.constantFrom('image', 'audio'),
      mimeType: fc.constantFrom('image/png', 'text/plain', 'x'),
      data: bulk.map(btoa64),
    }),
    fc.record({
      type: fc.constant('resource'),
      resource: fc.record({
        uri: bulk,
        mimeType: fc.constantFrom(
          'application/javascript',
          'text/plain; charset=utf-8',
          'application/pdf',
          'application/sql',
          undefined,
        ),
        blob: bulk.map(btoa64),
      }),
    }),
    fc.record({ type: fc.constantFrom('strange', 7, undefined), what: bulk, text: bulk }),
    fc.string({ unit: 'binary' }),
  );

  test('F15 whatever the blocks are, the model gets no more text than the budget', async () => {
    const results = fc.record({
      content: fc.oneof(
        fc.array(blockOf, { maxLength: 6 }),
        fc.array(fc.constant(text('x')), { minLength: 900, maxLength: 1_000 }),
      ),
      structuredContent: fc.oneof(
        fc.constant(undefined),
        bulk.map((data) => ({ data })),
      ),
      isError: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(results, fc.integer({ min: 400, max: 2_000 }), async (result, maxBytes) => {
        const limit = await limited({ maxBytes }, result).ask();
        const output = toModelOutput(limit) as { type: string; value: unknown };
        const parts =
          output.type === 'content'
            ? (output.value as { type: string; text: string }[])
            : [{ type: 'text', text: String(output.value) }];
        const seen = parts.filter(({ type }) => type === 'text').map((part) => part.text);
        // A document is called a resource once more.
        const documents = parts.length - seen.length;
        expect(bytes(seen.join('\n'))).toBeLessThanOrEqual(maxBytes + 400 * documents);
      }),
      { numRuns: 150 },
    );
  });

  test('F15 what is for the user alone is a line that counts as such, and the application keeps it', async () => {
    const forUser = { ...text(`secret ${lines(1_000)}`), annotations: { audience: ['user'] } } as ContentBlock;
    const fitting = { content: [text('for the model'), forUser] };
    expect(await limited({ maxBytes: 400 }, fitting).ask()).toBe(fitting);

    const long = { content: [text(lines(500)), forUser] };
    const { ask, middleware } = limited({ maxBytes: 1_000 }, long);
    const output = await ask();
    expect(allText(output)).toMatch(/\[text for the user, \d+ characters\]$/);
    expect(JSON.stringify(output)).not.toContain('secret');
    expect(middleware.original(output)).toBe(long);
  });

  test('F15 the lines that stand for files count, and files alone are never cut', async () => {
    const pictures = Array.from(
      { length: 20 },
      () => ({ type: 'image', data: btoa64('x'), mimeType: 'image/png' }) as ContentBlock,
    );
    const alone = { content: pictures };
    expect(await limited({ maxBytes: 400 }, alone).ask()).toBe(alone);

    const output = await limited({ maxBytes: 1_000 }, { content: [text(lines(80)), ...pictures] }).ask();
    expect(output.content.filter(({ type }) => type === 'image')).toHaveLength(20);
    const shown = toModelOutput(output) as { value: { text: string }[] };
    expect(shown.value).toHaveLength(21);
    expect(bytes(shown.value[0]?.text ?? '')).toBeLessThanOrEqual(1_000);
    expect(allText(output)).toMatch(NOTICE);
  });

  test('a counter of tokens that makes more of the whole than of its parts, none, or less than none does not lift the limit', async () => {
    const content = [text(lines(3_000))];
    const strict = (value: string): number => Math.ceil(value.length / 3 + value.length ** 1.05 / 30);
    expect(strict(allText(await limited({ maxTokens: 100, count: strict }, { content }).ask()))).toBeLessThanOrEqual(100);
    for (const count of [() => -1, () => 0, () => Number.NaN]) {
      expect(bytes(allText(await limited({ maxTokens: 100, count }, { content }).ask()))).toBeLessThanOrEqual(400);
    }
  });

  test('reading on one character at a time gets past those that are two units', async () => {
    const whole = 'ab😀😀c'.repeat(400);
    const { ask, readMore } = limited({ maxBytes: 400 }, { content: [text(whole)] });
    const { handle } = noticeIn(allText(await ask()));
    let offset = 0;
    let read = '';
    while (offset < 30) {
      const page = await readMore({ handle, offset, limit: 1 });
      const [, from, to] = /\[characters (\d+) to (\d+) of/.exec(page) ?? [];
      expect(Number(to)).toBeGreaterThan(Number(from));
      read += page.slice(0, page.indexOf('\n[characters'));
      offset = Number(to);
    }
    expect(whole.startsWith(read)).toBe(true);
  });

  test('a shelf that somebody else has written to is not read on in', async () => {
    for (const entry of ['{"text":"x"}', '{"text":"x","from":-1}', '{"text":"x","from":0,"principal":{}}', '[]', '{']) {
      const store: TextStore = { get: async () => entry, set: async () => {} };
      await expect(limited({ store }, {}).readMore({ handle: 'h' })).rejects.toMatchObject({ code: 'invalid_arguments' });
    }
  });

  test('what a failed tool says is cut too, and stays a failure; input is not changed', async () => {
    const failed = Object.freeze({ content: Object.freeze([Object.freeze(text('x'.repeat(5_000)))]), isError: true });
    const result = await limited({ maxBytes: 600 }, failed).ask();
    expect(result.isError).toBe(true);
    expect(allText(result)).toMatch(NOTICE);
  });

  test('limits of single tools, and none', async () => {
    const perTool = { 'files/read_*': { maxBytes: 3_000 }, '*/write_file': false, '*/*': { maxTokens: 100 } } as const;
    const { ask } = limited({ maxBytes: 100_000, perTool }, { content: [text('x'.repeat(5_000))] });
    const sizeOf = async (originalName: string) => allText(await ask({ tool: tool({ originalName }) })).length;
    expect(await sizeOf('read_file')).toBeGreaterThan(2_500);
    expect(await sizeOf('write_file')).toBe(5_000);
    expect(await sizeOf('other')).toBeLessThanOrEqual(400);
  });

  test('what all results of one step take together', async () => {
    const { ask } = limited({ maxBytes: 2_000, perStep: { maxBytes: 3_000 } }, { content: [text('x'.repeat(1_900))] });
    const messages: unknown[] = [];
    const sizes = [];
    for (let index = 0; index < 3; index++) sizes.push(allText(await ask({ messages })).length);
    expect(sizes[0]).toBe(1_900);
    expect(sizes[1]).toBeGreaterThan(900);
    expect(sizes[1]).toBeLessThanOrEqual(1_100);
    expect(sizes[2]).toBeLessThanOrEqual(400);
    expect(allText(await ask({ messages: [] })).length).toBe(1_900);
  });
});

describe('F15 structuredContent is not sent twice', () => {
  const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }));

  test('what the text says already goes, and the application has it still', async () => {
    for (const structuredContent of [{ rows }, { result: rows }]) {
      const said = 'rows' in structuredContent ? structuredContent : rows;
      const whole = { content: [text(JSON.stringify(said, null, 1))], structuredContent, _meta: { a: 1 } };
      const { ask, middleware } = limited({ maxBytes: 1_000 }, whole);
      const result = await ask();
      expect(result).not.toHaveProperty('structuredContent');
      expect(result.content).toHaveLength(1);
      expect(middleware.original(result)).toBe(whole);
      expect(result._meta).toEqual({
        a: 1,
        'mcp-tool-set/limitOutput': {
          handle: expect.any(String),
          characters: textsOf(whole)[0]?.length,
          from: expect.any(Number),
          to: expect.any(Number),
        },
      });
    }
    const { middleware } = limited({}, {});
    expect([middleware.original({}), middleware.original('x'), middleware.original(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('what the text does not say is one more block of text', async () => {
    const { ask, readMore } = limited({ maxBytes: 1_000 }, { content: [text('500 rows')], structuredContent: { rows } });
    const result = await ask();
    expect(result.content).toHaveLength(2);
    expect(textsOf(result)[0]).toBe('500 rows');
    const { head, tail, handle } = noticeIn(textsOf(result)[1] ?? '');
    expect(head.startsWith('{"rows":[{"id":0')).toBe(true);
    expect(tail.endsWith('"name":"row 499"}]}')).toBe(true);
    expect(await readMore({ handle, offset: 0, limit: 20 })).toMatch(/^500 rows\n\{"rows":\[/);
  });
});

describe('reading on', () => {
  const whole = lines(1_000);
  const of = (options: LimitOutputOptions = {}) => limited({ maxBytes: 1_000, ...options }, { content: [text(whole)] });
  const handleOf = async ({ ask }: ReturnType<typeof of>, principal?: Principal) =>
    noticeIn(allText(await ask({ principal }))).handle;

  test('the tool is added once, read-only, with arguments that say themselves', async () => {
    const { middleware } = of({ toolName: 'more' });
    const [kept, added] = await listThrough([middleware], [tool()]);
    expect(kept).toEqual(tool());
    expect(added).toMatchObject({
      name: 'more',
      server: '*',
      kind: 'added',
      annotations: { readOnlyHint: true, destructiveHint: false },
      inputSchema: { required: ['handle'], properties: { handle: {}, offset: {}, limit: {} }, additionalProperties: false },
    });
    expect(await failureOf(listThrough([middleware], [tool({ name: 'more' })]))).toMatchObject({ code: 'name_conflict' });
    expect(await failureOf(listThrough([middleware, of({ toolName: 'more' }).middleware], []))).toMatchObject({
      code: 'name_conflict',
    });
  });

  test('from where the cut began, from an offset, so many characters, to the end', async () => {
    const made = of();
    const handle = await handleOf(made);
    const { readMore } = made;
    const { offset } = noticeIn(allText(await made.ask()));
    expect((await readMore({ handle })).startsWith(whole.slice(offset, offset + 200))).toBe(true);
    expect(await readMore({ handle, offset: 5, limit: 7 })).toBe(
      `${whole.slice(5, 12)}\n[characters 5 to 12 of ${whole.length}. Read on with offset 12.]`,
    );
    expect(await readMore({ handle, offset: whole.length - 3 })).toBe(
      `999\n[characters ${whole.length - 3} to ${whole.length} of ${whole.length}. This is the end.]`,
    );
    expect(await readMore({ handle, offset: 10 ** 9 })).toContain('This is the end.');
  });

  test('N7 a handle is no use to another principal, and neither is one that was made up', async () => {
    const made = of();
    const handle = await handleOf(made, { id: 'ann' });
    expect(await codeOf(made.readMore({ handle }, { id: 'ann' }))).toBe('ok');
    const texts = [];
    for (const principal of [{ id: 'bob' }, undefined]) {
      texts.push((await failureOf(made.readMore({ handle }, principal) as never)).message);
    }
    texts.push((await failureOf(made.readMore({ handle: 'made-up' }, { id: 'ann' }) as never)).message);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('Call the tool that made it again');
  });

  test.each<[string, Record<string, unknown>]>([
    ['no handle', {}],
    ['a handle that is no text', { handle: 7 }],
    ['a negative offset', { handle: 'x', offset: -1 }],
    ['a broken offset', { handle: 'x', offset: 1.5 }],
    ['a limit of 0', { handle: 'x', limit: 0 }],
  ])('%s is refused with what to do', async (_, input) => {
    expect(await failureOf(of().readMore(input))).toMatchObject({ code: 'invalid_arguments' });
  });

  test('the memory is bounded: the longest unused go first, and what is too large is cut without a handle', async () => {
    const made = of({ storeBytes: whole.length * 2 + 100 });
    const [first, second] = [await handleOf(made), await handleOf(made)];
    await made.readMore({ handle: first });
    await handleOf(made);
    expect(await codeOf(made.readMore({ handle: first }))).toBe('ok');
    expect(await codeOf(made.readMore({ handle: second }))).toBe('invalid_arguments');
    expect(allText(await of({ storeBytes: 100 }).ask())).toContain(
      'They could not be kept: call the tool again, asking for less …]',
    );
  });

  test('a shared store lets another process read on; one that fails costs the handle alone', async () => {
    const entries = new Map<string, string>();
    const store: TextStore = { get: async (key) => entries.get(key), set: async (key, value) => entries.set(key, value) };
    const handle = await handleOf(of({ store }), { id: 'ann' });
    expect(await of({ store }).readMore({ handle, offset: 0, limit: 6 }, { id: 'ann' })).toMatch(/^line 0/);
    expect(await codeOf(of({ store }).readMore({ handle }, { id: 'bob' }))).toBe('invalid_arguments');
    expect([...entries.keys()]).toEqual([`mcp-tool-set:output:${handle}`]);

    const down: TextStore = { get: async () => Promise.reject(new Error('x')), set: async () => Promise.reject(new Error('x')) };
    expect(allText(await of({ store: down }).ask())).toContain('They could not be kept');
    expect(await codeOf(of({ store: down }).readMore({ handle }))).toBe('invalid_arguments');
  });
});

test.each<[string, unknown, string]>([
  ['a limit too small for the notice', { maxTokens: 10 }, 'maxTokens: must be a whole number, 100 or more'],
  ['a limit of a tool too small', { perTool: { 'a/b': { maxBytes: 1 } } }, 'perTool: must be an object from patterns'],
  ['an empty limit', { perTool: { 'a/b': {} } }, 'perTool: must be'],
  ['a head of percent', { head: 70 }, 'head: must be a number from 0 to 1'],
  ['a name that no model takes', { toolName: 'read more' }, 'toolName: must be a tool name'],
  ['a slip of the pen', { maxToken: 1_000 }, 'maxToken: is not known here. Did you mean "maxTokens"?'],
])('%s is refused at once', (_, options, message) => {
  expect(() => limitOutput(options as LimitOutputOptions)).toThrow(message);
});

describe('on real servers', () => {
  const whole = lines(2_000);
  const result = { content: [text(whole)], structuredContent: { text: whole } };
  const annotations = { readOnlyHint: true };

  test('F15 a model gets head and tail once, reads on, and the application has the whole', async () => {
    const server = await fake({ tools: [{ name: 'export', result }] });
    const limits = limitOutput({ maxBytes: 1_000 });
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware: [limits] });
    expect(Object.keys(tools)).toEqual(['read_more', 's_export']);
    const model = plannedModel([{ toolName: 's_export' }]);
    const { steps } = await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
    const [shown] = toolResultsOf(model).map(({ output }) => (output as { value: string }).value);
    expect(bytes(shown ?? '')).toBeLessThanOrEqual(1_000);
    const { handle, offset } = noticeIn(shown ?? '');
    expect(limits.original(steps[0]?.toolResults[0]?.output)).toEqual(result);

    const reader = plannedModel([{ toolName: 'read_more', input: { handle, offset } }]);
    await generateText({ model: reader, tools, prompt: 'go', stopWhen: stopAfter(3) });
    expect(JSON.stringify(toolResultsOf(reader))).toContain(JSON.stringify(whole.slice(offset, offset + 300)).slice(1, -1));
    expect(server.executed).toEqual(['export']);
  });

  test('N7 a record of another principal cannot read on', async () => {
    const server = await fake({ tools: [{ name: 'export', result }] });
    const middleware = [limitOutput({ maxBytes: 1_000 })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware, principal: { id: 'ann' } });
    const { handle } = noticeIn(allText((await execute(tools, 's_export')) as CallToolResult));
    expect(await codeOf(execute(tools, 'read_more', { handle }))).toBe('ok');
    const other = await inspectToolSet(tools).provider.tools({ principal: { id: 'bob' } });
    expect(await codeOf(execute(other, 'read_more', { handle }))).toBe('invalid_arguments');
  });

  test('in the recommended order the cache keeps answers whole, and readOnly keeps the tool', async () => {
    const server = await fake({ tools: [{ name: 'export', result, annotations }] });
    const limits = limitOutput({ maxBytes: 1_000 });
    const middleware = [readOnly(), limits, cache({ ttl: 60_000, anonymous: true })];
    const tools = await toolSet({ servers: { s: { url: server.url } }, middleware });
    expect(Object.keys(tools)).toEqual(['read_more', 's_export']);
    for (let index = 0; index < 2; index++) expect(limits.original(await execute(tools, 's_export'))).toEqual(result);
    expect(server.executed).toHaveLength(1);
    expect(limits.original(await execute(tools, 'read_more', { handle: 'x' }).catch(() => undefined))).toBeUndefined();
  });

  test('around plain tools, streaming tools and the connector of the AI SDK', async () => {
    const inputSchema = jsonSchema({ type: 'object' });
    const rows = { rows: whole.split('\n') };
    const tools = {
      says: aiTool({ inputSchema, execute: async () => whole }),
      gives: aiTool({ inputSchema, execute: async () => rows }),
      small: aiTool({ inputSchema, execute: async () => rows.rows.slice(0, 2) }),
      raw: aiTool({ inputSchema, execute: async () => ({ data: new Uint8Array(5_000) }) }),
      stream: aiTool({
        inputSchema,
        async *execute() {
          yield whole.slice(0, 10);
          yield whole;
        },
      }),
    };
    const server = await fake({ tools: [{ name: 'export', result }] });
    const limits = limitOutput({ maxBytes: 1_000 });
    const wrapped = await wrapToolSet({ tools: { ...tools, ...(await connectorTools(server.url)) }, middleware: [limits] });

    const said = (await execute(wrapped, 'says')) as string;
    expect(bytes(said)).toBeLessThanOrEqual(1_000);
    const page = (await execute(wrapped, 'read_more', { handle: noticeIn(said).handle, offset: 0, limit: 6 })) as CallToolResult;
    expect(allText(page)).toMatch(/^line 0/);

    const given = (await execute(wrapped, 'gives')) as CallToolResult;
    expect(allText(given)).toMatch(NOTICE);
    expect(limits.original(given)).toBe(rows);
    const shown = await wrapped.gives.toModelOutput?.({ toolCallId: 'c', input: {}, output: given as never });
    expect(shown).toEqual({ type: 'text', value: allText(given) });
    expect(await execute(wrapped, 'small')).toEqual(['line 0', 'line 1']);
    expect(await execute(wrapped, 'raw')).toEqual({ data: new Uint8Array(5_000) });

    const values: unknown[] = [];
    for await (const value of (await execute(wrapped, 'stream')) as AsyncIterable<unknown>) values.push(value);
    expect(values.at(-1)).toMatch(NOTICE);

    const exported = (await execute(wrapped, 'export')) as CallToolResult;
    expect(bytes(allText(exported))).toBeLessThanOrEqual(1_000);
    expect(limits.original(exported)).toMatchObject(result);
    expect(await asSchema((wrapped as ToolSet).read_more?.inputSchema).jsonSchema).toMatchObject({ required: ['handle'] });
  });
});

/** Whether it holds no half of a character. */
function isWhole(value: string): boolean {
  return !/\p{Surrogate}/u.test(value);
}
