/** A schema as a validator may run it: a copy that refuses nothing for a mistake of the schema itself. */

import { isRecord } from '../content/json.ts';
import { COUNTS, isFilled, isText, isTexts, LEAST, LIMITS, LIST, NOTES, ONE, RECORD, TYPES } from './keywords.ts';
import { isSafePattern } from './pattern.ts';

type Json = Record<string, unknown>;

/** A copy of a schema, and how large it is. */
export interface LenientSchema {
  readonly schema: Json;
  readonly nodes: number;
}

const MAX_NODES = 20_000;
const MAX_DEPTH = 200;

/**
 * Copies the schema, because the validator writes into it, and leaves out what it cannot or should not run: keywords of a wrong type,
 * types that are none, patterns that could stand still. `light` leaves out everything whose cost grows faster than the value. What is
 * valid stays valid: where a part under `not`, `if`, `oneOf` or `maxContains` would have become looser, that keyword goes too.
 *
 * Throws where it cannot: schemas without end, and looseness that cannot be followed.
 */
export function toLenientSchema(schema: object, light: boolean): LenientSchema {
  const copier = new Copier(light);
  const copy = copier.copy(schema, 0);
  if (!isRecord(copy)) throw new Error('the schema is no object');
  // What a reference or an unevaluated keyword reaches is not followed here.
  if (copier.loosened && copier.entangled) throw new Error('the schema cannot be judged');
  return { schema: copy, nodes: copier.nodes };
}

class Copier {
  nodes = 0;
  /** Something was left out, so the copy allows more. */
  loosened = false;
  /** There is a place where allowing more elsewhere would allow less. */
  entangled = false;
  readonly #light: boolean;
  #negative = 0;

  constructor(light: boolean) {
    this.#light = light;
  }

  copy(schema: unknown, depth: number): unknown {
    if (typeof schema === 'boolean') return schema;
    if (!isRecord(schema)) return this.#leaveOut() ?? true;
    if (++this.nodes > MAX_NODES || depth > MAX_DEPTH) throw new Error('the schema is too large');
    const copy: Json = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (NOTES.has(keyword)) continue;
      const next = this.#keyword(keyword, value, depth + 1);
      if (next !== undefined) define(copy, keyword, next);
    }
    this.#raise(copy, schema);
    this.#negations(copy, schema, depth + 1);
    return copy;
  }

  /** The value of a keyword, or nothing where it is left out. */
  #keyword(keyword: string, value: unknown, depth: number): unknown {
    if (LIMITS.has(keyword)) {
      const fits = typeof value === 'number' && (keyword !== 'multipleOf' || value > 0);
      // An exclusive limit was a flag once.
      return fits ? value : typeof value === 'boolean' ? undefined : this.#leaveOut();
    }
    if (COUNTS.has(keyword) || LEAST.has(keyword)) return typeof value === 'number' ? value : this.#leaveOut();
    if (ONE.has(keyword)) return this.copy(value, depth);
    if (LIST.has(keyword)) return this.#list(value, depth);
    if (RECORD.has(keyword)) return this.#record(value, depth);
    switch (keyword) {
      case 'type':
        return isFilled([value].flat()) && [value].flat().every((type) => TYPES.has(type)) ? value : this.#leaveOut();
      case 'enum':
        return isFilled(value) ? value : this.#leaveOut();
      case 'required':
        return isTexts(value) ? value : this.#leaveOut();
      case 'const':
      case 'nullable':
        return value;
      case 'pattern':
        return !this.#light && typeof value === 'string' && isSafePattern(value) ? value : this.#leaveOut();
      case 'uniqueItems':
        return value === true && !this.#light ? true : this.#leaveOut();
      case 'items':
        return Array.isArray(value) ? this.#list(value, depth) : this.copy(value, depth);
      case 'patternProperties':
        return this.#patterns(value, depth);
      case 'dependentRequired':
        return isRecord(value) && Object.values(value).every(isTexts) ? value : this.#leaveOut();
      case 'dependencies':
        return this.#dependencies(value, depth);
      case 'contains':
      case 'if':
      case 'not':
      case 'oneOf':
      case 'id':
        return undefined;
      case '$ref':
      case '$id':
      case '$anchor':
        return this.#reference(keyword, value);
      case '$dynamicRef':
      case '$recursiveRef':
        return this.#leaveOut();
      default:
        // A reference may lead into a keyword that nobody knows.
        return isRecord(value) ? this.copy(value, depth) : undefined;
    }
  }

  #reference(keyword: string, value: unknown): unknown {
    if (typeof value !== 'string') return this.#leaveOut();
    if (keyword === '$ref' && this.#negative > 0) this.entangled = true;
    return value;
  }

  #list(value: unknown, depth: number): unknown {
    return isFilled(value) ? value.map((schema) => this.copy(schema, depth)) : this.#leaveOut();
  }

  #record(value: unknown, depth: number): unknown {
    if (!isRecord(value)) return this.#leaveOut();
    return fromEntries(Object.entries(value).map(([name, schema]) => [name, this.copy(schema, depth)]));
  }

  #patterns(value: unknown, depth: number): unknown {
    if (!isRecord(value)) return this.#leaveOut();
    const safe = Object.keys(value).filter((pattern) => !this.#light && isSafePattern(pattern));
    if (safe.length < Object.keys(value).length) this.#leaveOut();
    return fromEntries(safe.map((pattern) => [pattern, this.copy(value[pattern], depth)]));
  }

  #dependencies(value: unknown, depth: number): unknown {
    if (!isRecord(value)) return this.#leaveOut();
    return fromEntries(
      Object.entries(value).map(([name, need]) => [name, Array.isArray(need) ? need.filter(isText) : this.copy(need, depth)]),
    );
  }

  /** What older drafts and OpenAPI say in another way. */
  #raise(copy: Json, { exclusiveMinimum, exclusiveMaximum, minimum, maximum, properties, patternProperties }: Json): void {
    if (exclusiveMinimum === true && typeof minimum === 'number') copy.exclusiveMinimum = minimum;
    if (exclusiveMaximum === true && typeof maximum === 'number') copy.exclusiveMaximum = maximum;
    if (copy.nullable === true) {
      if (copy.type !== undefined) copy.type = [...new Set([copy.type, 'null'].flat())];
      if (Array.isArray(copy.enum)) copy.enum = [...copy.enum, null];
    }
    delete copy.nullable;
    // It counts only behind a list of items.
    if (!Array.isArray(copy.items)) delete copy.additionalItems;
    const lost =
      isRecord(patternProperties) && Object.keys(copy.patternProperties ?? {}).length < Object.keys(patternProperties).length;
    // What was known by a pattern or a name that is gone would be refused as unknown.
    if (lost || (properties !== undefined && copy.properties === undefined)) delete copy.additionalProperties;
    if (copy.unevaluatedProperties !== undefined || copy.unevaluatedItems !== undefined) this.entangled = true;
  }

  /** Keywords under which a looser part makes the whole stricter. */
  #negations(copy: Json, schema: Json, depth: number): void {
    if (schema.not !== undefined) this.#strictly(schema.not, depth, (part) => define(copy, 'not', part));
    if (schema.if !== undefined) {
      const kept = this.#strictly(schema.if, depth, (part) => define(copy, 'if', part));
      if (!kept) {
        delete copy.then;
        delete copy.else;
      }
    }
    if (schema.contains !== undefined) this.#contains(copy, schema, depth);
    if (schema.oneOf !== undefined) this.#oneOf(copy, schema.oneOf, depth);
  }

  #contains(copy: Json, schema: Json, depth: number): void {
    const kept = this.#strictly(schema.contains, depth, (part) => define(copy, 'contains', part));
    if (kept) return;
    delete copy.minContains;
    delete copy.maxContains;
  }

  #oneOf(copy: Json, value: unknown, depth: number): void {
    if (!isFilled(value)) return void this.#leaveOut();
    const parts: unknown[] = [];
    const exact = value.map((branch) => this.#strictly(branch, depth, (part) => parts.push(part))).every(Boolean);
    if (exact) copy.oneOf = parts;
  }

  /** Copies a part and keeps it where nothing of it was left out. */
  #strictly(value: unknown, depth: number, keep: (part: unknown) => void): boolean {
    const before = this.loosened;
    this.loosened = false;
    this.#negative++;
    const part = this.copy(value, depth);
    this.#negative--;
    const exact = !this.loosened;
    this.loosened = before || !exact;
    if (exact) keep(part);
    return exact;
  }

  #leaveOut(): undefined {
    this.loosened = true;
    return undefined;
  }
}

/** Not by assignment: a property may be called `__proto__`. */
function define(target: Json, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function fromEntries(entries: readonly (readonly [string, unknown])[]): Json {
  return Object.fromEntries(entries);
}
