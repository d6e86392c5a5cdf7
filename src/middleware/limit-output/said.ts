/** Whether content blocks say already what `structuredContent` says: it is not to be sent twice. */

import { onlyValue } from '../../lib/only-value.ts';
import { canonicalJson } from '../shared/canonical.ts';

/** `texts` are those of the blocks, in order. */
export function says(texts: readonly string[], structured: unknown): boolean {
  const values = texts.map(parse);
  const said = new Set([...texts, ...values, texts, values].map((value) => canonicalJson(value)));
  return [structured, onlyValue(structured)].some((value) => value !== undefined && said.has(canonicalJson(value)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
