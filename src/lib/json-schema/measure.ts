/** How big a JSON value is, found without walking more of it than is allowed. */

export interface Size {
  /** Values in it, itself included. */
  readonly values: number;
  /** Characters of its longest text or key. */
  readonly longest: number;
  /** Characters of all its texts and keys. */
  readonly characters: number;
}

export interface SizeLimits {
  readonly values: number;
  readonly depth: number;
  readonly characters: number;
}

/** Its size, or nothing where it passes a limit. */
export function measureJson(value: unknown, limits: SizeLimits): Size | undefined {
  const size = { values: 0, longest: 0, characters: 0 };
  return count(value, 0, size, limits) ? size : undefined;
}

type Counted = { -readonly [K in keyof Size]: Size[K] };

function count(value: unknown, depth: number, size: Counted, limits: SizeLimits): boolean {
  size.values++;
  if (size.values > limits.values || depth > limits.depth) return false;
  if (typeof value === 'string') return add(value, size, limits);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => count(item, depth + 1, size, limits));
  for (const key of Object.keys(value)) {
    if (!add(key, size, limits) || !count((value as Record<string, unknown>)[key], depth + 1, size, limits)) return false;
  }
  return true;
}

function add(text: string, size: Counted, limits: SizeLimits): boolean {
  size.characters += text.length;
  if (text.length > size.longest) size.longest = text.length;
  return size.characters <= limits.characters;
}
