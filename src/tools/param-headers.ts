/** The arguments that a tool wants repeated in HTTP headers (`x-mcp-header` in its input schema, modern era). */

import type { JsonSchema } from '../types.ts';

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

/** What a schema declares, or why it may not. */
interface Scan {
  readonly declarations: readonly Declaration[];
  readonly problem: string | undefined;
}

interface Walk {
  readonly declarations: Declaration[];
  /** Where each header name stands, by its lower case. */
  readonly names: Map<string, string>;
  nodes: number;
}

const MARK = 'x-mcp-header';
const PREFIX = 'Mcp-Param-';
/** RFC 9110, section 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose value is data, never a schema: what looks like a mark in there is none. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required', 'type', MARK]);
/** Keywords that hold schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Past these nobody looks. */
const MAX_DEPTH = 64;
const MAX_NODES = 20_000;

/**
 * Why a modern server's tool must be dropped: the specification makes a definition with a wrong `x-mcp-header` invalid. `undefined`
 * when nothing is wrong. Never throws.
 */
export function paramHeaderProblem(inputSchema: JsonSchema): string | undefined {
  return scan(inputSchema).problem;
}

/** The headers of a call with this input; `undefined` when there are none. Never throws. */
export function paramHeaders(inputSchema: JsonSchema, input: unknown): Record<string, string> | undefined {
  const { declarations, problem } = scan(inputSchema);
  if (problem !== undefined) return undefined;
  let headers: Record<string, string> | undefined;
  for (const { path, header } of declarations) {
    const value = textOf(path.reduce<unknown>((node, key) => own(node, key), input));
    if (value === undefined) continue;
    headers ??= {};
    headers[PREFIX + header] = encode(value);
  }
  return headers;
}

/** Schemas are read anew only when they are new: each call asks. */
const scanned = new WeakMap<object, Scan>();

function scan(schema: JsonSchema): Scan {
  const known = scanned.get(schema);
  if (known !== undefined) return known;
  const walk: Walk = { declarations: [], names: new Map(), nodes: 0 };
  const result = { declarations: walk.declarations, problem: visit(schema, [], 0, walk) };
  if (typeof schema === 'object' && schema !== null) scanned.set(schema, result);
  return result;
}

/** `path` is absent where a property cannot be found by its place alone (`items`, `anyOf`, `$defs`, …). */
function visit(node: unknown, path: readonly string[] | undefined, depth: number, walk: Walk): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  walk.nodes += 1;
  if (depth > MAX_DEPTH || walk.nodes > MAX_NODES) return undefined;
  if (Array.isArray(node)) return first(node, (each) => visit(each, undefined, depth + 1, walk));
  const schema = node as JsonSchema;
  const problem = Object.hasOwn(schema, MARK) ? declare(schema, path, walk) : undefined;
  if (problem !== undefined) return problem;
  return first(Object.entries(schema), ([keyword, value]) => {
    if (DATA.has(keyword)) return undefined;
    if (!NAMED.has(keyword)) return visit(value, undefined, depth + 1, walk);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return first(Object.entries(value), ([name, each]) =>
      visit(each, keyword === 'properties' && path !== undefined ? [...path, name] : undefined, depth + 1, walk),
    );
  });
}

function declare(schema: JsonSchema, path: readonly string[] | undefined, walk: Walk): string | undefined {
  if (path === undefined || path.length === 0)
    return 'x-mcp-header stands elsewhere than on a property that is reached through `properties` alone';
  const at = JSON.stringify(path.join('.'));
  const header = schema[MARK];
  if (typeof header !== 'string' || header === '') return `x-mcp-header of ${at} is not a name`;
  if (!TOKEN.test(header)) return `x-mcp-header of ${at} is no HTTP header name: ${JSON.stringify(header)}`;
  if (!TYPES.has(schema.type)) return `x-mcp-header of ${at} is on another type than string, integer or boolean`;
  const other = walk.names.get(header.toLowerCase());
  if (other !== undefined) return `x-mcp-header ${JSON.stringify(header)} stands on both ${other} and ${at}`;
  walk.names.set(header.toLowerCase(), at);
  walk.declarations.push({ path, header });
  return undefined;
}

function first<T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function own(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key) ? (node as JsonSchema)[key] : undefined;
}

/** What a header can carry: other values, and numbers that are not exact, are left out. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** As it is where HTTP allows it, otherwise as `=?base64?…?=` of its UTF-8 bytes. */
function encode(value: string): string {
  const plain = /^[\x20-\x7e\t]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  if (plain) return value;
  let bytes = '';
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}
