/** What a plain answer was before it was wrapped to make it an object. */

/** Names that say nothing about what they hold; any other name is part of the answer. */
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

/** The value of an object's one key, where that is such a name. */
export function onlyValue(structured: unknown): unknown {
  const isObject = typeof structured === 'object' && structured !== null && !Array.isArray(structured);
  const [entry, second] = isObject ? Object.entries(structured) : [];
  return entry !== undefined && second === undefined && WRAPPERS.has(entry[0]) ? entry[1] : undefined;
}
