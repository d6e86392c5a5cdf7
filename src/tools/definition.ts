/** Reads one entry of `tools/list`, taking what can be used and leaving what cannot. */

import type { JsonSchema, ToolAnnotations, ToolDefinition } from '../types.ts';
import { isRecord } from './json.ts';
import { toInputSchema } from './schema.ts';

/** Why an entry cannot become a tool. */
export interface DefinitionProblem {
  readonly problem: string;
  readonly name?: string;
}

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
  const inputSchema = toInputSchema(raw.inputSchema);
  if (inputSchema === undefined) return { problem: 'its inputSchema is not an object schema, or nests too deep', name };
  const annotations = isRecord(raw.annotations) ? (raw.annotations as ToolAnnotations) : undefined;
  const definition: Record<keyof ToolDefinition, unknown> = {
    name,
    server,
    originalName: name,
    kind: 'tool',
    title: text(raw.title) ?? text(annotations?.title),
    description: text(raw.description),
    inputSchema,
    outputSchema: isRecord(raw.outputSchema) ? (raw.outputSchema as JsonSchema) : undefined,
    annotations,
    icons: Array.isArray(raw.icons) ? raw.icons : undefined,
    meta: isRecord(raw._meta) ? raw._meta : undefined,
    run: undefined,
    ai: undefined,
  };
  return Object.freeze(withoutUndefined(definition));
}

function withoutUndefined(definition: Record<keyof ToolDefinition, unknown>): ToolDefinition {
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined)) as unknown as ToolDefinition;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
