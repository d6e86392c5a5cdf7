import { asSchema } from 'ai';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { toAiTemplate } from '../../src/tools/ai-tool.ts';
import { toModelText } from '../../src/tools/model-text.ts';
import { toInputSchema } from '../../src/tools/schema/input.ts';
import { toModelSchema } from '../../src/tools/schema/model.ts';
import { isSimpleSchema } from '../../src/tools/schema/simple.ts';
import { complaints } from './schema-rules.ts';

const text = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('a', 'b', 'é', 'a\u200b', '__proto__', 'x y'));
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.constant(Number.NaN));
const words = {
  type: fc.constantFrom(
    'object',
    'array',
    'string',
    'integer',
    'number',
    'boolean',
    'null',
    'int',
    ['string', 'null'],
    undefined,
  ),
  required: fc.oneof(fc.array(text, { maxLength: 3 }), scalar),
  enum: fc.oneof(fc.array(scalar, { maxLength: 3 }), scalar),
  description: scalar,
  title: scalar,
  format: scalar,
  default: scalar,
  minimum: scalar,
  maxLength: scalar,
  $ref: fc.constant('#'),
  $schema: text,
  pattern: text,
  const: scalar,
};
/** So many levels, with a few words each: most of them must be the common ones, or nothing would be simple. */
function level(inner: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const common = fc.record(
    {
      type: fc.constantFrom('object', 'array', 'string', 'integer'),
      properties: fc.dictionary(text, inner, { maxKeys: 2 }),
      items: inner,
      description: text,
      additionalProperties: fc.boolean(),
    },
    { requiredKeys: ['type', 'properties', 'items'] },
  );
  const any = fc.record(
    { ...words, properties: fc.dictionary(text, inner, { maxKeys: 2 }), items: inner, anyOf: fc.array(inner, { maxLength: 1 }) },
    { requiredKeys: [] },
  );
  return fc.oneof({ arbitrary: common, weight: 3 }, { arbitrary: any, weight: 1 });
}
const leaf = fc.oneof(
  { arbitrary: fc.record({ type: fc.constantFrom('string', 'integer', 'boolean'), description: text }), weight: 4 },
  { arbitrary: fc.record(words, { requiredKeys: [] }), weight: 1 },
);
const schema = level(level(leaf));

/** A copy that has not been seen as simple: it goes the long way. */
function theLongWay(given: object): unknown {
  const marked = { ...structuredClone(given), 'x-mark': true };
  const read = toInputSchema(marked);
  return read;
}

test('D1 D2 D11 a simple schema is what the long way would give back as it is, for every provider', () => {
  let simple = 0;
  fc.assert(
    fc.property(schema, fc.constantFrom('auto', 'openai', 'anthropic', 'google'), fc.boolean(), (inner, profile, atRoot) => {
      const given = { ...(atRoot ? inner : {}), type: 'object', properties: { a: inner } };
      if (!isSimpleSchema(given)) return;
      simple++;
      expect(toInputSchema(given)).toBe(given);
      expect(toModelSchema(given, profile as 'auto')).toEqual({ schema: given });
      // With a word that is no keyword the walk is not short.
      const marked = theLongWay(given) as Record<string, unknown>;
      expect(marked).toEqual({ ...given, 'x-mark': true });
      expect(isSimpleSchema(marked)).toBe(false);
      expect(toModelSchema(marked, profile as 'auto')).toEqual({ schema: marked });
      const tool = { name: 't', server: 's', originalName: 't', kind: 'tool', inputSchema: marked } as const;
      expect(toModelText(tool, marked, {})).toMatchObject({ schema: marked, stripped: false });
      expect(complaints(given as never, profile as never)).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
  expect(simple).toBeGreaterThan(100);
});

it('the AI SDK knows the schema of a tool as one of its own', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
  const definition = { name: 't', server: 's', originalName: 't', kind: 'tool', inputSchema } as const;
  const { inputSchema: given } = toAiTemplate(definition);
  const known = asSchema(given as never);
  expect(known).toBe(given);
  expect(await known.jsonSchema).toBe(inputSchema);
  expect(await known.validate?.({ a: 1 })).toEqual({ success: true, value: { a: 1 } });
  const { validate } = known;
  expect(await validate?.({})).toMatchObject({ success: false });
  expect(JSON.parse(JSON.stringify(given))).toEqual({ jsonSchema: inputSchema });
});
