/** Which JSON types a schema may allow: never fewer than it does. */

import { isRecord } from '../content/json.ts';
import { draftOf } from './validator.ts';

/** A set of JSON types, as bits. An integer is a number as well. */
export type Types = number;

export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
/** A number that is no integer. */
export const FRACTION = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const ANY = 127;

const BY_NAME: ReadonlyMap<unknown, Types> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['integer', INTEGER],
  ['number', INTEGER | FRACTION],
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
]);

/** Schemas are immutable, and each call asks. */
const readers = new WeakMap<object, SchemaReader>();

/** The reader of a whole schema. */
export function readerOf(root: object): SchemaReader {
  let reader = readers.get(root);
  if (reader === undefined) {
    reader = new SchemaReader(root);
    readers.set(root, reader);
  }
  return reader;
}

/** Reads the parts of one schema, following its local references. */
export class SchemaReader {
  readonly #root: object;
  readonly #refAlone: boolean;
  readonly #known = new WeakMap<object, Types>();

  constructor(root: object) {
    this.#root = root;
    this.#refAlone = draftOf(root) === '7';
  }

  /** The keywords that count: up to draft 7 none does beside a `$ref`. */
  keywords(schema: Record<string, unknown>): Record<string, unknown> {
    return this.#refAlone && schema.$ref !== undefined ? { $ref: schema.$ref } : schema;
  }

  /** Where a local reference leads; nothing where that is no schema of this document. */
  follow(ref: unknown): unknown {
    if (ref === '#') return this.#root;
    if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
    try {
      const parts = ref
        .slice(2)
        .split('/')
        .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
      return parts.reduce<unknown>((node, part) => {
        return typeof node === 'object' && node !== null && Object.hasOwn(node, part) ? (node as never)[part] : undefined;
      }, this.#root);
    } catch {
      return undefined;
    }
  }

  /** The types that a value may have there, as far as `type`, `enum`, `const` and the unions say. */
  typesOf(schema: unknown): Types {
    if (schema === false) return 0;
    if (!isRecord(schema)) return ANY;
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    // Who comes back here on the way knows nothing yet.
    this.#known.set(schema, ANY);
    const types = this.#read(this.keywords(schema));
    this.#known.set(schema, types);
    return types;
  }

  #read({ type, enum: values, const: value, $ref, allOf, anyOf, oneOf, nullable }: Record<string, unknown>): Types {
    let types = typesNamed(type);
    if (Array.isArray(values) && values.length > 0) types &= values.reduce<Types>((sum, each) => sum | typeOf(each), 0);
    if (nullable === true) types |= NULL;
    if (value !== undefined) types &= typeOf(value);
    if ($ref !== undefined) types &= this.typesOf(this.follow($ref));
    if (Array.isArray(allOf)) for (const each of allOf) types &= this.typesOf(each);
    for (const union of [anyOf, oneOf]) {
      if (Array.isArray(union) && union.length > 0) types &= union.reduce<Types>((sum, each) => sum | this.typesOf(each), 0);
    }
    return types;
  }
}

/** The type of a JSON value. */
export function typeOf(value: unknown): Types {
  if (value === null) return NULL;
  if (Array.isArray(value)) return ARRAY;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : FRACTION;
  if (typeof value === 'boolean') return BOOLEAN;
  return typeof value === 'string' ? STRING : OBJECT;
}

/** A name that is no type's may mean any. */
function typesNamed(type: unknown): Types {
  const names = [type].flat();
  if (type === undefined || names.length === 0) return ANY;
  return names.reduce<Types>((sum, name) => sum | (BY_NAME.get(name) ?? ANY), 0);
}
