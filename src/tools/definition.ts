/** Reads one entry of `tools/list`, taking what can be used and leaving what cannot. */

import { isRecord, isWithinDepth, wellFormed } from '../lib/content/json.ts';
import type { ToolAnnotations, ToolDefinition } from '../types.ts';
import { toInputSchema } from './schema/input.ts';
import { isSimpleSchema } from './schema/simple.ts';

/** Why an entry cannot become a tool. */
export interface DefinitionProblem {
  readonly problem: string;
  readonly name?: string;
}

/** Twice what a schema may nest, since a schema's levels are two of JSON each. */
export const MAX_DEPTH = 200;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The definition of one entry of `tools/list`, frozen, or the reason why there is none. Optional fields of a wrong type are left
 * out, unknown ones too; hints keep their raw values. `name` is the original name until a name is assigned.
 *
 * @example
 * ```ts
 * const read = readDefinition({ name: 'find', inputSchema: { type: 'object' } }, 'docs');
 * if ('problem' in read) report(read.problem);
 * ```
 */
export function readDefinition(raw: unknown, server: string): ToolDefinition | DefinitionProblem {
  if (!isRecord(raw)) return { problem: 'the entry is not an object' };
  const { name } = raw;
  if (typeof name !== 'string') return { problem: 'it has no name' };
  if (!isShallow(raw)) return { problem: `it nests deeper than ${MAX_DEPTH} levels`, name };
  const inputSchema = toInputSchema(raw.inputSchema);
  if (inputSchema === undefined) return { problem: 'its inputSchema is not an object schema, or nests too deep', name };
  // Assigned one by one: this runs for every tool of every listing, and an absent key must be absent.
  const definition: Mutable<ToolDefinition> = { name, server, originalName: name, kind: 'tool', inputSchema };
  const annotations = isRecord(raw.annotations) ? (raw.annotations as ToolAnnotations) : undefined;
  const title = text(raw.title) ?? text(annotations?.title);
  const description = text(raw.description);
  if (title !== undefined) definition.title = title;
  if (description !== undefined) definition.description = description;
  if (isRecord(raw.outputSchema)) definition.outputSchema = raw.outputSchema;
  if (annotations !== undefined) definition.annotations = annotations;
  if (Array.isArray(raw.icons)) definition.icons = raw.icons;
  if (isRecord(raw._meta)) definition.meta = raw._meta;
  return Object.freeze(definition);
}

/** What a copy is made with. */
export interface Changes {
  readonly name: string;
  readonly offered?: ToolDefinition['offered'];
}

/**
 * A copy with another name. Field by field in one order: the engine keeps objects that were made alike, and that are frozen, in a third of
 * the room that spread ones take.
 */
export function renamedCopy(tool: ToolDefinition, { name, offered = tool.offered }: Changes): ToolDefinition {
  const { server, originalName, kind, inputSchema, title, description, outputSchema, annotations, icons, meta, run, ai } = tool;
  const copy: Mutable<ToolDefinition> = { name, server, originalName, kind, inputSchema };
  if (title !== undefined) copy.title = title;
  if (description !== undefined) copy.description = description;
  if (outputSchema !== undefined) copy.outputSchema = outputSchema;
  if (annotations !== undefined) copy.annotations = annotations;
  if (icons !== undefined) copy.icons = icons;
  if (meta !== undefined) copy.meta = meta;
  if (run !== undefined) copy.run = run;
  if (ai !== undefined) copy.ai = ai;
  if (offered !== undefined) copy.offered = offered;
  return copy;
}

/** A simple schema is known to be. */
function isShallow(raw: Readonly<Record<string, unknown>>): boolean {
  for (const key of Object.keys(raw)) {
    const value = raw[key];
    if (key === 'inputSchema' && isSimpleSchema(value)) continue;
    if (!isWithinDepth(value, MAX_DEPTH - 1)) return false;
  }
  return true;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? wellFormed(value) : undefined;
}
