/** Input schemas as far as they can be used at all: an object at the root, and nothing in it that is no JSON Schema. */

import { isRecord } from '../../lib/content/json.ts';
import type { JsonSchema } from '../../types.ts';
import { isSimpleSchema } from './simple.ts';
import { LIST, mapList, mapValues, ONE, RECORD } from './walk.ts';

/** Deeper than this no model follows a schema, and some providers fall over it. */
const MAX_DEPTH = 64;

class TooDeep extends Error {}

/**
 * The schema with what every reader insists on: `type: 'object'` at the root, `properties` wherever the type is `object` and `items`
 * wherever it is `array`. What is valid under it stays the same; what is no JSON Schema (a type that is none, a list where a text
 * belongs) says nothing and is mended or left out. The input is never changed, nothing is fetched, and a missing schema is an empty one.
 * `undefined` where the root is not an object, or the nesting is deeper than 64.
 *
 * @example
 * ```ts
 * toInputSchema({ type: 'object' }); // { type: 'object', properties: {} }
 * ```
 */
export function toInputSchema(raw: unknown): JsonSchema | undefined {
  if (raw === undefined || raw === null || raw === true) return { type: 'object', properties: {} };
  if (isSimpleSchema(raw)) return raw;
  if (!isRecord(raw) || !mayBeObject(raw.type)) return undefined;
  try {
    const root = raw.type === 'object' ? raw : { ...raw, type: 'object' };
    return usable(root, 1) as JsonSchema;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

/** A copy without what is no schema, or the schema itself where nothing is amiss. */
function usable(schema: unknown, depth: number): unknown {
  if (typeof schema === 'boolean') return schema;
  // A value that is no schema says nothing, and a provider would refuse every tool because of it.
  if (!isRecord(schema)) return {};
  if (depth > MAX_DEPTH) throw new TooDeep();
  const next = mapValues(schema, (value, keyword) => inKeyword(keyword, value, depth + 1));
  const { type, properties, items, prefixItems } = next;
  const bareObject = has(type, 'object') && properties === undefined;
  const bareArray = has(type, 'array') && items === undefined && prefixItems === undefined;
  if (!bareObject && !bareArray) return next;
  return { ...next, ...(bareObject && { properties: {} }), ...(bareArray && { items: {} }) };
}

/** The value of one keyword, or `undefined` to leave the keyword out, where it says nothing. */
function inKeyword(keyword: string, value: unknown, depth: number): unknown {
  if (keyword === 'type') return readType(value);
  if (LIST.has(keyword) && Array.isArray(value)) return mapList(value, (schema) => usable(schema, depth));
  if (ONE.has(keyword)) return isRecord(value) || typeof value === 'boolean' ? usable(value, depth) : undefined;
  if (RECORD.has(keyword)) return isRecord(value) ? mapValues(value, (schema) => usable(schema, depth)) : undefined;
  if (LIST.has(keyword)) return undefined;
  if (keyword === 'required') return readRequired(value);
  if (keyword === 'dependencies') {
    const either = (one: unknown): unknown => (Array.isArray(one) ? readRequired(one) : usable(one, depth));
    return isRecord(value) ? mapValues(value, either) : undefined;
  }
  return VALUES.get(keyword)?.(value) === false ? undefined : value;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** What the value of a keyword must be to say anything. */
const VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...[
    '$anchor',
    '$comment',
    '$id',
    '$ref',
    '$schema',
    'contentEncoding',
    'contentMediaType',
    'description',
    'format',
    'pattern',
    'title',
  ].map((keyword) => [keyword, isText] as const),
  ...['maximum', 'minimum'].map((keyword) => [keyword, isNumber] as const),
  ...['maxContains', 'maxItems', 'maxLength', 'maxProperties', 'minContains', 'minItems', 'minLength', 'minProperties'].map(
    (keyword) => [keyword, isCount] as const,
  ),
  ...['deprecated', 'nullable', 'readOnly', 'uniqueItems', 'writeOnly'].map((keyword) => [keyword, isBoolean] as const),
  ...['exclusiveMaximum', 'exclusiveMinimum'].map(
    (keyword) => [keyword, (value: unknown) => isNumber(value) || isBoolean(value)] as const,
  ),
  ['multipleOf', (value) => isNumber(value) && Number(value) > 0],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
  ['examples', Array.isArray],
]);

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** What people write for types, and mean so. */
const MEANT: Readonly<Record<string, string>> = {
  bool: 'boolean',
  dict: 'object',
  double: 'number',
  float: 'number',
  int: 'integer',
  int32: 'integer',
  int64: 'integer',
  list: 'array',
  long: 'integer',
  map: 'object',
  str: 'string',
  text: 'string',
};

/** The type, or nothing where it is none. */
function readType(type: unknown): unknown {
  if (TYPES.has(type)) return type;
  if (typeof type === 'string') {
    const lower = type.toLowerCase();
    return TYPES.has(lower) ? lower : Object.hasOwn(MEANT, lower) ? MEANT[lower] : undefined;
  }
  if (!Array.isArray(type)) return undefined;
  const read = [...new Set(type.map(readType))];
  // One that is none may be anything.
  if (read.length === 0 || read.includes(undefined)) return undefined;
  return read.length === type.length && read.every((one, index) => one === type[index]) ? type : read;
}

function readRequired(required: unknown): unknown {
  if (!Array.isArray(required)) return undefined;
  const names = [...new Set(required.filter(isText))];
  return names.length === required.length ? required : names;
}

/** Whether a root of this type takes objects. A type that is no type at all says nothing. */
function mayBeObject(type: unknown): boolean {
  const read = readType(type);
  return read === undefined || has(read, 'object');
}

function has(type: unknown, name: string): boolean {
  return Array.isArray(type) ? type.includes(name) : type === name;
}
