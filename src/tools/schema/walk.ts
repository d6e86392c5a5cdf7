/** Where in a JSON Schema other schemas stand, and copying it with some of them changed. */

import { isRecord } from '../../lib/content/json.ts';

export type SchemaRecord = Readonly<Record<string, unknown>>;

/** Keywords whose value is a schema, or for `items` and `dependencies` perhaps one. */
export const ONE: ReadonlySet<string> = new Set([
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
export const LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
/** Keywords whose value is a record of schemas. */
export const RECORD: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** The schema with every schema directly in it mapped; the same object where nothing changes, so that what is fine costs no copy. */
export function mapChildren(schema: SchemaRecord, map: (child: unknown) => unknown): SchemaRecord {
  return mapValues(schema, (value, keyword) => mapKeyword(keyword, value, map));
}

/** The value of one keyword, with the schemas in it mapped. */
function mapKeyword(keyword: string, value: unknown, map: (child: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return LIST.has(keyword) ? mapList(value, map) : value;
  if (RECORD.has(keyword)) return mapValues(value as SchemaRecord, map);
  return ONE.has(keyword) ? map(value) : value;
}

export function mapList(list: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const next = list.map((item) => map(item));
  return next.some((item, index) => item !== list[index]) ? next : list;
}

/** The same record where nothing changes. A value that becomes `undefined` is left out. */
export function mapValues(record: SchemaRecord, map: (value: unknown, key: string) => unknown): SchemaRecord {
  let changes: Map<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const value = map(record[key], key);
    if (value === record[key]) continue;
    changes ??= new Map();
    changes.set(key, value);
  }
  return changes === undefined ? record : withChanges(record, changes);
}

/** A copy with some keys changed, added, or (where the value is `undefined`) left out. */
export function withChanges(record: SchemaRecord, changes: ReadonlyMap<string, unknown>): SchemaRecord {
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => [
    key,
    changes.has(key) ? changes.get(key) : value,
  ]);
  for (const [key, value] of changes) if (!Object.hasOwn(record, key)) entries.push([key, value]);
  // fromEntries rather than assignment: a property may be called `__proto__`.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The schema with a sentence more in its description. */
export function withNote(schema: SchemaRecord, note: string): SchemaRecord {
  const { description } = schema;
  if (typeof description === 'string' && description.includes(note)) return schema;
  const said = typeof description === 'string' && description !== '' ? `${description.trimEnd()} ` : '';
  return { ...schema, description: said + note };
}

/** Whether a reference (of such a kind) stands anywhere in it. */
export function hasRef(schema: unknown, isSuch: (ref: string) => boolean = () => true): boolean {
  if (!isRecord(schema)) return false;
  const { $ref, $dynamicRef } = schema;
  if (typeof $dynamicRef === 'string' || (typeof $ref === 'string' && isSuch($ref))) return true;
  const inner = (part: unknown): boolean => hasRef(part, isSuch);
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) ? LIST.has(keyword) && value.some(inner) : ONE.has(keyword) && inner(value)) return true;
    if (RECORD.has(keyword) && Object.values(value).some(inner)) return true;
  }
  return false;
}
