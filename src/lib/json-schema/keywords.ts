/** The keywords of JSON Schema, by what their value is. */

export const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object']);
export const ONE: ReadonlySet<unknown> = new Set([
  'additionalItems',
  'additionalProperties',
  'else',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
export const LIST: ReadonlySet<unknown> = new Set(['allOf', 'anyOf', 'prefixItems']);
export const RECORD: ReadonlySet<unknown> = new Set(['$defs', 'definitions', 'dependentSchemas', 'properties']);
export const COUNTS: ReadonlySet<unknown> = new Set(['maxContains', 'maxItems', 'maxLength', 'maxProperties']);
export const LEAST: ReadonlySet<unknown> = new Set(['minContains', 'minItems', 'minLength', 'minProperties']);
export const LIMITS: ReadonlySet<unknown> = new Set(['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf']);
/** They say nothing about what is valid. A format is one of them: servers disagree about what is a date, and say so themselves. */
export const NOTES: ReadonlySet<unknown> = new Set([
  '$comment',
  '$schema',
  '$vocabulary',
  'default',
  'deprecated',
  'description',
  'examples',
  'format',
  'title',
]);

export function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}
