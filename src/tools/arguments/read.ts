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

/** What the AI SDK hands to `execute` is what `validate` gave it; after a detour through storage it is a copy, and checked anew. */
const checked = new WeakMap<object, Checked>();

/**
 * The arguments as the tool gets them. None (`undefined`, `null`, blank text) are `{}`. Throws `invalid_arguments`, whose text names
 * places and not values: for what is no object, and for what the schema refuses after mending. The input is never changed.
 */
export function readArguments(raw: unknown, tool: ToolDefinition): Arguments {
  const { inputSchema: schema } = tool;
  const known = isRecord(raw) ? checked.get(raw) : undefined;
  if (known?.schema === schema) return known;
  const { value: input, changes } = mend(toObject(raw), schema);
  if (!isRecord(input)) throw refused('the arguments must be a JSON object; call it again with one');
  // The tools of ours that span servers say better what is wrong with theirs.
  const problem = isOurs(tool) ? undefined : checkOf(schema)(input);
  if (problem !== undefined) throw refused(`the arguments do not fit its schema, so nothing was sent: ${problem}`);
  const all = typeof raw === 'string' && raw.trim() !== '' ? [{ path: '', what: 'parsed_json' } as const, ...changes] : changes;
  const result = { schema, input, changes: all };
  checked.set(input, result);
  return result;
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
