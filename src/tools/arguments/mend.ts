/** Mends what models get wrong about arguments, where the schema leaves no doubt about what is meant. */

import { isWithinDepth } from '../../lib/content/json.ts';
import { formatPath, type Path } from '../../lib/issues.ts';
import {
  ANY,
  ARRAY,
  BOOLEAN,
  FRACTION,
  INTEGER,
  NULL,
  OBJECT,
  readerOf,
  type SchemaReader,
  STRING,
  typeOf,
} from '../../lib/json-schema/types-of.ts';
import type { InputChange, JsonSchema } from '../../types.ts';
import { isRequired, type Lookup, schemaOfItem, schemaOfProperty } from './places.ts';

type Input = Readonly<Record<string, unknown>>;

export interface Mended {
  /** The given one where nothing was changed. */
  readonly value: unknown;
  readonly changes: readonly InputChange[];
}

/** Deeper than this nothing is looked at. */
const MAX_DEPTH = 64;
/** Values that are looked at. */
const MAX_VALUES = 50_000;
/** Schemas that are looked at for them. */
const MAX_STEPS = 200_000;
/** Texts of more characters are data, not a slip. */
const LONGEST_TEXT = 1_000_000;
/** A number with so many digits is read without loss. */
const EXACT_DIGITS = 15;

/**
 * A copy in which `null` for an optional property that may not be null is gone, and JSON text where only a list, an object, a
 * number or a boolean may stand is what it says. Everything else stays, and an input that fits its schema stays as it is. The given value
 * is never changed. Keys whose value is `undefined` are left out: they would not be sent.
 *
 * @example
 * ```ts
 * mend({ limit: '10', cursor: null }, schema); // { value: { limit: 10 }, changes: [{ path: 'limit', what: 'parsed_json' }, …] }
 * ```
 */
export function mend(value: unknown, schema: JsonSchema): Mended {
  try {
    const mender = new Mender(readerOf(schema));
    return { value: mender.value(value, schema, []), changes: mender.changes };
  } catch {
    // A schema that cannot be followed costs the mending alone.
    return { value, changes: [] };
  }
}

class Mender {
  readonly changes: InputChange[] = [];
  readonly #lookup: Lookup;
  #values = 0;

  constructor(reader: SchemaReader) {
    this.#lookup = { reader, budget: { steps: MAX_STEPS } };
  }

  value(value: unknown, schema: unknown, path: Path): unknown {
    if (path.length > MAX_DEPTH || ++this.#values > MAX_VALUES) return value;
    if (typeof value === 'string') return this.#text(value, schema, path);
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#list(value, schema, path) : this.#object(value as Input, schema, path);
  }

  #text(text: string, schema: unknown, path: Path): unknown {
    const types = schema === undefined ? ANY : this.#lookup.reader.typesOf(schema);
    if ((types & STRING) > 0) return text;
    const parsed = meant(text, types);
    if (parsed === undefined) return text;
    this.changes.push({ path: formatPath(path), what: 'parsed_json' });
    return this.value(parsed, schema, path);
  }

  #list(list: readonly unknown[], schema: unknown, path: Path): readonly unknown[] {
    const next = list.map((item, index) => this.value(item, schemaOfItem(this.#lookup, schema, index), [...path, index]));
    return next.some((item, index) => item !== list[index]) ? next : list;
  }

  #object(object: Input, schema: unknown, path: Path): Input {
    let changed = false;
    const entries: [string, unknown][] = [];
    for (const [key, value] of Object.entries(object)) {
      const inner = schemaOfProperty(this.#lookup, schema, key, object);
      const here = [...path, key];
      const dropped = value === undefined || (value === null && this.#isSlip(schema, inner, key));
      if (dropped && value === null) this.changes.push({ path: formatPath(here), what: 'dropped_null' });
      const next = dropped ? undefined : this.value(value, inner, here);
      if (!dropped) entries.push([key, next]);
      if (dropped || next !== value) changed = true;
    }
    // fromEntries rather than assignment: a property may be called `__proto__`.
    return changed ? Object.fromEntries(entries) : object;
  }

  #isSlip(schema: unknown, inner: unknown, key: string): boolean {
    if (inner === undefined || (this.#lookup.reader.typesOf(inner) & NULL) > 0) return false;
    return !isRequired(this.#lookup, schema, key);
  }
}

/** What the text says as JSON, where that is of one of these types and says all that the text does. */
function meant(text: string, types: number): unknown {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_TEXT || !isCandidate(trimmed, types)) return undefined;
  const value = parse(trimmed);
  if (value === undefined || (types & typeOf(value)) === 0 || !isWithinDepth(value, MAX_DEPTH)) return undefined;
  return typeof value === 'number' && !isExact(trimmed, value) ? undefined : value;
}

function isCandidate(text: string, types: number): boolean {
  switch (text.charAt(0)) {
    case '[':
      return (types & ARRAY) > 0;
    case '{':
      return (types & OBJECT) > 0;
    case 't':
    case 'f':
      return (types & BOOLEAN) > 0;
    case 'n':
      return (types & NULL) > 0;
    default:
      return (types & (INTEGER | FRACTION)) > 0 && /^-?\d/.test(text);
  }
}

/** A number that is too long or too large to keep all its digits stays a text; so does one that is written as nobody writes a number. */
function isExact(text: string, value: number): boolean {
  const digits = text.replace(/e.*$/i, '').replace(/\D/g, '').replace(/^0+/, '');
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : digits.length <= EXACT_DIGITS;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
