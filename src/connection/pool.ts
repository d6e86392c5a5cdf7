/** Connections by server and by whose they are, capped in number: the least recently used idle one goes first, never one in use. */

import { createOngoing } from '../lib/runtime.ts';

export interface Poolable {
  readonly busy: boolean;
  close(): Promise<void>;
}

export interface Pool<T extends Poolable> {
  /** The one of this server and identity, made when there is none. */
  get(server: string, identity: string, create: () => T): T;
  /** Those of one server, or all. */
  values(server?: string): T[];
  /** Closes and forgets all; resolves when nothing is left running. */
  close(): Promise<void>;
}

/** Milliseconds in which whoever asked for a connection comes to use it. */
const GRACE = 1_000;

/** `limit` is a wish where all are busy: a connection in use, or just about to be, is never taken away. */
export function createPool<T extends Poolable>(limit: number, now: () => number): Pool<T> {
  // A Map iterates in insertion order; what is used is put back at the end, so the first is the least recently used.
  const entries = new Map<string, { readonly server: string; readonly value: T; askedAt: number }>();
  const endings = createOngoing<Promise<void>>();

  function evict(): void {
    for (const [key, { value, askedAt }] of entries) {
      if (entries.size <= limit) return;
      if (value.busy || now() - askedAt < GRACE) continue;
      entries.delete(key);
      const ending = value.close().finally(() => endings.delete(ending));
      endings.add(ending);
    }
  }

  return {
    get(server, identity, create) {
      const key = JSON.stringify([server, identity]);
      const entry = entries.get(key) ?? { server, value: create(), askedAt: 0 };
      entry.askedAt = now();
      entries.delete(key);
      entries.set(key, entry);
      evict();
      return entry.value;
    },
    values: (server) =>
      [...entries.values()].filter((each) => server === undefined || each.server === server).map((each) => each.value),
    async close() {
      const closing = [...entries.values()].map(({ value }) => value.close());
      entries.clear();
      await Promise.all([...closing, ...endings]);
    },
  };
}
