/** What a model gets of the whole result of a call, in order: texts and files. */

import { onlyValue } from '../only-value.ts';
import { isForUserAlone, readForModel } from './audience.ts';
import { blocksOf, type Piece } from './blocks.ts';
import { isRecord, jsonText, sameJson } from './json.ts';
import type { StructuredChoice } from './view.ts';

/** Everything in a result that is for the model. An empty text says nothing, and some providers refuse it. */
export function readResult(result: Record<string, unknown>, choice: StructuredChoice = 'auto'): readonly Piece[] {
  if (!('content' in result) && !('structuredContent' in result)) {
    const { _meta, isError, ...rest } = result;
    return Object.keys(rest).length === 0 ? [] : [jsonText(rest)];
  }
  const blocks = blocksOf(result.content);
  const structured = result.structuredContent;
  if (structured !== undefined && choice === 'structured') return [jsonText(structured)];
  const pieces = blocks.flatMap(readForModel).filter((piece) => piece !== '');
  if (structured === undefined || (choice === 'content' && pieces.length > 0)) return pieces;
  if (
    choice === 'auto' &&
    says(
      blocks.filter((block) => !isForUserAlone(block)),
      structured,
    )
  )
    return pieces;
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
