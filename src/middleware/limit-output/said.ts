/** Whether content blocks say already what `structuredContent` says: it is not to be sent twice. */

import { canonicalJson } from '../shared/canonical.ts';

/** Names of the one key under which a plain answer is wrapped to make it an object. */
const WRAPPERS: ReadonlySet<string> = new Set([
  'content',
  'data',
  'items',
  'output',
  'response',
  'result',
  'results',
  'text',
  'value',
]);

/** `texts` are those of the blocks, in order. */
export function says(texts: readonly string[], structured: unknown): boolean {
  const values = texts.map(parse);
  const said = new Set([...texts, ...values, texts, values].map((value) => canonicalJson(value)));
  return [structured, onlyValue(structured)].some((value) => value !== undefined && said.has(canonicalJson(value)));
}

function onlyValue(structured: unknown): unknown {
  const [entry, second] = typeof structured === 'object' && structured !== null ? Object.entries(structured) : [];
  return entry !== undefined && second === undefined && WRAPPERS.has(entry[0]) ? entry[1] : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
