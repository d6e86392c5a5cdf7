/** Makes one plain object of a root that is a choice between several, or a sum of them: most providers refuse any other root. */

import { isRecord, jsonText } from '../../lib/content/json.ts';
import type { Resolver } from './refs.ts';
import { type SchemaRecord, withNote } from './walk.ts';

/** What no provider takes at the root, and what only says something together with it. */
const RULES = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'enum', 'const', 'dependentSchemas'] as const;
/** Longer than this, the rule is told by the names that it asks for. */
const LONGEST_RULE = 600;
const MAX_NESTED = 8;

/** An object's arguments, as far as one part of a schema tells of them. */
interface Shape {
  readonly properties: ReadonlyMap<string, Property>;
  readonly required: ReadonlySet<string>;
  /** Whether there may be no others. */
  readonly closed: boolean;
}

interface Property {
  readonly schema: unknown;
  /** Whether it is so in some alternatives only. */
  readonly partly: boolean;
}

const ANYTHING: Shape = { properties: new Map(), required: new Set(), closed: false };

/**
 * The root with the arguments of all its parts. Those that every alternative requires stay required; the rule itself goes into the
 * description. What is valid stays valid, where an argument that only some alternatives name means in the others what it means in those.
 * The same object where the root is plain already.
 */
export function foldRoot(root: SchemaRecord, resolver: Resolver): SchemaRecord {
  if (!RULES.some((keyword) => Object.hasOwn(root, keyword))) return root;
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas, ...rest } = root;
  const { enum: values, const: value, ...plain } = rest;
  const { properties, required, closed } = shapeOf(root, resolver, 0);
  const { additionalProperties, required: _, ...kept } = plain;
  const folded: Record<string, unknown> = { ...kept, type: 'object', properties: toProperties(properties) };
  if (required.size > 0) folded.required = [...required];
  if (closed) folded.additionalProperties = false;
  else if (additionalProperties !== undefined && additionalProperties !== false)
    folded.additionalProperties = additionalProperties;
  const rule = ruleOf(root, resolver);
  return rule === undefined ? folded : withNote(folded, rule);
}

function shapeOf(schema: unknown, resolver: Resolver, depth: number): Shape {
  if (!isRecord(schema) || depth > MAX_NESTED) return ANYTHING;
  const inner = (part: unknown): Shape => shapeOf(part, resolver, depth + 1);
  const { $ref, allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas } = schema;
  const parts: Shape[] = [ownShape(schema)];
  if (typeof $ref === 'string') parts.push(inner(resolver.find($ref)));
  if (Array.isArray(allOf)) parts.push(...allOf.map(inner));
  for (const choice of [anyOf, oneOf]) if (Array.isArray(choice)) parts.push(oneOfThem(choice.filter(mayBeObject).map(inner)));
  for (const perhaps of [then, otherwise, ...(isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [])]) {
    parts.push(oneOfThem([inner(perhaps), ANYTHING]));
  }
  return allOfThem(parts);
}

function ownShape({ properties, required, additionalProperties, patternProperties }: SchemaRecord): Shape {
  const entries = isRecord(properties) ? Object.entries(properties) : [];
  return {
    properties: new Map(entries.map(([name, schema]) => [name, { schema, partly: false }])),
    required: new Set(Array.isArray(required) ? required : []),
    closed: additionalProperties === false && patternProperties === undefined,
  };
}

function allOfThem(parts: readonly Shape[]): Shape {
  const properties = joined(parts, (found) => {
    // What holds in every case says what it is; what holds in some is in the rule.
    const always = found.filter(({ partly }) => !partly);
    const schemas = distinct(always.length > 0 ? always : found);
    return { schema: schemas.length === 1 ? schemas[0] : { allOf: schemas }, partly: always.length === 0 };
  });
  return {
    properties,
    required: new Set(parts.flatMap(({ required }) => [...required])),
    // What one part forbids it may forbid because another one names it: the others' names count as known.
    closed: parts.some(({ closed }) => closed),
  };
}

function oneOfThem(parts: readonly Shape[]): Shape {
  const [first, ...others] = parts;
  if (first === undefined) return ANYTHING;
  const properties = joined(parts, (found) => {
    const schemas = distinct(found);
    const partly = found.length < parts.length || found.some((one) => one.partly);
    return { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas }, partly };
  });
  return {
    properties,
    required: new Set([...first.required].filter((name) => others.every(({ required }) => required.has(name)))),
    closed: parts.every(({ closed }) => closed),
  };
}

/** Each name with what the parts that have it make of it together. */
function joined(parts: readonly Shape[], join: (found: readonly Property[]) => Property): Map<string, Property> {
  const all = new Map<string, Property[]>();
  for (const { properties } of parts) {
    for (const [name, property] of properties) {
      const found = all.get(name);
      if (found === undefined) all.set(name, [property]);
      else found.push(property);
    }
  }
  return new Map([...all].map(([name, found]) => [name, join(found)]));
}

/** Told apart by how they are written, which costs no more than reading them. */
function distinct(properties: readonly Property[]): unknown[] {
  return [...new Map(properties.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
}

function toProperties(properties: ReadonlyMap<string, Property>): SchemaRecord {
  return Object.fromEntries([...properties].map(([name, { schema }]) => [name, schema]));
}

function mayBeObject(schema: unknown): boolean {
  if (!isRecord(schema)) return schema === true;
  const { type } = schema;
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** The rule in words: as JSON Schema, which models read, or by the names of each alternative. */
function ruleOf(root: SchemaRecord, resolver: Resolver): string | undefined {
  const rule = Object.fromEntries(
    RULES.filter((keyword) => keyword !== '$ref' && keyword !== 'allOf').flatMap((keyword) =>
      Object.hasOwn(root, keyword) ? [[keyword, root[keyword]]] : [],
    ),
  );
  if (Object.keys(rule).length === 0) return undefined;
  const choice = [root.anyOf, root.oneOf].find(Array.isArray);
  const names = choice?.map((part) => [...shapeOf(part, resolver, 1).required].join(', '));
  const plainly = names?.every((each) => each !== '') && Object.keys(rule).length === 1;
  if (plainly)
    return `Give ${root.oneOf === undefined ? 'at least' : 'exactly'} one of these sets of arguments: ${names?.map((each) => `(${each})`).join(' or ')}.`;
  const text = jsonText(rule);
  return text.length > LONGEST_RULE
    ? 'Not every combination of these arguments is valid.'
    : `The arguments must also match this JSON Schema: ${text}`;
}
