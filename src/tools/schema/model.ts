/** From a usable schema to the one that a model gets: what its provider takes, with nothing made invalid that was valid. */

import { isRecord } from '../../lib/content/json.ts';
import { measureJson } from '../../lib/json-schema/measure.ts';
import type { JsonSchema } from '../../types.ts';
import { type PlainRules, plain } from './plain.ts';
import { createResolver, inlineRefs } from './refs.ts';
import { foldRoot } from './root.ts';
import { isSimpleSchema } from './simple.ts';
import { hasRef, mapChildren, mapValues, type SchemaRecord, withChanges, withNote } from './walk.ts';

/**
 * Whose demands a schema is made to meet. `auto`: those of all three, except that every argument keeps its name. `as-is`: nobody's.
 *
 * - `openai`: a plain object at the root; no regular expression that looks around.
 * - `anthropic`: a plain object at the root; JSON Schema 2020-12 throughout; arguments with names of `[a-zA-Z0-9_.-]{1,64}` alone.
 * - `google`: a plain object at the root; no references; only texts enumerated.
 */
export type SchemaProfile = 'auto' | 'openai' | 'anthropic' | 'google' | 'as-is';

interface Rules extends PlainRules {
  readonly refs: boolean;
  readonly anyName: boolean;
}

const RULES: Readonly<Record<Exclude<SchemaProfile, 'as-is'>, Rules>> = {
  auto: { refs: false, anyName: true, textEnums: true, lookaround: false },
  openai: { refs: true, anyName: true, textEnums: false, lookaround: false },
  anthropic: { refs: true, anyName: false, textEnums: false, lookaround: true },
  google: { refs: false, anyName: true, textEnums: true, lookaround: true },
};

/** Before and after references are followed. What is larger costs more in each prompt than most models have room for. */
const LIMITS = { values: 20_000, depth: 160, characters: 200_000 } as const;

const TOO_LARGE = `is larger than ${LIMITS.values} values, ${LIMITS.characters} characters or ${LIMITS.depth} levels`;

/** Made once for each schema: listings are turned into records again and again. */
const made: Readonly<Record<Exclude<SchemaProfile, 'as-is'>, WeakMap<JsonSchema, ModelSchema>>> = {
  auto: new WeakMap(),
  openai: new WeakMap(),
  anthropic: new WeakMap(),
  google: new WeakMap(),
};

export type ModelSchema = { readonly schema: JsonSchema } | { readonly problem: string };

/**
 * The schema for a model, or why there can be none. `schema` is one that `toInputSchema` has read; it is never changed, and comes back
 * as it is where nothing has to be done. The result of it is the same again.
 *
 * @example
 * ```ts
 * toModelSchema({ type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, 'auto');
 * ```
 */
export function toModelSchema(schema: JsonSchema, profile: SchemaProfile): ModelSchema {
  if (profile === 'as-is' || isSimpleSchema(schema)) return { schema };
  const known = made[profile].get(schema);
  if (known !== undefined) return known;
  const result = make(schema, RULES[profile]);
  made[profile].set(schema, result);
  return result;
}

function make(schema: JsonSchema, rules: Rules): ModelSchema {
  // First of all: what follows takes time that grows with it.
  if (measureJson(schema, LIMITS) === undefined) return { problem: `its inputSchema ${TOO_LARGE}` };
  const isRootRule = ['$ref', 'allOf', 'anyOf', 'oneOf', 'then', 'else', 'dependentSchemas'].some((keyword) =>
    Object.hasOwn(schema, keyword),
  );
  // What points below a root that is folded, or elsewhere, would point nowhere.
  const keeps = rules.refs && !isRootRule;
  const resolver = createResolver(schema);
  const isInPlace = (ref: string): boolean => /^#\/(?:\$defs|definitions)\//.test(ref) && resolver.find(ref) !== undefined;
  const inlined = hasRef(schema, (ref) => !keeps || !isInPlace(ref)) ? inlineRefs(schema) : schema;
  const folded = rooted(foldRoot(everywhere(inlined, rules) as SchemaRecord, resolver));
  const named = rules.anyName ? folded : withPlainNames(folded);
  if (named === undefined)
    return { problem: 'a required argument has a name that some providers refuse (letters, digits, _ . - and at most 64)' };
  if (named === schema) return { schema };
  if (measureJson(named, LIMITS) === undefined)
    return { problem: `its inputSchema, once its references are followed, ${TOO_LARGE}` };
  return { schema: named };
}

/** What a root pointed to need be no object. */
function rooted(root: SchemaRecord): SchemaRecord {
  if (root.type === 'object' && isRecord(root.properties)) return root;
  return { ...root, type: 'object', properties: isRecord(root.properties) ? root.properties : {} };
}

function everywhere(schema: unknown, rules: Rules): unknown {
  if (!isRecord(schema)) return schema;
  return mapChildren(plain(schema, rules), (child) => everywhere(child, rules));
}

/** Optional arguments of another name go, since a model could not give them; nothing where a required one is among them. */
function withPlainNames(root: SchemaRecord): SchemaRecord | undefined {
  const { properties } = root;
  if (!isRecord(properties)) return root;
  const odd = Object.keys(properties).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  if (odd.length === 0) return root;
  if (Array.isArray(root.required) && odd.some((name) => (root.required as readonly unknown[]).includes(name))) return undefined;
  const kept = mapValues(properties, (schema, name) => (odd.includes(name) ? undefined : schema));
  const changed = withChanges(
    root,
    new Map<string, unknown>([
      ['properties', kept],
      ...(root.additionalProperties === false ? [['additionalProperties', undefined] as const] : []),
    ]),
  );
  return withNote(changed, `Not described here: ${odd.map((name) => JSON.stringify(name)).join(', ')}.`);
}
