import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toInputSchema } from '../../src/tools/schema/input.ts';

const EMPTY = { type: 'object', properties: {} };

function nested(levels: number): object {
  let schema: object = { type: 'string' };
  for (let level = 1; level < levels; level++) schema = { type: 'object', properties: { next: schema } };
  return schema;
}

describe('toInputSchema', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['an empty schema', {}],
    ['an object without properties', { type: 'object' }],
    ['a type that is none', { type: 5 }],
    ['properties that are none', { type: 'object', properties: null }],
    ['an object or null', { type: ['object', 'null'] }],
  ])('D1 %s becomes an empty object', (_, raw) => {
    expect(toInputSchema(raw)).toEqual(EMPTY);
  });

  test('D1 D12 properties are added at the root and inside', () => {
    const open = { type: 'object' };
    const raw = {
      type: 'object',
      additionalProperties: false,
      properties: {
        direct: open,
        list: { type: 'array', items: open },
        tuple: { type: 'array', items: [open], prefixItems: [open] },
        choice: { anyOf: [open, { type: ['object', 'null'] }] },
        map: { type: 'object', additionalProperties: open },
      },
      $defs: { shared: open },
    };
    const full = { type: 'object', properties: {} };
    expect(toInputSchema(raw)).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        direct: full,
        list: { type: 'array', items: full },
        tuple: { type: 'array', items: [full], prefixItems: [full] },
        choice: { anyOf: [full, { type: ['object', 'null'], properties: {} }] },
        map: { type: 'object', additionalProperties: full, properties: {} },
      },
      $defs: { shared: full },
    });
  });

  test('D2 a root union keeps its parts and gets an object root', () => {
    const anyOf = [{ type: 'object', properties: { a: { type: 'string' } } }, { required: ['b'] }];
    expect(toInputSchema({ anyOf })).toEqual({ anyOf, type: 'object', properties: {} });
  });

  test.each(['string', 'array', 'null', ['string', 'number'], ['array']])('a root of type %j is no input schema', (type) => {
    expect(toInputSchema({ type })).toBeUndefined();
  });

  test.each([[false], ['text'], [5], [[]]])('%j is no input schema', (raw) => {
    expect(toInputSchema(raw)).toBeUndefined();
  });

  test('D8 D10 what JSON Schema allows stays untouched, never through Zod', () => {
    const raw = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        a: { type: 'null' },
        b: { type: ['string', 'null'] },
        c: { enum: [true, 1, null] },
        d: true,
        e: { $ref: '#/$defs/x', description: 'kept' },
        f: { type: 'string', const: { type: 'object' }, default: { type: 'object' }, examples: [{ type: 'object' }] },
      },
      required: ['a'],
      $defs: { x: { type: 'string' } },
    };
    expect(toInputSchema(raw)).toBe(raw);
  });

  test('properties named like keywords are properties', () => {
    const raw = JSON.parse(
      '{"type":"object","properties":{"type":{"type":"string"},"properties":{"type":"object"},"items":{"type":"array","items":{"type":"string"}},"__proto__":{"type":"object"}},"required":["type"]}',
    );
    const schema = toInputSchema(raw) as { properties: Record<string, unknown>; required: unknown };
    expect(Object.keys(schema.properties)).toEqual(['type', 'properties', 'items', '__proto__']);
    expect(schema.properties.type).toEqual({ type: 'string' });
    expect(schema.properties.properties).toEqual(EMPTY);
    expect(JSON.stringify(schema)).toContain('"__proto__":{"type":"object","properties":{}}');
    expect(schema.required).toEqual(['type']);
  });

  test('D11 a value that is no schema says nothing, and costs nothing else', () => {
    expect(toInputSchema({ type: 'object', properties: { a: 'string', b: { type: 'number' } }, not: 5, anyOf: {} })).toEqual({
      type: 'object',
      properties: { a: {}, b: { type: 'number' } },
    });
  });

  test('N9 a schema of 64 levels is taken, a deeper one costs its tool', () => {
    expect(toInputSchema(nested(64))).toBeDefined();
    expect(toInputSchema(nested(65))).toBeUndefined();
    expect(toInputSchema(nested(1_000))).toBeUndefined();
    const circle: Record<string, unknown> = { type: 'object' };
    circle.properties = { circle };
    expect(toInputSchema(circle)).toBeUndefined();
  });

  test('the input is never changed, and the output is a fixed point', () => {
    const type = fc.constantFrom('object', 'string', ['object', 'null'], undefined, 5);
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom<unknown>(true, false, null, 'x', {}, { type: 'object' }),
        fc.record(
          {
            type,
            properties: fc.dictionary(fc.string({ maxLength: 3 }), tie('schema'), { maxKeys: 3 }),
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
            anyOf: fc.array(tie('schema'), { maxLength: 2 }),
            not: tie('schema'),
            default: fc.jsonValue({ maxDepth: 2 }),
          },
          { requiredKeys: [] },
        ),
      ),
    }));
    fc.assert(
      fc.property(schema, (raw) => {
        const before = JSON.stringify(raw);
        const once = toInputSchema(raw);
        expect(JSON.stringify(raw)).toBe(before);
        if (once === undefined) return;
        expect(once.type).toBe('object');
        expect(once.properties).toBeTypeOf('object');
        expect(toInputSchema(once)).toBe(once);
      }),
    );
  });
});
