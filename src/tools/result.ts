/** Turns the result of a call into what the model reads. */

import { blocksOf, describeFile, type Piece, readBlock } from '../lib/content/blocks.ts';
import { isRecord, jsonText, sameJson, wellFormed } from '../lib/content/json.ts';
import { type ModelOutput, toPart } from '../lib/content/parts.ts';
import { onlyValue } from '../lib/only-value.ts';

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

/** Everything in a result that is for the model. An empty text says nothing, and some providers refuse it. */
function readResult(result: Record<string, unknown>): readonly Piece[] {
  if (!('content' in result) && !('structuredContent' in result)) {
    const { _meta, isError, ...rest } = result;
    return Object.keys(rest).length === 0 ? [] : [jsonText(rest)];
  }
  const blocks = blocksOf(result.content);
  const pieces = blocks.flatMap(readBlock).filter((piece) => piece !== '');
  const structured = result.structuredContent;
  if (structured === undefined || says(blocks, structured)) return pieces;
  return [...pieces, jsonText(structured)];
}

/**
 * Whether the blocks say it already: a text block that is the same JSON, or the usual wrapping of a tool's plain answer under one
 * key, as text, as one text block for each item, or as the content itself.
 */
function says(blocks: readonly unknown[], structured: unknown): boolean {
  try {
    const texts = blocks.flatMap((block) => (isRecord(block) && typeof block.text === 'string' ? [block.text] : []));
    const values = texts.map(parse);
    if (blocks.length === 0) return false;
    if ([...texts, ...values].some((value) => sameJson(value, structured))) return true;
    const inner = onlyValue(structured);
    if (inner === undefined || (Array.isArray(inner) && inner.length === 0)) return false;
    if (typeof inner === 'string') return texts.includes(inner);
    if (!isRecord(inner) && !Array.isArray(inner)) return false;
    return [blocks, texts, values, ...values].some((value) => sameJson(value, inner));
  } catch {
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
