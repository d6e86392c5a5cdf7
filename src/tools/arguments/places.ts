/** Which schema stands for a part of a value: a property of an object, an item of a list. */

import { isRecord } from '../../lib/content/json.ts';
import { ARRAY, OBJECT, type SchemaReader } from '../../lib/json-schema/types-of.ts';

/** References and unions followed at one place, one within the other. */
const MAX_NESTING = 32;

/** Steps that are left for one input: references may double at each. Without any, nothing is known of a part. */
export interface Budget {
  steps: number;
}

/** Where one looks. */
export interface Lookup {
  readonly reader: SchemaReader;
  readonly budget: Budget;
}

type Json = Record<string, unknown>;
/** What one schema says of a part, its unions and references apart. */
type Own = (schema: Json) => unknown;

/** All that is said of a property; nothing where it is not declared, or may be anything. */
export function schemaOfProperty(lookup: Lookup, schema: unknown, key: string, whole: Json): unknown {
  const own: Own = ({ properties }) => (isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined);
  const { reader } = lookup;
  const fits = (branch: unknown): boolean => (reader.typesOf(branch) & OBJECT) > 0 && !isOtherKind(reader, branch, whole);
  return collect(lookup, schema, own, fits, 0);
}

/** The same for an item of a list. */
export function schemaOfItem(lookup: Lookup, schema: unknown, index: number): unknown {
  const own: Own = ({ prefixItems, items, additionalItems }) => {
    const list = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    return index < list.length ? list[index] : Array.isArray(items) ? additionalItems : items;
  };
  return collect(lookup, schema, own, (branch) => (lookup.reader.typesOf(branch) & ARRAY) > 0, 0);
}

/** Whether an object without that property is surely wrong. */
export function isRequired(lookup: Lookup, schema: unknown, key: string, nesting = 0): boolean {
  const { reader } = lookup;
  if (!isRecord(schema) || nesting > MAX_NESTING || !mayStep(lookup)) return false;
  const { required, $ref, allOf } = reader.keywords(schema);
  if (Array.isArray(required) && required.includes(key)) return true;
  const parts = [...($ref === undefined ? [] : [reader.follow($ref)]), ...(Array.isArray(allOf) ? allOf : [])];
  return parts.some((part) => isRequired(lookup, part, key, nesting + 1));
}

function collect(lookup: Lookup, schema: unknown, own: Own, fits: (branch: unknown) => boolean, nesting: number): unknown {
  const { reader } = lookup;
  if (!isRecord(schema) || nesting > MAX_NESTING || !mayStep(lookup)) return undefined;
  const keywords = reader.keywords(schema);
  const { $ref, allOf, anyOf, oneOf } = keywords;
  const inner = (part: unknown): unknown => collect(lookup, part, own, fits, nesting + 1);
  const parts = [own(keywords)];
  if ($ref !== undefined) parts.push(inner(reader.follow($ref)));
  if (Array.isArray(allOf)) parts.push(...allOf.map(inner));
  for (const union of [anyOf, oneOf]) if (Array.isArray(union)) parts.push(joined(union, inner, fits));
  const said = parts.filter((part) => part !== undefined && part !== true);
  return said.length > 1 ? { allOf: said } : said[0];
}

function mayStep({ budget }: Lookup): boolean {
  return budget.steps-- > 0;
}

/** What a union says of a part: nothing where one of its branches says nothing. */
function joined(union: readonly unknown[], inner: (branch: unknown) => unknown, fits: (branch: unknown) => boolean): unknown {
  const fitting = union.filter(fits);
  const branches = (fitting.length > 0 ? fitting : union).map(inner);
  if (branches.length === 0 || branches.some((branch) => branch === undefined || branch === true)) return undefined;
  return branches.length > 1 ? { anyOf: branches } : branches[0];
}

/** Whether a constant in the branch says that it is not the one that the value is of. */
function isOtherKind(reader: SchemaReader, branch: unknown, whole: Json): boolean {
  const schema = isRecord(branch) && branch.$ref !== undefined ? reader.follow(branch.$ref) : branch;
  if (!isRecord(schema) || !isRecord(schema.properties)) return false;
  return Object.entries(schema.properties).some(([key, property]) => {
    if (!isRecord(property) || !Object.hasOwn(whole, key) || typeof whole[key] === 'object') return false;
    const allowed = property.const === undefined ? property.enum : [property.const];
    return Array.isArray(allowed) && !allowed.includes(whole[key]);
  });
}
