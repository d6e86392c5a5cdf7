/** JSON values of unknown make: telling, comparing, and writing them for a model. */

import { measureBase64 } from './base64.ts';

/** Base64 below this many characters costs nothing and may be no base64 at all. */
const LONG_DATA = 256;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether nothing in it lies deeper than that. What comes after must walk it, and a walk ends with the stack. */
export function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isWithinDepth(inner, depth - 1));
}

/** The text with half characters replaced, which no provider takes. */
export function wellFormed(text: string): string {
  // Most texts have no halves at all, whole or not, and this is found out much faster.
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
}

/** Whether two JSON values say the same; the order of keys says nothing. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** A copy without any `_meta`, which is for the application alone. */
export function withoutMeta(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === '_meta' ? undefined : inner)) ?? 'null');
}

/** The value as JSON text, never throwing. Media inside it is described: base64 means nothing to a model that reads it. */
export function jsonText(value: unknown): string {
  try {
    return wellFormed(JSON.stringify(value, readable) ?? 'null');
  } catch {
    return '(a value that cannot be written as JSON)';
  }
}

function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!isRecord(value) || typeof value.mimeType !== 'string') return value;
  const key = typeof value.data === 'string' ? 'data' : typeof value.blob === 'string' ? 'blob' : undefined;
  const data = key === undefined ? '' : String(value[key]);
  const bytes = data.length < LONG_DATA ? undefined : measureBase64(data);
  return key === undefined || bytes === undefined ? value : { ...value, [key]: `(${bytes} bytes)` };
}
