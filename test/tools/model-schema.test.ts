/** What a model is told of a tool's arguments: acceptable to its provider, and nothing made invalid that was valid. */

import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toInputSchema } from '../../src/tools/schema/input.ts';
import { type SchemaProfile, toModelSchema } from '../../src/tools/schema/model.ts';
import type { JsonSchema } from '../../src/types.ts';
import { complaints, PROFILES } from './schema-rules.ts';

function convert(raw: unknown, profile: SchemaProfile = 'auto'): JsonSchema {
  const usable = toInputSchema(raw);
  if (usable === undefined) throw new Error('the schema is not usable');
  const result = toModelSchema(usable, profile);
  if ('problem' in result) throw new Error(result.problem);
  return result.schema;
}

const validator = new CfWorkerJsonSchemaValidator();
/** Without a prototype, whose names the validator would take for properties. */
const bare = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.assign(Object.create(null), Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bare(inner)])));
const isValid = (schema: unknown, value: unknown): boolean =>
  validator.getValidator(schema as Parameters<typeof validator.getValidator>[0])(bare(value)).valid;

const text = { type: 'string' };
const closed = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, text])),
  required: names,
  additionalProperties: false,
});

describe('D2 D3 a root that is a choice', () => {
  test('D2 of objects becomes one object, and says the rule', () => {
    const schema = convert({ anyOf: [closed('a', 'b'), closed('a', 'c')] });
    expect(schema).toEqual({
      type: 'object',
      properties: { a: text, b: text, c: text },
      required: ['a'],
      additionalProperties: false,
      description: 'Give at least one of these sets of arguments: (a, b) or (a, c).',
    });
    expect(convert({ description: 'One or two.', oneOf: [closed('a'), closed('b')] }).description).toBe(
      'One or two. Give exactly one of these sets of arguments: (a) or (b).',
    );
  });

  test('D2 between lists of required arguments keeps the object, and says the rule', () => {
    const root = { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(convert(root)).toEqual({
      type: 'object',
      properties: { a: text, b: text },
      description: 'Give at least one of these sets of arguments: (a) or (b).',
    });
  });

  test('D2 a sum of objects has the arguments of all, and all that they require', () => {
    const schema = convert({
      allOf: [{ $ref: '#/$defs/A' }, { properties: { b: { type: 'number' } }, required: ['b'] }],
      $defs: { A: closed('a') },
    });
    expect(schema).toMatchObject({ properties: { a: text, b: { type: 'number' } }, required: ['a', 'b'] });
    expect(Object.keys(schema)).not.toContain('allOf');
  });

  test('D2 arguments of one name keep what each alternative says of them', () => {
    const kind = (value: string, more: object): object => ({
      properties: { kind: { const: value }, ...more },
      required: ['kind'],
    });
    const schema = convert({ oneOf: [kind('x', { size: { type: 'number' } }), kind('y', { size: text })] });
    expect(schema.properties).toEqual({
      kind: { anyOf: [{ const: 'x' }, { const: 'y' }] },
      size: { anyOf: [{ type: 'number' }, text] },
    });
    expect(schema.required).toEqual(['kind']);
    expect(schema.description).toContain('(kind) or (kind)');
  });

  test('D3 if, then, else and not are said in words, and their arguments are there', () => {
    const schema = convert({
      type: 'object',
      properties: { a: text },
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword
      then: { properties: { b: text }, required: ['b'] },
      not: { required: ['c'] },
    });
    expect(schema.properties).toEqual({ a: text, b: text });
    expect(schema.required).toBeUndefined();
    expect(schema.description).toMatch(/^The arguments must also match this JSON Schema: \{"not":/);
    expect(complaints(schema, 'auto')).toEqual([]);
  });

  test('D2 a root that only points somewhere is what it points to', () => {
    expect(convert({ $ref: '#/$defs/Args', $defs: { Args: closed('a') } })).toEqual(closed('a'));
  });
});

describe('D6 references', () => {
  test('D6 local ones are inlined, with what stands beside them; what is left of them goes', () => {
    const schema = convert({
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/X', description: 'mine' },
        b: { $ref: '#/definitions/Y' },
        c: { $ref: '#/properties/a' },
        d: { $ref: '#/$defs/X', minLength: 5 },
        e: { $ref: '#named' },
      },
      $defs: { X: { type: 'string', description: 'theirs', minLength: 2 }, Z: { $anchor: 'named', type: 'boolean' } },
      definitions: { Y: { type: 'array', items: { $ref: '#/$defs/X' } } },
    });
    const x = { type: 'string', description: 'theirs', minLength: 2 };
    expect(schema).toEqual({
      type: 'object',
      properties: {
        a: { ...x, description: 'mine' },
        b: { type: 'array', items: x },
        c: { ...x, description: 'mine' },
        d: { allOf: [x, { minLength: 5 }] },
        e: { $anchor: 'named', type: 'boolean' },
      },
    });
  });

  test('D6 recursion ends open, dangling and remote ones are open, and nothing is fetched', () => {
    const fetched = globalThis.fetch;
    globalThis.fetch = () => {
      throw new Error('fetched');
    };
    try {
      const schema = convert({
        type: 'object',
        properties: {
          tree: { $ref: '#/$defs/Tree' },
          lost: { $ref: '#/$defs/Lost' },
          far: { $ref: 'https://example.com/x.json' },
          self: { $ref: '#' },
        },
        $defs: {
          Tree: {
            type: 'object',
            properties: { left: { $ref: '#/$defs/Tree' }, list: { type: 'array', items: { $ref: '#/$defs/Tree' } } },
          },
        },
      });
      const again = { type: 'object', properties: {}, description: 'Nested as above.' };
      expect(schema.properties).toEqual({
        tree: { type: 'object', properties: { left: again, list: { type: 'array', items: again } } },
        lost: {},
        far: {},
        self: again,
      });
    } finally {
      globalThis.fetch = fetched;
    }
  });

  test('D6 stay where the provider follows them', () => {
    const raw = { type: 'object', properties: { a: { $ref: '#/$defs/X' } }, $defs: { X: text } };
    expect(convert(raw, 'openai')).toBe(toInputSchema(raw));
    expect(convert(raw, 'google')).toEqual({ type: 'object', properties: { a: text } });
  });

  test('N9 what grows without end by references is cut short', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => [
        `L${level}`,
        {
          type: 'object',
          properties: Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: `#/$defs/L${level + 1}` }])),
        },
      ]),
    );
    const usable = toInputSchema({ type: 'object', properties: { bomb: { $ref: '#/$defs/L0' } }, $defs });
    const result = toModelSchema(usable as JsonSchema, 'auto');
    expect(JSON.stringify(result).length).toBeLessThan(400_000);
    if ('schema' in result) expect(complaints(result.schema, 'auto')).toEqual([]);
  });
});

test.each<[string, (n: number) => object]>([
  ['alternatives', (n) => ({ anyOf: Array.from({ length: n }, (_, at) => ({ properties: { a: { const: at } } })) })],
  ['parts', (n) => ({ allOf: Array.from({ length: n }, (_, at) => ({ properties: { a: { const: at } } })) })],
  [
    'references to names',
    (n) => ({ properties: Object.fromEntries(Array.from({ length: n }, (_, at) => [`p${at}`, { $ref: `#n${at}` }])) }),
  ],
])('N9 a schema of very many %s costs its own tool, and little time', (_, make) => {
  for (const n of [3_000, 100_000]) {
    const result = toModelSchema(toInputSchema(make(n)) as JsonSchema, 'auto');
    if (n > 3_000) expect(result).toMatchObject({ problem: expect.stringContaining('larger than') });
    else if ('schema' in result) expect(complaints(result.schema, 'auto')).toEqual([]);
  }
});

describe('words that some do not know', () => {
  test('D7 D11 old drafts are raised, and what names the schema goes', () => {
    const schema = convert({
      $schema: 'http://json-schema.org/draft-04/schema#',
      $id: 'urn:x',
      type: 'object',
      properties: {
        tuple: { type: 'array', items: [text, { type: 'int' }], additionalItems: false },
        above: { type: 'number', minimum: 5, exclusiveMinimum: true },
        from: { type: 'number', maximum: 5, exclusiveMaximum: false },
        perhaps: { type: 'string', nullable: true },
        $schema: text,
      },
      dependencies: { tuple: ['above'] },
    });
    expect(schema).toMatchObject({
      type: 'object',
      properties: {
        tuple: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false },
        above: { type: 'number', exclusiveMinimum: 5 },
        from: { type: 'number', maximum: 5 },
        perhaps: { type: ['string', 'null'] },
        $schema: text,
      },
    });
    expect(Object.keys(schema)).not.toContain('$schema');
    expect(complaints(schema, 'anthropic')).toEqual([]);
  });

  test('D10 enumerations of other things than texts are told in words', () => {
    const raw = {
      type: 'object',
      properties: {
        a: { enum: [true, 1, null] },
        b: { type: 'integer', enum: [1, 2], description: 'How.' },
        c: { const: false },
        d: { enum: ['x'] },
      },
    };
    expect(convert(raw).properties).toEqual({
      a: { type: ['boolean', 'number', 'null'], description: 'One of: true, 1, null.' },
      b: { type: 'integer', description: 'How. One of: 1, 2.' },
      c: { type: 'boolean', description: 'Always false.' },
      d: { enum: ['x'] },
    });
    expect(convert(raw, 'openai')).toBe(toInputSchema(raw));
  });

  test('patterns that look around, or do not compile, are told in words', () => {
    const schema = convert({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(?=.*x)' }, b: { pattern: '[' }, c: { pattern: '^a+$' } },
    });
    expect(schema.properties).toEqual({
      a: { type: 'string', description: 'It must match the regular expression ^(?=.*x)' },
      b: { description: 'It must match the regular expression [' },
      c: { pattern: '^a+$' },
    });
  });

  test('names that Anthropic refuses cost their argument there, and a required one its tool', () => {
    const raw = (required: string[]) => ({
      type: 'object',
      properties: { $a: text, b: text },
      required,
      additionalProperties: false,
    });
    expect(Object.keys(convert(raw(['$a'])).properties as object)).toEqual(['$a', 'b']);
    expect(convert(raw(['b']), 'anthropic')).toEqual({
      type: 'object',
      properties: { b: text },
      required: ['b'],
      description: 'Not described here: "$a".',
    });
    expect(() => convert(raw(['$a']), 'anthropic')).toThrow(/required argument/);
  });

  test('D11 types that people write, and values that are none', () => {
    const raw = {
      type: 'object',
      required: true,
      description: 5,
      properties: {
        a: { type: 'int' },
        b: { type: 'unknown' },
        c: { type: ['str', 'null', 'str'] },
        d: { enum: [], minLength: -1 },
      },
    };
    expect(convert(raw)).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' }, b: {}, c: { type: ['string', 'null'] }, d: {} },
    });
  });

  test('as-is leaves all of it alone', () => {
    const raw = { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { enum: [1] } }, anyOf: [{}] };
    expect(convert(raw, 'as-is')).toBe(toInputSchema(raw));
  });
});

const leaf = fc.constantFrom<unknown>(
  {},
  true,
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { type: ['string', 'null'] },
  { type: 'string', enum: ['a', 'b'] },
  { enum: [1, 2, null] },
  { const: true },
  { $ref: '#/$defs/X' },
  { $ref: '#/$defs/Tree' },
  { type: 'array', items: { type: 'integer' } },
  { type: 'string', pattern: '^(?=a)a' },
  { type: 'number', minimum: 1, exclusiveMinimum: true },
);
const names = fc.constantFrom('a', 'b', 'c', 'type', '$ref', 'items', 'constructor', 'properties');
const object = (value: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(names, value, { maxKeys: 4 }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      additionalProperties: fc.constantFrom<unknown>(true, false, {}),
    },
    { requiredKeys: ['properties'] },
  );
const root = fc.oneof(
  object(fc.oneof(leaf, object(leaf))),
  fc
    .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(object(leaf), { minLength: 1, maxLength: 3 }), object(leaf))
    .map(([keyword, parts, own]) => ({ ...own, [keyword]: parts })),
  fc.tuple(object(leaf), object(leaf), object(leaf)).map(([own, condition, next]) => ({
    ...own,
    ...Object.fromEntries([
      ['if', condition],
      ['then', next],
    ]),
  })),
);
const $defs = { X: { type: 'string', minLength: 2 }, Tree: { type: 'object', properties: { sub: { $ref: '#/$defs/Tree' } } } };
const values = fc.dictionary(
  names,
  fc.oneof(
    fc.constantFrom<unknown>('a', 'abc', 1, 2, 5, true, null, [1], ['x'], {}),
    fc.dictionary(names, fc.constantFrom<unknown>('a', 1, true)),
  ),
  { maxKeys: 4 },
);

describe('every schema', () => {
  test.each(PROFILES)(
    '%s: is acceptable, a fixed point, and nothing valid becomes invalid; its source is never changed',
    (profile) => {
      fc.assert(
        fc.property(root, fc.array(values, { minLength: 1, maxLength: 6 }), (part, inputs) => {
          const raw = { ...part, $defs };
          const before = JSON.stringify(raw);
          const usable = toInputSchema(raw) as JsonSchema;
          const result = toModelSchema(usable, profile);
          expect(JSON.stringify(raw)).toBe(before);
          if ('problem' in result) {
            expect(profile).toBe('anthropic');
            return;
          }
          expect(complaints(result.schema, profile)).toEqual([]);
          expect(toModelSchema(toInputSchema(result.schema) as JsonSchema, profile)).toEqual({ schema: result.schema });
          for (const input of inputs)
            if (isValid(usable, input) && namesAgree(part, input))
              expect([input, isValid(result.schema, input)]).toEqual([input, true]);
        }),
        { numRuns: 300 },
      );
    },
  );

  test('auto: what is invalid stays invalid, where nothing had to be put in words', () => {
    const said = fc.constantFrom<unknown>(
      { type: 'string' },
      { type: 'integer' },
      { enum: ['a', 'b'] },
      { $ref: '#/$defs/X' },
      { type: 'array', items: { type: 'integer' } },
    );
    fc.assert(
      fc.property(object(fc.oneof(said, object(said))), values, (part, input) => {
        const usable = toInputSchema({ ...part, $defs: { X: $defs.X } }) as JsonSchema;
        expect(isValid(convert(usable), input)).toBe(isValid(usable, input));
      }),
      { numRuns: 300 },
    );
  });

  test('any JSON at all: converting it ends, and never throws', () => {
    const keyword = fc.constantFrom(
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      '$ref',
      '$defs',
      'enum',
      'required',
      'not',
      'if',
      'pattern',
      'description',
      'dependencies',
      'exclusiveMinimum',
      'nullable',
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, 0, 'object', '#', '#/properties', [], {}),
        fc.array(tie('schema'), { maxLength: 2 }),
        fc.dictionary(keyword, tie('schema'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(schema, fc.constantFrom(...PROFILES), (raw, profile) => {
        const usable = toInputSchema(raw);
        if (usable === undefined) return;
        const result = toModelSchema(usable, profile);
        if ('schema' in result) expect(complaints(result.schema, profile)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

/** Whether no argument is given that only some alternatives describe: it is taken to mean the same in the others. */
function namesAgree(part: Record<string, unknown>, input: object): boolean {
  const described = (schema: unknown): string[] => Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  const alternatives = [part.anyOf, part.oneOf].find(Array.isArray) as unknown[] | undefined;
  const partly = [...(alternatives ?? []).flatMap(described), ...described(part.then)];
  const always = described(part);
  const everywhere = (name: string): boolean => alternatives?.every((each) => described(each).includes(name)) === true;
  return Object.keys(input).every((name) => always.includes(name) || !partly.includes(name) || everywhere(name));
}
