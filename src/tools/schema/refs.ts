/** Puts what a `$ref` points to in its place, for readers that follow none. */

import { isRecord } from '../../lib/content/json.ts';
import { draftOf } from '../../lib/json-schema/validator.ts';
import { mapChildren, type SchemaRecord, withNote } from './walk.ts';

/** A schema grows with each reference that is followed; past so many schemas the rest is left open. */
const MAX_SCHEMAS = 5_000;
/** References inside references. */
const MAX_NESTED = 16;

const ANNOTATIONS: ReadonlySet<string> = new Set([
  'default',
  'deprecated',
  'description',
  'examples',
  'readOnly',
  'title',
  'writeOnly',
]);

/** Finds what a local reference points to. */
export interface Resolver {
  /** Nothing where there is nothing, or it is elsewhere: what is remote is never fetched. */
  find(ref: string): unknown;
}

export function createResolver(root: SchemaRecord): Resolver {
  let anchors: ReadonlyMap<string, unknown> | undefined;
  return {
    find(ref) {
      if (ref === '#') return root;
      if (ref.startsWith('#/')) return follow(root, ref.slice(2).split('/'));
      if (!ref.startsWith('#')) return undefined;
      anchors ??= anchorsIn(root);
      return anchors.get(ref.slice(1));
    },
  };
}

/**
 * The schema without references. Recursion, what points nowhere and what points elsewhere become open: an object or a list of anything
 * where that much is known. Every valid value stays valid.
 */
export function inlineRefs(root: SchemaRecord): SchemaRecord {
  const resolver = createResolver(root);
  let left = MAX_SCHEMAS;

  function inline(schema: unknown, following: readonly string[]): unknown {
    if (!isRecord(schema)) return schema;
    if (--left < 0) return open(schema);
    const { $ref, $dynamicRef, ...siblings } = schema;
    const ref = $ref ?? $dynamicRef;
    if (typeof ref !== 'string') return mapChildren(schema, (child) => inline(child, following));
    const target = resolver.find(ref);
    const isEndless = following.includes(ref) || following.length >= MAX_NESTED;
    if (isEndless || target === undefined)
      return mapChildren({ ...open(target), ...said(siblings) }, (child) => inline(child, following));
    const found = inline(target, [...following, ref]);
    return together(found, inline(siblings, following) as SchemaRecord, draftOf(root) === '7');
  }

  const whole = inline(root, ['#']) as SchemaRecord;
  const { $defs, definitions, ...rest } = whole;
  return rest;
}

/** What stands beside a reference counts as well, since draft 2019-09; before, only what it says to people. */
function together(target: unknown, siblings: SchemaRecord, old: boolean): unknown {
  if (target === false) return false;
  const found: SchemaRecord = isRecord(target) ? target : {};
  const { $defs, definitions, ...own } = siblings;
  const beside = old ? said(own) : own;
  const free = Object.keys(beside).every((keyword) => ANNOTATIONS.has(keyword) || !Object.hasOwn(found, keyword));
  return free ? { ...found, ...beside } : { ...said(beside), allOf: [found, beside] };
}

function said(schema: SchemaRecord): SchemaRecord {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => ANNOTATIONS.has(keyword)));
}

/** What is known of a schema that cannot be shown: its type. */
function open(target: unknown): SchemaRecord {
  const type = isRecord(target) ? target.type : undefined;
  if (type === 'object') return withNote({ type, properties: {} }, 'Nested as above.');
  if (type === 'array') return withNote({ type, items: {} }, 'Nested as above.');
  return typeof type === 'string' ? { type } : {};
}

function follow(root: SchemaRecord, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const raw of path) {
    const key = readToken(raw);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as SchemaRecord)[key];
  }
  return isRecord(at) || typeof at === 'boolean' ? at : undefined;
}

/** As JSON pointers write it in a URI. */
function readToken(raw: string): string {
  try {
    return decodeURIComponent(raw).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return raw;
  }
}

/** All names that schemas give themselves; the first of one name counts. */
function anchorsIn(root: SchemaRecord): ReadonlyMap<string, unknown> {
  const anchors = new Map<string, unknown>();
  function look(schema: unknown): unknown {
    if (!isRecord(schema)) return schema;
    for (const name of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof name === 'string' && !anchors.has(name)) anchors.set(name, schema);
    }
    mapChildren(schema, look);
    return schema;
  }
  look(root);
  return anchors;
}
