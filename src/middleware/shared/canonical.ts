/** JSON in one spelling: the same value gives the same text, whatever the order of its keys. */

/** Deeper than any real argument, and no danger to the stack. */
const MAX_DEPTH = 500;

/** Nothing for what JSON would change or lose (dates, maps, NaN, …) and for what is too deep. An `undefined` property is none. */
export function canonicalJson(value: unknown, depth: number = MAX_DEPTH): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  if (typeof value !== 'object' || depth <= 0) return undefined;
  if (Array.isArray(value)) return join('[', ']', value, (item) => canonicalJson(item, depth - 1));
  if (!isPlain(value)) return undefined;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return join('{', '}', keys.sort(), (key) => {
    const text = canonicalJson(value[key], depth - 1);
    return text && `${JSON.stringify(key)}:${text}`;
  });
}

function join<T>(open: string, close: string, items: readonly T[], write: (item: T) => string | undefined): string | undefined {
  const texts: string[] = [];
  for (const item of items) {
    const text = write(item);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return open + texts.join(',') + close;
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === null || Object.getPrototypeOf(prototype as object) === null) &&
    !('toJSON' in value) &&
    Object.getOwnPropertySymbols(value).length === 0
  );
}
