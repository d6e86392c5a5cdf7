/** The arguments of a call: mended, checked, and what was changed remembered. */

import { McpToolSetError } from '../../errors.ts';
import { isRecord } from '../../lib/content/json.ts';
import type { InputChange, ToolCall, ToolDefinition } from '../../types.ts';
import { checkOf } from '../schema/validator.ts';
import { mend, parse } from './mend.ts';

export interface Arguments {
  readonly input: ToolCall['input'];
  readonly changes: readonly InputChange[];
}

interface Checked extends Arguments {
  /** What they were checked against. */
  readonly schema: ToolDefinition['inputSchema'];
}

/** What the AI SDK hands to `execute` is what `validate` gave it; after a detour through storage it is a copy, and read anew. */
const checked = new WeakMap<object, Checked>();
/** Mended, and not checked yet: what was never seen by `validate`. */
const unchecked = new WeakMap<object, ToolDefinition>();

/**
 * The arguments as they were meant. None (`undefined`, `null`, blank text) are `{}`; what is no object throws `invalid_arguments`. The
 * given ones are never changed.
 */
export function mendArguments(raw: unknown, tool: ToolDefinition): Arguments {
  const { inputSchema: schema } = tool;
  const known = isRecord(raw) ? checked.get(raw) : undefined;
  if (known?.schema === schema) return known;
  const { value: input, changes } = mend(toObject(raw), schema);
  if (!isRecord(input)) throw refused('the arguments must be a JSON object; call it again with one');
  unchecked.set(input, tool);
  const wasText = typeof raw === 'string' && raw.trim() !== '';
  return { input, changes: wasText ? [{ path: '', what: 'parsed_json' }, ...changes] : changes };
}

/**
 * Throws `invalid_arguments` for mended arguments that the schema refuses; its text names places, not values. Those that were checked
 * before, or that a middleware has put in place of the model's, pass.
 */
export function checkArguments(input: ToolCall['input']): void {
  const tool = unchecked.get(input);
  // The tools of ours that span servers say better what is wrong with theirs.
  if (tool === undefined || isOurs(tool)) return;
  const problem = checkOf(tool.inputSchema)(input);
  if (problem !== undefined) throw refused(`the arguments do not fit its schema, so nothing was sent: ${problem}`);
  unchecked.delete(input);
}

/** Both at once. */
export function readArguments(raw: unknown, tool: ToolDefinition): Arguments {
  const read = mendArguments(raw, tool);
  checkArguments(read.input);
  checked.set(read.input, { ...read, schema: tool.inputSchema });
  return read;
}

export type Validation = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error };

/** The same for the AI SDK, which then has the model mend its call. Never throws: the AI SDK would end the run. */
export function validateFor(tool: ToolDefinition): (value: unknown) => Validation {
  return (value) => {
    try {
      return { success: true, value: readArguments(value, tool).input };
    } catch (error) {
      if (McpToolSetError.is(error))
        return {
          success: false,
          error: error.at({ server: tool.server === '*' ? undefined : tool.server, tool: tool.originalName }),
        };
      return { success: true, value };
    }
  };
}

function isOurs({ kind, run }: ToolDefinition): boolean {
  return run !== undefined && (kind === 'resource' || kind === 'prompt');
}

function toObject(raw: unknown): unknown {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'string') return raw;
  return raw.trim() === '' ? {} : parse(raw);
}

function refused(detail: string): McpToolSetError {
  return new McpToolSetError('invalid_arguments', detail);
}
