/** Switches of schemas: each lists one more tool, `odd`, whose schema is so; the other tools must not suffer from it. */

import type { Fault, FaultState, Message } from './fault.ts';

type Make = (state: FaultState) => object;

function odd(make: Make): Fault {
  return {
    on: 'tools/list',
    result: (result, _request, state) => ({ tools: [...(result.tools as Message[]), { name: 'odd', ...make(state) }] }),
  };
}

const input = (inputSchema: unknown): Fault => odd(() => ({ inputSchema }));
const output = (outputSchema: unknown): Fault => odd(() => ({ inputSchema: { type: 'object' }, outputSchema }));
const property = (schema: unknown): Fault => input({ type: 'object', properties: { value: schema } });
const one = (name: string): object => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });

function nested(depth: number): object {
  let schema: object = { type: 'string' };
  for (let level = 0; level < depth; level++) schema = { type: 'object', properties: { inner: schema } };
  return schema;
}

export const SCHEMA_FAULTS = {
  'schema-absent': odd(() => ({})),
  'schema-null': input(null),
  'schema-true': input(true),
  'schema-text': input('object'),
  'schema-empty': input({}),
  'schema-array': input({ type: 'array', items: {} }),
  'schema-no-properties': input({ type: 'object' }),
  'schema-only-additional': input({ additionalProperties: false }),
  'schema-nested-no-properties': property({ type: 'object' }),
  'schema-root-anyof': input({ anyOf: [one('a'), one('b')] }),
  'schema-root-oneof': input({ oneOf: [one('a'), one('b')] }),
  'schema-root-allof': input({ allOf: [one('a'), one('b')] }),
  'schema-root-required-anyof': input({
    type: 'object',
    properties: { a: {}, b: {} },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  }),
  // biome-ignore lint/suspicious/noThenProperty: it is JSON Schema's own
  'schema-root-if': input({ type: 'object', properties: { a: {} }, if: { required: ['a'] }, then: { required: ['b'] } }),
  'schema-ref': input({ type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'string' } } }),
  'schema-ref-dangling': property({ $ref: '#/$defs/Missing' }),
  'schema-ref-recursive': input({
    type: 'object',
    properties: { node: { $ref: '#/$defs/N' } },
    $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } },
  }),
  'schema-ref-itself': property({ $ref: '#' }),
  'schema-ref-remote': odd(({ elsewhere }) => ({
    inputSchema: { type: 'object', properties: { a: { $ref: elsewhere } } },
    outputSchema: { $ref: elsewhere },
  })),
  'schema-type-null': property({ type: 'null' }),
  'schema-type-array': property({ type: ['string', 'null'] }),
  'schema-type-unknown': property({ type: 'unknown' }),
  'schema-type-int': property({ type: 'int' }),
  'schema-property-is-text': property('string'),
  'schema-array-without-items': property({ type: 'array' }),
  'schema-enum-mixed': property({ enum: [true, 1, null, 'x'], const: true }),
  'schema-keyword-names': input({
    type: 'object',
    properties: { type: { type: 'string' }, properties: { type: 'object' }, $ref: { type: 'string' }, items: { type: 'array' } },
    required: ['type', '$ref'],
  }),
  'schema-proto': input(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')),
  'schema-1000-deep': input(nested(1_000)),
  'schema-wide': input({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
  }),
  'output-no-type': output({ description: 'anything' }),
  'output-dangling': output({ type: 'object', properties: { a: { $ref: '#/$defs/Missing' } } }),
  'output-uncompilable': output({ type: 'object', properties: { a: { pattern: '(', type: 7 } } }),
  'output-recursive': output({ $defs: { N: { properties: { n: { $ref: '#/$defs/N' } } } }, $ref: '#/$defs/N' }),
  'output-array': output({ type: 'array', items: { type: 'string' } }),
  'output-text': output('object'),
} as const satisfies Record<string, Fault>;

export type SchemaSwitch = keyof typeof SCHEMA_FAULTS;

/** Those of which no tool can be made; it is left out, by name. */
export const UNUSABLE: ReadonlySet<string> = new Set<SchemaSwitch>(['schema-text', 'schema-array', 'schema-1000-deep']);
