/** What becomes of a model's arguments on their way to a server. */

import { generateText, InvalidToolInputError, jsonSchema } from 'ai';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createMcpToolProvider, type InputChange, type ToolDefinition } from '../../src/index.ts';
import { aiMajor } from '../../src/lib/content/ai-version.ts';
import { readArguments, validateFor } from '../../src/tools/arguments/read.ts';
import { checkOf } from '../../src/tools/schema/validator.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter } from '../support/model.ts';

const definition = (inputSchema: object): ToolDefinition => ({
  name: 's_t',
  server: 's',
  originalName: 't',
  kind: 'tool',
  inputSchema: inputSchema as ToolDefinition['inputSchema'],
});
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const read = (schema: object, input: unknown) => readArguments(input, definition(schema));

describe('D16 null for an optional argument', () => {
  const schema = object(
    {
      plain: { type: 'string' },
      nullable: { type: ['string', 'null'] },
      choice: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      open: {},
      needed: { type: 'string' },
      named: { $ref: '#/$defs/N' },
      inner: object({ deep: { type: 'integer' } }),
      list: { type: 'array', items: object({ deep: { type: 'integer' } }) },
      old: { type: 'string', nullable: true },
      fixed: { enum: ['a', null] },
    },
    { $defs: { N: { type: 'boolean' } } },
  );

  test('D16 is dropped where the schema takes none, also further in, and nowhere else', () => {
    const input = {
      plain: null,
      nullable: null,
      choice: null,
      open: null,
      named: null,
      inner: { deep: null },
      list: [{ deep: null }],
      old: null,
      fixed: null,
      unknown: null,
    };
    const before = structuredClone(input);
    const { input: mended, changes } = read(schema, input);
    expect(mended).toEqual({
      nullable: null,
      choice: null,
      open: null,
      inner: {},
      list: [{}],
      old: null,
      fixed: null,
      unknown: null,
    });
    expect(changes).toEqual(['plain', 'named', 'inner.deep', 'list[0].deep'].map((path) => ({ path, what: 'dropped_null' })));
    expect(input).toEqual(before);
  });

  test('D16 a required one stays, and is refused with its place', () => {
    expect(() => read(object({ needed: { type: 'string' } }, { required: ['needed'] }), { needed: null })).toThrow(/needed: /);
  });
});

describe('D17 values that came as text', () => {
  test.each<[string, object, unknown, unknown]>([
    ['a list', { type: 'array', items: { type: 'string' } }, '["a"]', ['a']],
    ['an object', object({ a: { type: 'integer' } }), ' {"a":"1"} ', { a: 1 }],
    ['a whole number', { type: 'integer' }, '10', 10],
    ['a number', { type: 'number' }, '-1.5e3', -1500],
    ['true or false', { type: 'boolean' }, 'true', true],
    ['null', { type: ['object', 'null'] }, 'null', null],
    ['one of several', { anyOf: [{ type: 'integer' }, { type: 'array' }] }, '[1]', [1]],
    ['what is pointed to', { $ref: '#/$defs/L' }, '[1]', [1]],
    ['a fixed one', { enum: [1, 2] }, '2', 2],
  ])('D17 %s is read', (_, schema, given, meant) => {
    const { input, changes } = read(object({ value: schema }, { $defs: { L: { type: 'array' } } }), { value: given });
    expect(input).toEqual({ value: meant });
    expect(changes[0]).toEqual({ path: 'value', what: 'parsed_json' });
  });

  test.each<[string, object, string]>([
    ['a text', { type: 'string' }, '["a"]'],
    ['a text or a list', { type: ['string', 'array'] }, '["a"]'],
    ['a choice with a text in it', { oneOf: [{ type: 'array' }, { type: 'string', minLength: 2 }] }, '["a"]'],
    ['anything', {}, '10'],
    ['a fixed text', { enum: ['10', 10] }, '10'],
    ['a text that is pointed to', { $ref: '#/$defs/T' }, '10'],
  ])('D17 what may be %s stays what it is', (_, schema, given) => {
    expect(read(object({ value: schema }, { $defs: { T: { type: 'string' } } }), { value: given })).toMatchObject({
      input: { value: given },
      changes: [],
    });
  });

  test.each<[object, string]>([
    [{ type: 'integer' }, '1.5'],
    [{ type: 'integer' }, '12345678901234567890'],
    [{ type: 'number' }, '1e999'],
    [{ type: 'number' }, '0x10'],
    [{ type: 'boolean' }, 'True'],
    [{ type: 'array' }, 'a,b'],
    [{ type: 'array' }, '{"a":1}'],
    [{ type: 'object' }, '[1'],
  ])('D17 for %j, %j is not what was asked for', (schema, given) => {
    expect(() => read(object({ value: schema }), { value: given })).toThrow(/value: /);
  });
});

describe('D18 L4J-40 the arguments as a whole', () => {
  test.each([[undefined], [null], [''], ['  \n']])('L4J-40 %j is an empty object', (raw) => {
    expect(read(object({}), raw)).toMatchObject({ input: {}, changes: [] });
  });

  test('L4J-40 an object as text is read; what is none is refused', () => {
    expect(read(object({ a: { type: 'integer' } }), '{"a":"1"}')).toMatchObject({
      input: { a: 1 },
      changes: [
        { path: '', what: 'parsed_json' },
        { path: 'a', what: 'parsed_json' },
      ],
    });
    for (const raw of ['{"a":', '[1]', '5', 5, [], true]) {
      expect(() => read(object({}), raw)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
    }
  });

  test('D18 nothing is added: no default, no empty value', () => {
    const schema = object({ a: { type: 'string', default: 'x' }, b: { type: 'array' } });
    expect(read(schema, {}).input).toEqual({});
  });
});

describe('what the schema refuses', () => {
  test('is told by place, never by value', () => {
    const schema = object(
      { a: { type: 'integer', minimum: 3 }, b: object({ c: { enum: ['x', 'y'] } }), d: { type: 'string', pattern: '^a$' } },
      { required: ['e'], additionalProperties: false },
    );
    const input = { a: 1234567 * -1, b: { c: 'SENTINEL' }, d: 'SENTINEL', f: 'SENTINEL' };
    try {
      read(schema, input);
      expect.unreachable();
    } catch (error) {
      const { message } = error as Error;
      expect(message).not.toMatch(/SENTINEL|1234567/);
      for (const place of ['a: ', 'b.c: ', 'd: ', 'e: ']) expect(message).toContain(place);
    }
  });

  test('D4 N9 a schema that cannot be used demands nothing, and nothing is fetched for it', () => {
    for (const odd of [{ $ref: '#/$defs/Missing' }, { $ref: 'http://127.0.0.1:9/x' }, { pattern: '[' }]) {
      expect(checkOf(object({ a: odd }) as never)({ a: 'x' })).toBeUndefined();
    }
    expect(checkOf({ type: 'object', properties: { self: { $ref: '#' } } })({ self: { self: { self: 5 } } })).toContain(
      'self.self.self',
    );
  });

  test('names of prototypes are names, and endless input ends', () => {
    const schema = object({ constructor: { type: 'string' }, toString: { type: 'string' } }) as never;
    expect(checkOf(schema)({})).toBeUndefined();
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    expect(checkOf(object({ a: { type: 'string' } }) as never)(deep)).toBeUndefined();
    expect(read(object({ deep: { $ref: '#' } }), deep).input).toBe(deep);
  });

  test('a format is no demand', () => {
    expect(checkOf(object({ at: { type: 'string', format: 'date-time' } }) as never)({ at: 'tomorrow' })).toBeUndefined();
  });
});

test('any input against any schema: neither mending nor validating ever throws anything but a refusal, and mending is done once', () => {
  const kind = fc.constantFrom<unknown>('string', 'integer', 'array', 'object', 'boolean', ['null', 'number'], undefined, 5);
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>({}, true, { $ref: '#' }, { enum: [1, 'a'] }),
      fc.record(
        {
          type: kind,
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema')),
          items: tie('schema'),
          anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    ),
  }));
  const value = fc
    .jsonValue({ maxDepth: 3, stringUnit: 'binary-ascii' })
    .chain((json) => fc.constantFrom<unknown>(json, JSON.stringify(json), { a: json, b: JSON.stringify(json) }));
  fc.assert(
    fc.property(schema, value, (any, input) => {
      const tool = definition({ ...(any as object), type: 'object' });
      const before = JSON.stringify(input);
      const result = validateFor(tool)(input);
      expect(JSON.stringify(input)).toBe(before);
      if (!result.success) return void expect(result.error).toMatchObject({ code: 'invalid_arguments', server: 's', tool: 't' });
      const copy = JSON.parse(JSON.stringify(result.value));
      expect(readArguments(copy, tool)).toMatchObject({ changes: [] });
    }),
    { numRuns: 300 },
  );
});

const SEARCH = {
  name: 'search',
  inputSchema: object({ tags: { type: 'array', items: { type: 'string' } }, limit: { type: 'integer' } }, { required: ['tags'] }),
};

describe('in a run', () => {
  it('D16 D17 what was changed is on the event of the call, and the server gets what was meant', async () => {
    const server = await fake({ tools: [SEARCH] });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    onTestFinished(() => provider.close());
    const seen: (readonly InputChange[] | undefined)[] = [];
    provider.on('call', ({ call }) => void seen.push(call.changes));
    const model = plannedModel([
      { toolName: 's_search', input: { tags: '["a"]', limit: null } },
      { toolName: 's_search', input: { tags: ['a'] } },
    ]);
    await generateText({ model, tools: await provider.tools(), prompt: 'go', stopWhen: stopAfter(4) });
    const calls = server.requests.filter(({ message }) => message.method === 'tools/call');
    expect(calls.map(({ message }) => message.params?.arguments)).toEqual([{ tags: ['a'] }, { tags: ['a'] }]);
    expect(seen).toEqual([
      [
        { path: 'tags', what: 'parsed_json' },
        { path: 'limit', what: 'dropped_null' },
      ],
      undefined,
    ]);
  });

  it('D17 L4J-39 the AI SDK can have an invalid call mended, and otherwise the model reads what is wrong', async () => {
    const server = await fake({ tools: [SEARCH] });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const bad = { toolName: 's_search', input: { limit: 1 } };
    const model = plannedModel([bad]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
    expect(server.executed).toEqual([]);
    expect(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)).toMatch(/do not fit its schema.*tags/);
    const repair = async ({ toolCall, error }: { toolCall: object; error: unknown }) => {
      expect(InvalidToolInputError.isInstance(error)).toBe(true);
      return { ...toolCall, input: '{"tags":["b"]}' } as never;
    };
    const option = aiMajor === 7 ? { repairToolCall: repair } : { experimental_repairToolCall: repair };
    await generateText({ model: plannedModel([bad]), tools, prompt: 'go', stopWhen: stopAfter(3), ...option });
    expect(server.executed).toEqual(['search']);
  });

  it('L4J-63 what is called past the AI SDK is read the same way', async () => {
    const server = await fake({ tools: [SEARCH] });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false });
    onTestFinished(() => provider.close());
    const input = { tags: '["a"]' };
    await expect(provider.callTool({ server: 's', tool: 'search', input })).resolves.toMatchObject({
      content: [{ text: 'search {"tags":["a"]}' }],
    });
    await expect(provider.callTool({ server: 's', tool: 'search', input: {} })).rejects.toMatchObject({
      code: 'invalid_arguments',
      server: 's',
      tool: 'search',
    });
    const tools = await provider.tools();
    await expect(tools.s_search?.execute?.({ tags: 5 }, executeOptions())).rejects.toMatchObject({ code: 'invalid_arguments' });
    expect(server.executed).toEqual(['search']);
  });
});

test('the AI SDK’s own schema object is made once and validates', () => {
  const validate = validateFor(definition(object({ a: { type: 'integer' } })));
  expect(jsonSchema({}, { validate: validate as never }).validate?.({ a: '1' })).toEqual({ success: true, value: { a: 1 } });
});
