/** Checks values against a JSON Schema, without making code: for edge runtimes, and for schemas that strangers wrote. */

import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { isRecord } from '../../lib/content/json.ts';
import type { JsonSchema } from '../../types.ts';
import { mapChildren } from './walk.ts';

/** What is wrong with a value, in words that hold none of it; nothing where it is valid, or nobody can tell. */
export type Check = (value: unknown) => string | undefined;

/** Deeper, or of more parts than this, no value is looked at. */
const MAX_DEPTH = 200;
const MAX_PARTS = 20_000;
/** Told at once. */
const MAX_PROBLEMS = 5;

const checks = new WeakMap<JsonSchema, Check>();

/**
 * The check of a schema, made when it is first used. `format` is no demand, as JSON Schema 2020-12 has it. A schema that cannot be used (a
 * reference to nothing, a pattern that is none) demands nothing, and nothing is fetched for it.
 */
export function checkOf(schema: JsonSchema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const check = demandsNothing(schema) ? () => undefined : createCheck(schema);
  checks.set(schema, check);
  return check;
}

function createCheck(schema: JsonSchema): Check {
  let validator: Validator | undefined;
  let unusable = false;
  return (value) => {
    if (unusable) return undefined;
    try {
      validator ??= new Validator(demandsOf(schema) as JsonSchema, draftOf(schema), false);
      const count = { left: MAX_PARTS };
      const { valid, errors } = validator.validate(bare(value, MAX_DEPTH, count));
      return valid ? undefined : describe(errors);
    } catch (error) {
      if (error instanceof TooLarge) return undefined;
      unusable = true;
      return undefined;
    }
  };
}

function demandsNothing({ type, properties, ...rest }: JsonSchema): boolean {
  const free = Object.keys(rest).every((keyword) =>
    ['$schema', 'description', 'title', 'additionalProperties'].includes(keyword),
  );
  return (
    free &&
    type === 'object' &&
    rest.additionalProperties !== false &&
    !isRecord(rest.additionalProperties) &&
    isRecord(properties) &&
    Object.keys(properties).length === 0
  );
}

/** Without what is no demand, and with what OpenAPI means by `nullable`. */
function demandsOf(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { format, nullable, ...rest } = schema;
  const demands = mapChildren(typeof format === 'string' || typeof nullable === 'boolean' ? rest : schema, demandsOf);
  return nullable === true ? { anyOf: [demands, { type: 'null' }] } : demands;
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  if (typeof $schema !== 'string') return '2020-12';
  if (/draft-0[34]/.test($schema)) return '4';
  if (/draft-0[67]/.test($schema)) return '7';
  return $schema.includes('2019-09') ? '2019-09' : '2020-12';
}

class TooLarge extends Error {}

/** A copy without prototypes, whose names (`constructor`) the validator would take for properties. */
function bare(value: unknown, depth: number, count: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0 || --count.left < 0) throw new TooLarge();
  if (Array.isArray(value)) return value.map((item) => bare(item, depth - 1, count));
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = bare((value as Record<string, unknown>)[key], depth - 1, count);
  return copy;
}

/** Those that say only that something further in is wrong. */
const OUTER: ReadonlySet<string> = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'else',
  'items',
  'prefixItems',
  'properties',
  'then',
]);

function describe(errors: readonly OutputUnit[]): string {
  const inner = errors.filter(({ keyword, error }) => !OUTER.has(keyword) || error.includes('additional'));
  const told = (inner.length > 0 ? inner : errors).map(
    ({ instanceLocation, error }) => `${pathOf(instanceLocation)}${wordsOf(error)}`,
  );
  const distinct = [...new Set(told)];
  const more = distinct.length > MAX_PROBLEMS ? `; and ${distinct.length - MAX_PROBLEMS} more` : '';
  return distinct.slice(0, MAX_PROBLEMS).join('; ') + more;
}

function pathOf(pointer: string): string {
  const path = pointer.replace(/^#\/?/, '').replaceAll('/', '.').slice(0, 200);
  return path === '' ? '' : `${path}: `;
}

/** A number may stand in front. */
function wordsOf(error: string): string {
  return error.replace(/^-?[\d.]+(?:e[+-]?\d+)? is /, 'it is ').slice(0, 300);
}
