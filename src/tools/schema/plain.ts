/** One schema in words that every provider of a profile takes; the schemas in it are seen to by the caller. */

import { isRecord } from '../../lib/content/json.ts';
import { type SchemaRecord, withChanges, withNote } from './walk.ts';

export interface PlainRules {
  /** Whether only texts may be enumerated. */
  readonly textEnums: boolean;
  /** Whether patterns may look ahead and behind. */
  readonly lookaround: boolean;
}

/** Names of a schema itself, which mean nothing to a model. */
const NAMES = ['$schema', '$id', 'id', '$comment', '$vocabulary'] as const;
const OLD = ['dependencies', 'nullable', 'additionalItems', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** The same object where nothing is to be changed. */
export function plain(schema: SchemaRecord, rules: PlainRules): SchemaRecord {
  let next = schema;
  if (OLD.some((keyword) => Object.hasOwn(next, keyword)) || Array.isArray(next.items)) next = raised(next);
  if (NAMES.some((keyword) => typeof next[keyword] === 'string')) next = without(next, NAMES);
  if (typeof next.pattern === 'string' && !isPlainPattern(next.pattern, rules.lookaround)) {
    next = withNote(without(next, ['pattern']), `It must match the regular expression ${next.pattern}`);
  }
  if (rules.textEnums && (Array.isArray(next.enum) || Object.hasOwn(next, 'const'))) next = withTextEnum(next);
  return next;
}

/** From the words of older drafts, and of OpenAPI, to those of 2020-12. */
function raised(schema: SchemaRecord): SchemaRecord {
  const changes = new Map<string, unknown>();
  const { items, additionalItems, dependencies, nullable, type } = schema;
  if (Array.isArray(items)) changes.set('prefixItems', items).set('items', additionalItems);
  if (additionalItems !== undefined) changes.set('additionalItems', undefined);
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue;
    const strict = schema[exclusive] === true && typeof schema[limit] === 'number';
    changes.set(exclusive, strict ? schema[limit] : undefined);
    if (strict) changes.set(limit, undefined);
  }
  if (isRecord(dependencies)) {
    const entries = Object.entries(dependencies);
    const lists = entries.filter(([, value]) => Array.isArray(value));
    const schemas = entries.filter(([, value]) => !Array.isArray(value));
    changes.set('dependencies', undefined);
    if (lists.length > 0) changes.set('dependentRequired', Object.fromEntries(lists));
    if (schemas.length > 0) changes.set('dependentSchemas', Object.fromEntries(schemas));
  }
  if (nullable !== undefined) changes.set('nullable', undefined);
  if (nullable === true && typeof type === 'string' && type !== 'null') changes.set('type', [type, 'null']);
  if (nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) changes.set('enum', [...schema.enum, null]);
  return changes.size === 0 ? schema : withChanges(schema, changes);
}

/** Those that say something else than texts are told in words. */
function withTextEnum(schema: SchemaRecord): SchemaRecord {
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === values.length) return schema;
  const type = schema.type ?? typeOf(values);
  const open = without(schema, ['enum', 'const']);
  const told = values.map((value) => JSON.stringify(value)).join(', ');
  return withNote(type === undefined ? open : { ...open, type }, values.length === 1 ? `Always ${told}.` : `One of: ${told}.`);
}

function typeOf(values: readonly unknown[]): unknown {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  const known = types.every((type) => ['null', 'string', 'number', 'boolean'].includes(type));
  return known ? (types.length === 1 ? types[0] : types) : undefined;
}

function isPlainPattern(pattern: string, lookaround: boolean): boolean {
  if (!lookaround && /\(\?(?:[=!]|<[=!])/.test(pattern)) return false;
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function without(schema: SchemaRecord, keywords: readonly string[]): SchemaRecord {
  // Their values may be properties of that name only inside `properties`, where this never looks.
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}
