/** The tool with which a model reads on in an output that was cut. */

import { McpToolSetError } from '../../errors.ts';
import type { CallToolResult, ToolCall, ToolDefinition } from '../../types.ts';
import { before, headWithin, type Measure } from './budget.ts';
import type { Shelf } from './shelf.ts';

export interface ReadMoreOptions {
  readonly name: string;
  readonly shelf: Shelf;
  /** Of one page. */
  readonly measure: Measure;
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export function readMoreTool({ name, shelf, measure }: ReadMoreOptions): ToolDefinition {
  return {
    name,
    // It spans servers, as the resource tools do; no server can have this key.
    server: '*',
    originalName: name,
    kind: 'added',
    description:
      'Reads on in the output of another tool that was cut. The notice in the output gives the handle and the offset. Offsets and limits count characters.',
    inputSchema: {
      type: 'object',
      properties: {
        handle: { type: 'string', description: 'The handle from the notice.' },
        offset: { type: 'integer', minimum: 0, description: 'Where to begin. Default: where the output was cut.' },
        limit: { type: 'integer', minimum: 1, description: 'How many characters at most. Default: as many as fit.' },
      },
      required: ['handle'],
      additionalProperties: false,
    },
    annotations: READ_ONLY,
    run: (call) => readOn(call, shelf, measure),
  };
}

async function readOn({ input, principal, signal }: ToolCall, shelf: Shelf, measure: Measure): Promise<CallToolResult> {
  const { handle } = input;
  if (typeof handle !== 'string') throw refusal('the argument "handle" must be the text from the notice.');
  const limit = wholeNumber(input.limit, 'limit', 1);
  const given = wholeNumber(input.offset, 'offset', 0);
  const output = await shelf.take(handle, principal?.id, signal);
  if (output === undefined) {
    throw refusal('there is no kept output of that handle, or no longer. Call the tool that made it again, asking for less.');
  }
  const { text } = output;
  const offset = before(text, Math.min(given ?? output.from, text.length));
  const rest = text.slice(offset, limit === undefined ? undefined : offset + limit);
  const room = 1 - measure(place(text.length, text.length, text.length));
  const fitting = before(text, offset + headWithin(rest, room, measure));
  // At least one character, so that reading on always gets somewhere; some are two units.
  const end = fitting > offset ? fitting : before(text, Math.min(text.length, offset + 2));
  return { content: [{ type: 'text', text: text.slice(offset, end) + place(offset, end, text.length) }] };
}

function place(from: number, to: number, length: number): string {
  const next = to < length ? `Read on with offset ${to}.` : 'This is the end.';
  return `\n[characters ${from} to ${to} of ${length}. ${next}]`;
}

function wholeNumber(value: unknown, name: string, least: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isSafeInteger(value) && Number(value) >= least) return Number(value);
  throw refusal(`the argument "${name}" must be a whole number, ${least} or more.`);
}

function refusal(detail: string): McpToolSetError {
  return new McpToolSetError('invalid_arguments', detail);
}
