/** Input schemas that every provider takes: an object at the root, and `properties` on every object. */

import { isRecord } from '../lib/content/json.ts';
import type { JsonSchema } from '../types.ts';

/** Deeper than this no model follows a schema, and some providers fall over it. */
const MAX_DEPTH = 64;

/** Keywords whose value is a schema, or for `items` and `dependencies` perhaps one. */
const ONE = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose value is a list of schemas. */
const LIST = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
/** Keywords whose value is a record of schemas. */
const RECORD = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties']);

class TooDeep extends Error {}

/**
 * The schema with what providers insist on added: `type: 'object'` at the root, and `properties` wherever the type is `object`.
 * What is valid under it stays the same. The input is never changed, nothing is fetched, and a missing schema is an empty one.
 * `undefined` where the root is not an object, or the nesting is deeper than 64.
 *
 * @example
 * ```ts
 * toInputSchema({ type: 'object' }); // { type: 'object', properties: {} }
 * ```
 */
export function toInputSchema(raw: unknown): JsonSchema | undefined {
  if (raw === undefined || raw === null || raw === true) return { type: 'object', properties: {} };
  if (!isRecord(raw) || !mayBeObject(raw.type)) return undefined;
  try {
    const root = raw.type === 'object' ? raw : { ...raw, type: 'object' };
    return withProperties(root, 1) as JsonSchema;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

/** A copy with `properties` added where they lack, or the schema itself where nothing does. */
function withProperties(schema: unknown, depth: number): unknown {
  if (typeof schema === 'boolean') return schema;
  // A value that is no schema says nothing, and a provider would refuse every tool because of it.
  if (!isRecord(schema)) return {};
  if (depth > MAX_DEPTH) throw new TooDeep();
  const next = mapValues(schema, (value, keyword) => inKeyword(keyword, value, depth + 1));
  return isObjectType(next.type) && next.properties === undefined ? { ...next, properties: {} } : next;
}

/** The value of one keyword, or `undefined` to leave the keyword out, where it says nothing. */
function inKeyword(keyword: string, value: unknown, depth: number): unknown {
  if (LIST.has(keyword) && Array.isArray(value)) return mapList(value, depth);
  if (ONE.has(keyword)) return isRecord(value) || typeof value === 'boolean' ? withProperties(value, depth) : undefined;
  if (RECORD.has(keyword)) return isRecord(value) ? mapValues(value, (schema) => withProperties(schema, depth)) : undefined;
  return LIST.has(keyword) ? undefined : value;
}

function mapList(schemas: readonly unknown[], depth: number): readonly unknown[] {
  const next = schemas.map((schema) => withProperties(schema, depth));
  return next.some((schema, index) => schema !== schemas[index]) ? next : schemas;
}

/** The same record where nothing changes, so that what is fine already costs no copy. */
function mapValues(
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown, key: string) => unknown,
): Readonly<Record<string, unknown>> {
  const changes = new Map<string, unknown>();
  for (const key of Object.keys(record)) {
    const value = map(record[key], key);
    if (value !== record[key]) changes.set(key, value);
  }
  if (changes.size === 0) return record;
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => [
    key,
    changes.has(key) ? changes.get(key) : value,
  ]);
  // fromEntries rather than assignment: a property may be called `__proto__`.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Whether a root of this type takes objects. A type that is no type at all says nothing. */
function mayBeObject(type: unknown): boolean {
  return typeof type === 'string' || Array.isArray(type) ? isObjectType(type) : true;
}

function isObjectType(type: unknown): boolean {
  return Array.isArray(type) ? type.includes('object') : type === 'object';
}
