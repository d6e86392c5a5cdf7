/** Tells a schema that every provider takes as it is, in one walk: most are such, and servers may list thousands. */

import { hasInvisible } from '../../lib/content/invisible.ts';

const TYPES: ReadonlySet<unknown> = new Set(['boolean', 'integer', 'null', 'number', 'string']);
/** What providers take at the root. */
const ROOT: ReadonlySet<string> = new Set(['type', 'properties', 'required', 'description', 'title', 'additionalProperties']);
const MAX_DEPTH = 20;
const MAX_VALUES = 2_000;
const MAX_CHARACTERS = 50_000;
const MAX_REQUIRED = 100;

/** A schema is not changed once it has been read, and is asked about again for each record. */
const known = new WeakSet<object>();

interface Count {
  values: number;
  characters: number;
}

/**
 * Whether it is an object schema of plain properties, in the commonest words of JSON Schema alone, with nothing hidden in its texts. Such a
 * schema is what `toInputSchema`, `toModelSchema` and the stripping of texts would give back as it is, whatever the profile; of any other
 * this says nothing.
 */
export function isSimpleSchema(schema: unknown): schema is Readonly<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null) return false;
  if (known.has(schema)) return true;
  const isPlainRoot =
    (schema as { type?: unknown }).type === 'object' && Object.keys(schema).every((keyword) => ROOT.has(keyword));
  const simple = isPlainRoot && isSimple(schema, 0, { values: 0, characters: 0 });
  if (simple) known.add(schema);
  return simple;
}

function isSimple(schema: unknown, depth: number, count: Count): boolean {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  if (depth > MAX_DEPTH || ++count.values > MAX_VALUES) return false;
  const { type, properties, items } = schema as Record<string, unknown>;
  if (type === 'object' ? properties === undefined : type === 'array' ? items === undefined : !TYPES.has(type)) return false;
  for (const keyword of Object.keys(schema)) {
    if (!isSimpleKeyword(keyword, (schema as Record<string, unknown>)[keyword], depth, count)) return false;
  }
  return true;
}

function isSimpleKeyword(keyword: string, value: unknown, depth: number, count: Count): boolean {
  switch (keyword) {
    case 'type':
      return true;
    case 'description':
    case 'title':
      return isSimpleText(value, count) && !hasInvisible(value);
    case 'format':
      return isSimpleText(value, count);
    case 'properties':
      return areSimple(value, depth, count);
    case 'items':
      return isSimple(value, depth + 1, count);
    case 'required':
      return isSimpleList(value, count) && (value.length < 2 || new Set(value).size === value.length);
    case 'enum':
      return isSimpleList(value, count) && value.length > 0;
    case 'additionalProperties':
      return typeof value === 'boolean';
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' && Number.isFinite(value);
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case 'default':
      return typeof value === 'boolean' || typeof value === 'number' || isSimpleText(value, count);
    default:
      return false;
  }
}

function areSimple(properties: unknown, depth: number, count: Count): boolean {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return false;
  for (const name of Object.keys(properties)) {
    // Other names are refused by one of the providers.
    if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) return false;
    if (!isSimple((properties as Record<string, unknown>)[name], depth + 1, count)) return false;
  }
  return true;
}

function isSimpleText(value: unknown, count: Count): value is string {
  if (typeof value !== 'string') return false;
  count.characters += value.length;
  return count.characters <= MAX_CHARACTERS;
}

function isSimpleList(value: unknown, count: Count): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_REQUIRED && value.every((each) => isSimpleText(each, count));
}
