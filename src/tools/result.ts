/** Turns the result of a call into what the model reads. */

import { describeFile } from '../lib/content/blocks.ts';
import { isRecord, jsonText, wellFormed } from '../lib/content/json.ts';
import { type ModelOutput, toPart } from '../lib/content/parts.ts';
import { readResult } from '../lib/content/result-pieces.ts';

export type { ModelOutput } from '../lib/content/parts.ts';

const NO_OUTPUT = '(no output)';

/**
 * The model's view of a `CallToolResult`: text blocks joined by newlines, and where there is media, a list of parts in the order of
 * the blocks. `structuredContent` is added where the text does not say it already; `_meta` never. A result with `isError` becomes an
 * error text, and a value that is no result at all (from a stored conversation) text or JSON. Never throws: the AI SDK would end the
 * whole run.
 *
 * @example
 * ```ts
 * toModelOutput({ content: [{ type: 'text', text: 'done' }] }); // { type: 'text', value: 'done' }
 * ```
 */
export function toModelOutput(result: unknown): ModelOutput {
  try {
    if (typeof result === 'string') return { type: 'text', value: wellFormed(result) };
    if (!isRecord(result)) return { type: 'text', value: result === undefined || result === null ? NO_OUTPUT : jsonText(result) };
    if (result.isError === true) return { type: 'error-text', value: errorText(result) };
    const pieces = readResult(result);
    if (pieces.length === 0) return { type: 'text', value: NO_OUTPUT };
    if (pieces.some((piece) => typeof piece !== 'string')) return { type: 'content', value: pieces.map(toPart) };
    return { type: 'text', value: pieces.join('\n') };
  } catch {
    return { type: 'text', value: '(the output cannot be read)' };
  }
}

/** What a result with `isError` says: its text, its structured detail, and a line for each file. */
export function errorText(result: unknown): string {
  const pieces = isRecord(result) ? readResult(result) : [];
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : describeFile(piece))).join('\n');
  return text === '' ? 'the tool failed and said nothing more' : text;
}
