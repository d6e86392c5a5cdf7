/** Reads a model's arguments as they were meant: only where the schema leaves no doubt, and never by guessing a value. */

import { isRecord } from '../../lib/content/json.ts';
import { formatPath, type Path } from '../../lib/issues.ts';
import type { InputChange, JsonSchema } from '../../types.ts';
import { createReader, kindOf, type Reader } from './kinds.ts';

/** Deeper than this, arguments stay as they are. */
const MAX_DEPTH = 64;

export interface Mended {
  readonly value: unknown;
  readonly changes: readonly InputChange[];
}

/**
 * A copy in which a `null` for an optional property that takes none is left out, and JSON text is read where the schema asks for an
 * array, an object, a number or a boolean and takes no text. The same value where nothing is to be mended.
 */
export function mend(value: unknown, schema: JsonSchema): Mended {
  const changes: InputChange[] = [];
  const reader = createReader(schema);
  return { value: mendValue(value, schema, [], { reader, changes }), changes };
}

interface Work {
  readonly reader: Reader;
  readonly changes: InputChange[];
}

function mendValue(value: unknown, schema: unknown, path: Path, work: Work): unknown {
  if (path.length > MAX_DEPTH) return value;
  if (typeof value === 'string') return mendText(value, schema, path, work);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => mendValue(item, work.reader.itemOf(schema, index), [...path, index], work));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isRecord(value) ? mendObject(value, schema, path, work) : value;
}

function mendText(text: string, schema: unknown, path: Path, work: Work): unknown {
  // The first character tells most texts from JSON at no cost.
  if (!isRecord(schema) || !/^\s*[[{\-\dtfn]/.test(text)) return text;
  const kinds = work.reader.kindsOf(schema);
  if (kinds.has('string')) return text;
  const read = parse(text);
  const kind = kindOf(read);
  if (kind === undefined || kind === 'string' || !kinds.has(kind) || !isSafe(read)) return text;
  work.changes.push({ path: formatPath(path), what: 'parsed_json' });
  return mendValue(read, schema, path, work);
}

function mendObject(value: Readonly<Record<string, unknown>>, schema: unknown, path: Path, work: Work): unknown {
  let changed = false;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const property = work.reader.propertyOf(schema, key);
    if (property === undefined) return [[key, inner]];
    const at = [...path, key];
    if (inner === null && !property.required && !work.reader.kindsOf(property.schema).has('null')) {
      work.changes.push({ path: formatPath(at), what: 'dropped_null' });
      changed = true;
      return [];
    }
    const next = mendValue(inner, property.schema, at, work);
    changed ||= next !== inner;
    return [[key, next]];
  });
  // fromEntries rather than assignment: an argument may be called `__proto__`.
  return changed ? Object.fromEntries(entries) : value;
}

/** A number that JavaScript cannot hold would come out as another one. */
function isSafe(value: unknown): boolean {
  return typeof value !== 'number' || (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)));
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
