/** Keeps whole outputs under handles that cannot be guessed, each for one principal. */

import { ask, createMemory, type TextStore } from '../shared/text-store.ts';

export interface Shelf {
  /** Whether it is kept. */
  put(handle: string, output: Output, signal: AbortSignal | undefined): Promise<boolean>;
  /** Nothing for a handle that is unknown, forgotten, or somebody else's. */
  take(handle: string, principalId: string | undefined, signal: AbortSignal | undefined): Promise<Output | undefined>;
}

export interface Output {
  readonly text: string;
  /** Where what was left out begins. */
  readonly from: number;
  readonly principal?: string | undefined;
}

export interface ShelfOptions {
  readonly store: TextStore | undefined;
  readonly maxBytes: number;
  readonly ttl: number;
}

const PREFIX = 'mcp-tool-set:output:';

/** 74 random bits. */
export function createHandle(): string {
  return crypto.randomUUID().replaceAll('-', '').slice(-20);
}

export function createShelf({ store, maxBytes, ttl }: ShelfOptions): Shelf {
  const memory = createMemory<Output>(maxBytes, ({ text }) => text);

  return {
    async put(handle, output, signal) {
      if (store === undefined) return memory.set(handle, output).has(handle);
      const stored = await ask(async () => {
        await store.set(PREFIX + handle, JSON.stringify(output), ttl);
        return true;
      }, signal);
      return stored === true;
    },
    async take(handle, principalId, signal) {
      const output = store === undefined ? memory.get(handle) : parse(await ask(() => store.get(PREFIX + handle), signal));
      return output !== undefined && output.principal === principalId ? output : undefined;
    },
  };
}

function parse(stored: string | null | undefined): Output | undefined {
  try {
    const output = JSON.parse(stored ?? 'null') as Output | null;
    if (typeof output?.text !== 'string' || !['string', 'undefined'].includes(typeof output.principal)) return undefined;
    return Number.isSafeInteger(output.from) && output.from >= 0 ? output : undefined;
  } catch {
    return undefined;
  }
}
