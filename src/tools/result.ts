/** Turns the result of a call into what the model reads. */

import { describeFile } from '../lib/content/blocks.ts';
import { stripInvisible } from '../lib/content/invisible.ts';
import { isRecord, jsonText, wellFormed } from '../lib/content/json.ts';
import { type ModelOutput, toOutput } from '../lib/content/parts.ts';
import { readResult } from '../lib/content/result-pieces.ts';
import type { ResultView } from '../lib/content/view.ts';

export type { ModelOutput } from '../lib/content/parts.ts';
export type { ResultView } from '../lib/content/view.ts';

const NO_OUTPUT = '(no output)';

/**
 * The model's view of a `CallToolResult`: text blocks joined by newlines, and behind them, in order, the files that the model takes; a line
 * stands in place of every other one, and of what is for the user alone. `structuredContent` is added where the text does not say it
 * already; `_meta` never. A result with `isError` becomes an error text, and a value that is no result at all (from a stored conversation)
 * text or JSON. Never throws: the AI SDK would end the whole run.
 *
 * @example
 * ```ts
 * toModelOutput({ content: [{ type: 'text', text: 'done' }] }); // { type: 'text', value: 'done' }
 * ```
 */
export function toModelOutput(result: unknown, view: ResultView = {}): ModelOutput {
  const clean = view.invisible === 'strip' ? stripInvisible : (text: string): string => text;
  try {
    if (typeof result === 'string') return { type: 'text', value: clean(wellFormed(result)) };
    if (!isRecord(result)) return { type: 'text', value: result === undefined || result === null ? NO_OUTPUT : jsonText(result) };
    if (result.isError === true) return { type: 'error-text', value: errorText(result, view) };
    const pieces = readResult(result, view.structured).map((piece) => (typeof piece === 'string' ? clean(piece) : piece));
    if (pieces.length === 0) return { type: 'text', value: NO_OUTPUT };
    return toOutput(pieces, view.media);
  } catch {
    return { type: 'text', value: '(the output cannot be read)' };
  }
}

/** What a result with `isError` says: its text, its structured detail, and a line for each file. */
export function errorText(result: unknown, { structured, invisible }: ResultView = {}): string {
  const pieces = isRecord(result) ? readResult(result, structured) : [];
  const text = pieces.map((piece) => (typeof piece === 'string' ? piece : describeFile(piece))).join('\n');
  if (text === '') return 'the tool failed and said nothing more';
  return invisible === 'strip' ? stripInvisible(text) : text;
}
