/** What a value may be by its schema, as far as that is beyond doubt. */

import { isRecord } from '../../lib/content/json.ts';
import { createResolver, type Resolver } from '../schema/refs.ts';
import type { SchemaRecord } from '../schema/walk.ts';

export type Kind = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

const ALL: readonly Kind[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const MAX_NESTED = 12;

/** Looks things up in one schema. */
export interface Reader {
  /** The types that a value of this schema may have; all of them where it does not say. */
  kindsOf(schema: unknown): ReadonlySet<Kind>;
  /** What the schema says of one property, in every part of it that names it; nothing where none does. */
  propertyOf(schema: unknown, name: string): { readonly schema: unknown; readonly required: boolean } | undefined;
  /** The schema of an array's items. */
  itemOf(schema: unknown, index: number): unknown;
}

export function createReader(root: SchemaRecord): Reader {
  const resolver = createResolver(root);
  return {
    kindsOf: (schema) => kindsOf(schema, resolver, 0),
    propertyOf(schema, name) {
      const found = findProperty(schema, name, resolver, 0);
      if (found.schemas.length === 0) return undefined;
      return { schema: found.schemas.length === 1 ? found.schemas[0] : { anyOf: found.schemas }, required: found.required };
    },
    itemOf(schema, index) {
      const { items, prefixItems } = partWith(schema, ['items', 'prefixItems'], resolver);
      const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      return index < tuple.length ? tuple[index] : Array.isArray(items) ? undefined : items;
    },
  };
}

function kindsOf(schema: unknown, resolver: Resolver, depth: number): ReadonlySet<Kind> {
  if (!isRecord(schema) || depth > MAX_NESTED) return new Set(ALL);
  const inner = (part: unknown): ReadonlySet<Kind> => kindsOf(part, resolver, depth + 1);
  let kinds: Kind[] = [...ALL];
  const only = (allowed: ReadonlySet<unknown>): void => {
    kinds = kinds.filter((kind) => allowed.has(kind));
  };
  const { type, $ref, allOf, anyOf, oneOf } = schema;
  if (type !== undefined) only(withIntegers([type].flat()));
  if (Array.isArray(schema.enum)) only(withIntegers(schema.enum.map(kindOf)));
  if (Object.hasOwn(schema, 'const')) only(withIntegers([kindOf(schema.const)]));
  if (typeof $ref === 'string') only(inner(resolver.find($ref)));
  if (Array.isArray(allOf)) for (const part of allOf) only(inner(part));
  for (const choice of [anyOf, oneOf]) if (Array.isArray(choice)) only(new Set(choice.flatMap((part) => [...inner(part)])));
  if (schema.nullable === true && type !== undefined) kinds.push('null');
  return new Set(kinds);
}

function withIntegers(kinds: readonly unknown[]): ReadonlySet<unknown> {
  return new Set(kinds.includes('number') ? [...kinds, 'integer'] : kinds);
}

export function kindOf(value: unknown): Kind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'object' || typeof value === 'string' || typeof value === 'boolean'
    ? (typeof value as Kind)
    : undefined;
}

interface Found {
  readonly schemas: unknown[];
  required: boolean;
}

function findProperty(schema: unknown, name: string, resolver: Resolver, depth: number): Found {
  const found: Found = { schemas: [], required: false };
  if (!isRecord(schema) || depth > MAX_NESTED) return found;
  const { properties, required, $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, name)) found.schemas.push(properties[name]);
  if (Array.isArray(required) && required.includes(name)) found.required = true;
  const always = [...(typeof $ref === 'string' ? [resolver.find($ref)] : []), ...(Array.isArray(allOf) ? allOf : [])];
  const perhaps = [anyOf, oneOf, [then, otherwise]].flatMap((choice) => (Array.isArray(choice) ? choice : []));
  for (const part of [...always, ...perhaps]) {
    const more = findProperty(part, name, resolver, depth + 1);
    found.schemas.push(...more.schemas);
    if (always.includes(part)) found.required ||= more.required;
  }
  return found;
}

/** The part of a schema that has one of these keywords: itself, what it points to, or the one alternative that does. */
function partWith(schema: unknown, keywords: readonly string[], resolver: Resolver, depth = 0): SchemaRecord {
  if (!isRecord(schema) || depth > MAX_NESTED) return {};
  if (keywords.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  const { $ref, allOf, anyOf, oneOf } = schema;
  const parts = [
    ...(typeof $ref === 'string' ? [resolver.find($ref)] : []),
    ...[allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : [])),
  ];
  const having = parts
    .map((part) => partWith(part, keywords, resolver, depth + 1))
    .filter((part) => Object.keys(part).length > 0);
  const [first, second] = having;
  return first !== undefined && second === undefined ? first : {};
}
