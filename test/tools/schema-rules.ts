/** What the providers' rules say of the arguments of a tool. */

import type { JsonSchema } from '../../src/types.ts';

export const PROFILES = ['auto', 'openai', 'anthropic', 'google'] as const;

type Profile = (typeof PROFILES)[number];

/** Every schema in it, by keyword. */
export function* schemasIn(schema: unknown): Generator<Record<string, unknown>> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  yield schema as Record<string, unknown>;
  for (const [keyword, value] of Object.entries(schema)) {
    if (['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'].includes(keyword)) {
      for (const each of Object.values(value as object)) yield* schemasIn(each);
    } else if (Array.isArray(value)) {
      if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) for (const each of value) yield* schemasIn(each);
    } else if (['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'].includes(keyword)) {
      yield* schemasIn(value);
    }
  }
}

/** What a provider would refuse of it. */
export function complaints(schema: JsonSchema, profile: Profile): string[] {
  const found: string[] = [];
  if (schema.type !== 'object' || typeof schema.properties !== 'object') found.push('the root is no object');
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'enum', 'const', '$ref']) {
    if (Object.hasOwn(schema, keyword)) found.push(`${keyword} at the root`);
  }
  for (const each of schemasIn(schema)) {
    const types = [each.type].flat();
    if (types.includes('object') && each.properties === undefined) found.push('an object without properties');
    if (types.includes('array') && each.items === undefined && each.prefixItems === undefined)
      found.push('an array without items');
    if (Array.isArray(each.items) || typeof each.exclusiveMinimum === 'boolean' || each.dependencies) found.push('an old draft');
    if (profile === 'google' || profile === 'auto') {
      if (each.$ref !== undefined) found.push('a reference');
      if (Array.isArray(each.enum) && each.enum.some((value) => typeof value !== 'string'))
        found.push('an enum of other things than texts');
    }
    if (typeof each.$ref === 'string' && !each.$ref.startsWith('#/')) found.push('a reference to elsewhere');
  }
  return found;
}
