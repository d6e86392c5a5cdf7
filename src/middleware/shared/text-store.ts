/** Where a middleware keeps texts: in memory within a budget of bytes, or in a store of the user's. */

import { LRUCache } from 'lru-cache';
import { abortable, openScope } from '../../lib/abort.ts';
import type { Rule } from './options.ts';
import { utf8Length } from './utf8.ts';

/** A key-value store that several processes may share, such as Redis. It may fail and forget whenever it likes. */
export interface TextStore {
  get(key: string): Promise<string | null | undefined>;
  /** `ttl`: milliseconds after which it may be dropped. */
  set(key: string, value: string, ttl: number): Promise<unknown>;
}

export const aTextStore: Rule = {
  phrase: 'an object { get(key), set(key, value, ttl) } whose functions return promises',
  test: (value) =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<TextStore>).get === 'function' &&
    typeof (value as Partial<TextStore>).set === 'function',
};

/** What is used of an `lru-cache`: its types are not for those who read ours. */
export interface Memory<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): { has(key: string): boolean };
  delete(key: string): boolean;
  clear(): void;
  keys(): Iterable<string>;
  readonly size: number;
  /** Bytes. */
  readonly calculatedSize: number;
}

/** Keeps the latest used within `maxBytes`, keys included. What is larger than that alone is not kept. */
export function createMemory<V extends object>(maxBytes: number, textOf: (value: V) => string): Memory<V> {
  return new LRUCache<string, V>({
    maxSize: maxBytes,
    sizeCalculation: (value, key) => utf8Length(textOf(value)) + utf8Length(key),
  });
}

/** Milliseconds. A store is there to save time. */
const LONGEST_WAIT = 1_000;

/** What the store says; nothing when it fails, or does not answer in time. */
export async function ask<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  const scope = openScope({ parents: [signal], budget: LONGEST_WAIT });
  try {
    return await abortable(Promise.resolve(work()), scope.signal);
  } catch {
    return undefined;
  } finally {
    scope.release();
  }
}
