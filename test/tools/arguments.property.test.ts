/** Arguments and schemas of any make: what holds for all of them, and what hostile ones cost. */

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { isSafePattern } from '../../src/lib/json-schema/pattern.ts';
import { findIssues } from '../../src/lib/json-schema/validator.ts';
import { mend as mendValue } from '../../src/tools/arguments/mend.ts';
import { readArguments as readFor } from '../../src/tools/arguments/read.ts';
import type { JsonSchema } from '../../src/types.ts';

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
const leaf = fc.constantFrom<unknown>(
  null,
  true,
  0,
  1,
  1.5,
  '',
  'x',
  '1',
  '1.5',
  'true',
  '[]',
  '["1"]',
  '{"a":null}',
  '{}',
  'null',
);

/** Objects, and object schemas that every validator takes, with these keys. */
function arbitraries(keys: readonly string[]) {
  const recordOf = (item: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...keys), item), { maxLength: 3, selector: ([key]) => key })
      .map((entries) => Object.fromEntries(entries));
  const { any, object } = fc.letrec<{ any: unknown; object: Record<string, unknown> }>((tie) => ({
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, fc.array(tie('any'), { maxLength: 3 }), tie('object')),
    object: recordOf(tie('any')),
  }));
  const { part, whole } = fc.letrec<{ part: unknown; whole: Record<string, unknown> }>((tie) => {
    const some = fc.array(tie('part'), { minLength: 1, maxLength: 2 });
    const typed = fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 2 }));
    return {
      part: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>(true, {}, { $ref: '#/$defs/D' }, { $ref: '#/$defs/E' }),
        fc.record({ type: typed }),
        fc.record({ type: typed }),
        fc.record({ enum: fc.uniqueArray(leaf, { minLength: 2, maxLength: 5 }) }),
        fc.record({ const: leaf }),
        tie('whole'),
        fc.record({ type: fc.constant('array'), items: tie('part') }),
        fc.record({ prefixItems: some }),
        fc.record({ allOf: some, anyOf: some }),
        fc.record({ oneOf: some }),
        fc.record({ not: tie('part') }),
        fc
          .tuple(tie('part'), tie('part'), tie('part'))
          .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((keyword, index) => [keyword, parts[index]]))),
      ),
      whole: fc.record(
        {
          type: fc.constant('object'),
          properties: recordOf(tie('part')),
          required: fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 1 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('part')),
        },
        { requiredKeys: ['properties'] },
      ),
    };
  });
  const root = fc
    .tuple(whole, part, part)
    .map(([object, D, E]): Record<string, unknown> => ({ ...object, type: 'object', $defs: { D, E } }));
  return { any, input: object, root };
}

const plain = arbitraries(['a', 'b', 'c']);
/** With names that are no ordinary keys, which the other validator has its own way with. */
const odd = arbitraries(['a', 'b', '__proto__', '$ref', 'constructor']);
function mend(given: unknown, by: JsonSchema) {
  const { value: input, changes } = mendValue(given, by);
  return { input, changes };
}

function readArguments(given: unknown, by: JsonSchema) {
  return readFor(given, { name: 't', server: 's', originalName: 't', kind: 'tool', inputSchema: by });
}

const RUNS = { numRuns: 300 };

const ajv = new AjvJsonSchemaValidator();
/** What the SDK's own validator says; nothing where it cannot say. */
function isValid(by: Record<string, unknown>, given: unknown): boolean | undefined {
  try {
    return ajv.getValidator(by as never)(given as never).valid;
  } catch {
    return undefined;
  }
}

describe('mending, whatever the schema and the input', () => {
  test('D16 D17 a valid input stays the very same', () => {
    let seen = 0;
    fc.assert(
      fc.property(plain.root, plain.input, (by, given) => {
        if (isValid(by, given) !== true) return;
        seen++;
        expect(mend(given, by).input).toBe(given);
      }),
      RUNS,
    );
    expect(seen).toBeGreaterThan(30);
  });

  test('nothing that is given is changed, and mending again changes nothing', () => {
    fc.assert(
      fc.property(odd.root, odd.input, (by, given) => {
        const before = JSON.stringify([by, given]);
        const { input: once, changes } = mend(given, by);
        expect(JSON.stringify([by, given])).toBe(before);
        expect(once === given).toBe(changes.length === 0);
        expect(mend(once, by)).toEqual({ input: once, changes: [] });
      }),
      RUNS,
    );
  });

  test('a text where a text may stand is never touched', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...TYPES), (text, other) => {
        const given = { x: text };
        for (const x of [{ type: ['string', other] }, { anyOf: [{ type: other }, { type: 'string' }] }, { enum: [text, 1] }])
          expect(mend(given, { type: 'object', properties: { x } }).input).toBe(given);
      }),
      RUNS,
    );
  });

  test('a JSON value given as text comes out as it went in', () => {
    const typed = fc.oneof(
      fc.tuple(fc.constant('array'), fc.array(fc.jsonValue())),
      fc.tuple(fc.constant('object'), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.tuple(fc.constant('integer'), fc.maxSafeInteger()),
      fc.tuple(fc.constant('boolean'), fc.boolean()),
    );
    fc.assert(
      fc.property(typed, ([type, x]) => {
        const text = JSON.stringify(x);
        expect(JSON.stringify(mend({ x: text }, { type: 'object', properties: { x: { type } } }).input)).toBe(`{"x":${text}}`);
      }),
      RUNS,
    );
  });

  test('reading throws nothing but invalid_arguments', () => {
    const anything = fc.oneof(fc.anything({ withBigInt: true, withSparseArray: true }), fc.json(), odd.input);
    fc.assert(
      fc.property(fc.oneof(odd.root, fc.object()), anything, (by, given) => {
        try {
          readArguments(given, by);
        } catch (error) {
          expect(McpToolSetError.is(error) && error.code).toBe('invalid_arguments');
        }
      }),
      RUNS,
    );
  });
});

describe('validation, whatever the schema and the value', () => {
  test('says what the SDK’s validator says', () => {
    let [valid, invalid] = [0, 0];
    fc.assert(
      fc.property(plain.root, plain.input, (by, given) => {
        const expected = isValid(by, given);
        if (expected === undefined) return;
        if (expected) valid++;
        else invalid++;
        const issues = findIssues(by, given);
        // A schema that refers to itself without end is not judged.
        if (expected) expect(issues).toEqual([]);
        else if (!JSON.stringify(by).includes('$ref"')) expect(issues).not.toEqual([]);
      }),
      RUNS,
    );
    expect(Math.min(valid, invalid)).toBeGreaterThan(15);
  });

  test('a mistake in a schema refuses nothing that the rest of it allows', () => {
    const mistakes = fc.constantFrom<object>(
      { type: 'int' },
      { type: [] },
      { type: 7 },
      { enum: 'a' },
      { enum: [] },
      { required: true },
      { pattern: '(' },
      { pattern: '[' },
      { minLength: 'x' },
      { properties: ['a'] },
      { items: 'string' },
      { anyOf: [] },
      { anyOf: ['string'] },
      { allOf: {} },
      { not: 'x' },
      { not: { pattern: '(a+)+$' } },
      { not: { type: 'int' } },
      { oneOf: [{ type: 'int' }, { type: 'string' }] },
      Object.fromEntries([
        ['if', { type: 'int' }],
        ['then', false],
      ]),
      { contains: { type: 'int' }, maxContains: 0 },
      { $ref: '#/$defs/gone' },
      { $ref: 'https://example.com/x' },
      { $ref: 7 },
      { $id: 7 },
      { exclusiveMinimum: true },
      { multipleOf: 0 },
      { patternProperties: { '(': false }, additionalProperties: false },
      { patternProperties: { '(a+)+$': {} }, unevaluatedProperties: false },
      { properties: { a: 'string', b: null, c: 7 }, additionalProperties: false },
      { dependentRequired: { a: 'b' } },
      { $dynamicRef: '#x' },
    );
    const given = fc.oneof(fc.constantFrom<unknown>('a', 1, { a: 1 }, ['a'], null, true), plain.any);
    fc.assert(
      fc.property(mistakes, given, (mistake, x) => {
        // Those of them that are right in part still judge that part.
        const allowed =
          'properties' in mistake && typeof x === 'object' && x !== null && Object.keys(x).some((key) => !'abc'.includes(key));
        if (!allowed) expect(findIssues({ type: 'object', properties: { x: mistake } }, { x })).toEqual([]);
      }),
      RUNS,
    );
  });

  test('D4 one part that cannot be judged does not keep the others from it', () => {
    const by = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/gone' }, b: { type: 'string' }, c: { pattern: '(', type: 'string' } },
    };
    expect(findIssues(by, { b: 1 })).toHaveLength(1);
    expect(findIssues(by, { c: 1 })).toHaveLength(1);
    expect(findIssues(by, { a: 1, b: 'x' })).toEqual([]);
  });

  test('the schema is never written to, frozen or not', () => {
    const by = Object.freeze({
      type: 'object',
      properties: Object.freeze({ a: Object.freeze({ $ref: '#/$defs/A' }) }),
      $defs: Object.freeze({ A: Object.freeze({ type: 'string' }) }),
    });
    expect(findIssues(by, { a: 1 })).toHaveLength(1);
    const loose = structuredClone(by);
    findIssues(loose, { a: 1 });
    expect(Object.getOwnPropertyNames(loose.properties.a)).toEqual(['$ref']);
  });
});

/** Each of these would run for hours, or overflow, if it ran at all. */
describe('N9 hostile schemas and inputs end', () => {
  const chain = (make: (next: object) => object): Record<string, unknown> => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`d${index}`, make({ $ref: `#/$defs/d${index + 1}` })]),
    );
    return {
      type: 'object',
      properties: { x: { $ref: '#/$defs/d0' } },
      $defs: { ...$defs, d40: { type: 'object', properties: { y: { type: 'string' } } } },
    };
  };
  const deep = (depth: number): unknown => JSON.parse(`${'{"x":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, null]));

  test.each<[string, Record<string, unknown>, unknown]>([
    ['references that double in allOf', chain((next) => ({ allOf: [next, next] })), { x: { y: null } }],
    ['references that double in anyOf', chain((next) => ({ anyOf: [next, next] })), { x: '{}' }],
    ['a reference to itself', { type: 'object', properties: { x: { $ref: '#/properties/x' } } }, { x: 'a' }],
    [
      'ten references to the same union of itself',
      {
        type: 'object',
        properties: { x: { $ref: '#/$defs/A' } },
        $defs: { A: { anyOf: Array.from({ length: 10 }, () => ({ $ref: '#/$defs/A' })) } },
      },
      { x: null },
    ],
    ['a union of itself', { type: 'object', anyOf: [{ $ref: '#' }, { $ref: '#' }] }, { x: null }],
    ['a pattern that explodes', { type: 'object', properties: { x: { pattern: '^(a+)+$' } } }, { x: `${'a'.repeat(60)}!` }],
    ['a name pattern that explodes', { type: 'object', patternProperties: { '^(a|a)*$': false } }, { [`${'a'.repeat(60)}!`]: 1 }],
    ['a recursive schema over a deep input', { type: 'object', properties: { x: { $ref: '#' } } }, deep(20_000)],
    ['an input of many keys', { type: 'object', additionalProperties: { type: 'string' } }, wide],
    [
      'unique items',
      { type: 'object', properties: { x: { type: 'array', uniqueItems: true } } },
      { x: Array.from({ length: 15_000 }, (_, index) => ({ index })) },
    ],
    ['5 MB of text', { type: 'object', properties: { x: { type: 'array' } } }, { x: `[${'1,'.repeat(2_500_000)}1]` }],
    ['a deep text', { type: 'object', properties: { x: { type: 'object' } } }, { x: JSON.stringify(deep(3_000)) }],
  ])('%s', (_, by, given) => {
    try {
      readArguments(given, by);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_arguments' });
    }
  });

  test('which patterns are run', () => {
    for (const pattern of [
      '^[a-z]+$',
      '^\\d{4}-\\d{2}-\\d{2}$',
      '^https?://',
      '^[^@]+@[^@]+$',
      '^(?:red|green|blue)$',
      '^\\p{L}+$',
      'x',
      '^(?<y>\\d{4})$',
      '^[\\]a]+$',
    ])
      expect([pattern, isSafePattern(pattern)]).toEqual([pattern, true]);
    for (const pattern of [
      '(a+)+$',
      '^(a|a)*$',
      '^(.*)*$',
      '.*.*.*=',
      '(a?){30}a{30}',
      '^(\\w+\\s?)*$',
      '(',
      '[',
      '\\',
      `${'a?'.repeat(30)}`,
      '^(?:a{1,9}){1,9}$',
    ])
      expect([pattern, isSafePattern(pattern)]).toEqual([pattern, false]);
  });

  test('a pattern that is run ends soon, whatever it is', () => {
    const atom = fc.constantFrom('a', '.', '[ab]', '\\w', '(?:a|b)', '(a)', '(?=a)', '(?:a|ab)');
    const quantifier = fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?');
    const sequence = fc.array(fc.tuple(atom, quantifier), { minLength: 1, maxLength: 2 }).map((parts) => parts.flat().join(''));
    const pattern = fc.tuple(sequence, quantifier, sequence).map(([one, how, two]) => `^(?:${one})${how}${two}$`);
    let safe = 0;
    fc.assert(
      fc.property(pattern, (source) => {
        if (!isSafePattern(source)) return;
        // Were it not safe, this would not end.
        safe++;
        new RegExp(source, 'u').test(`${'a'.repeat(999)}!`);
      }),
      RUNS,
    );
    expect(safe).toBeGreaterThan(5);
  });
});
