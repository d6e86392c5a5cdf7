/** The arguments of a tool as they arrive at each provider, for every schema that servers are known to send and providers to refuse. */

import { describe, expect, test } from 'vitest';
import { aiMajor } from '../../../src/lib/content/ai-version.ts';
import { toInputSchema } from '../../../src/tools/schema/input.ts';
import { toModelSchema } from '../../../src/tools/schema/model.ts';
import type { JsonSchema } from '../../../src/types.ts';
import { complaints, schemasIn } from '../schema-rules.ts';
import { FORMATS, type Provider, send } from './providers.ts';
import { RESULTS } from './results.ts';

const text = { type: 'string' };
const object = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest });

const SCHEMAS: Readonly<Record<string, object>> = {
  'D1 an object without properties': { type: 'object' },
  'D1 nothing at all': {},
  'D1 additionalProperties alone': { additionalProperties: false },
  'D1 D12 a nested object without properties': object({ o: { type: 'object' } }),
  'D2 a root of objects': { anyOf: [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
  'D2 a root of lists of required': object({ a: text, b: text }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  'D2 a root that is several in one': { allOf: [object({ a: text }), object({ b: text })] },
  'D3 a root with a condition': object(
    { a: text },
    JSON.parse('{"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}}}}'),
  ),
  'D6 a local reference': object({ a: { $ref: '#/$defs/X' } }, { $defs: { X: text } }),
  'D6 a reference of an old draft': object({ a: { $ref: '#/definitions/X' } }, { definitions: { X: text } }),
  'D6 a reference by path': object({ a: text, b: { $ref: '#/properties/a' } }),
  'D6 recursion': object({ a: { $ref: '#/$defs/X' } }, { $defs: { X: object({ x: { $ref: '#/$defs/X' } }) } }),
  'D7 a dialect and closed objects': object(
    { a: object({}, { additionalProperties: false }) },
    { $schema: 'http://json-schema.org/draft-07/schema#', additionalProperties: false },
  ),
  'D8 null, alone and among types': object({ a: { type: 'null' }, b: { type: ['string', 'null'] } }),
  'D10 enumerations of booleans, numbers and null': object({
    a: { enum: [true, false] },
    b: { enum: [1, 'x', null] },
    c: { const: 1 },
  }),
  'D11 types that there are not': object({ a: { type: 'unknown' }, b: { type: 'int' }, c: 'string' }),
  'D12 an array without items': object({ a: { type: 'array' }, b: { type: 'array', items: { type: 'array' } } }),
};

/** What Gemini's own schema language, into which the provider of ai 6 translates, does not have. */
function complaintsOfGemini(schema: unknown): string[] {
  return [...schemasIn(schema)].flatMap((each) => [
    ...['$ref', '$defs', '$schema', 'definitions', 'additionalProperties', 'const'].filter((keyword) =>
      Object.hasOwn(each, keyword),
    ),
    ...(Array.isArray(each.type) ? ['a list of types'] : []),
    ...(Array.isArray(each.enum) && each.enum.some((value) => typeof value !== 'string') ? ['an enum of other things'] : []),
  ]);
}

describe.each(Object.keys(FORMATS) as Provider[])('%s', (provider) => {
  test.each(Object.entries(SCHEMAS))('%s', async (_, raw) => {
    const usable = toInputSchema(raw);
    if (usable === undefined) throw new Error('the schema is not usable');
    const converted = toModelSchema(usable, 'auto');
    if ('problem' in converted) throw new Error(converted.problem);
    const { schema } = await send(provider, RESULTS.text, undefined, converted.schema);
    const translated = aiMajor === 6 && provider.startsWith('Gemini');
    expect(translated ? complaintsOfGemini(schema) : complaints(schema as JsonSchema, 'auto')).toEqual([]);
    // That provider of ai 6 says nothing of a tool without arguments.
    const { properties = {} } = (schema ?? {}) as { properties?: object };
    expect(Object.keys(properties)).toEqual(Object.keys(converted.schema.properties ?? {}));
  });
});

test('D6 the rules tell: a reference that goes out as the server sent it breaks them', async () => {
  const { schema } = await send('OpenAI Chat', RESULTS.text, undefined, SCHEMAS['D6 a local reference'] as JsonSchema);
  expect(complaints(schema as JsonSchema, 'auto')).toContain('a reference');
});
