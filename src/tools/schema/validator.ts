/** Checks values against a JSON Schema, in words that hold none of the value. */

import { isRecord } from '../../lib/content/json.ts';
import { findIssues } from '../../lib/json-schema/validator.ts';
import type { JsonSchema } from '../../types.ts';

/** What is wrong with a value, in words that hold none of it; nothing where it is valid, or nobody can tell. */
export type Check = (value: unknown) => string | undefined;

/** Told at once. */
const MAX_PROBLEMS = 5;

/**
 * The check of a schema. `format` is no demand, as JSON Schema 2020-12 has it. What of a schema cannot be used (a type that is none, a
 * pattern that could stand still) demands nothing, and nothing is fetched for it.
 */
export function checkOf(schema: JsonSchema): Check {
  return demandsNothing(schema) ? () => undefined : (value) => describe(schema, value);
}

function describe(schema: JsonSchema, value: unknown): string | undefined {
  const issues = findIssues(schema, value);
  if (issues.length === 0) return undefined;
  const told = issues.slice(0, MAX_PROBLEMS).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return `${told.join('; ')}${issues.length > MAX_PROBLEMS ? `; and ${issues.length - MAX_PROBLEMS} more` : ''}`;
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
