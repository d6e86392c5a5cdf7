/** Connections by server and by whose they are, capped in number: the least recently used idle one goes first, never one in use. */

import { createEndings } from '../lib/endings.ts';

export interface Poolable {
  readonly busy: boolean;
  close(): Promise<void>;
}

export interface Pool<T extends Poolable> {
  /** The one of this server and identity, made when there is none. */
  get(server: string, identity: string, create: () => T): T;
  /** The same, or nothing; it counts as use. */
  peek(server: string, identity: string): T | undefined;
  /** Those of one server, or all. */
  values(server?: string): T[];
  /** Forgets what the predicate says yes to, and gives it to whoever has to close it. */
  take(chosen: (value: T) => boolean): T[];
  /** Closes and forgets all; resolves when nothing is left running. */
  close(): Promise<void>;
}

interface Entry<T> {
  readonly value: T;
  /** When it was last asked for, and its place among all askings. */
  askedAt: number;
  turn: number;
}

/** Milliseconds in which whoever asked for a connection comes to use it. */
const GRACE = 1_000;

/** `limit` is a wish where all are busy: a connection in use, or just about to be, is never taken away. */
export function createPool<T extends Poolable>(limit: number, now: () => number): Pool<T> {
  const servers = new Map<string, Map<string, Entry<T>>>();
  const endings = createEndings();
  let size = 0;
  let turn = 0;

  function use(entry: Entry<T>): T {
    entry.askedAt = now();
    entry.turn = ++turn;
    return entry.value;
  }

  function take(chosen: (value: T, entry: Entry<T>) => boolean): T[] {
    const taken: T[] = [];
    for (const [server, entries] of servers) {
      for (const [identity, entry] of entries) {
        if (!chosen(entry.value, entry)) continue;
        entries.delete(identity);
        taken.push(entry.value);
      }
      if (entries.size === 0) servers.delete(server);
    }
    size -= taken.length;
    return taken;
  }

  function evict(): void {
    const idle = [...servers.values()].flatMap((entries) => [...entries.values()]);
    const candidates = idle.filter(({ value, askedAt }) => !value.busy && now() - askedAt >= GRACE);
    const victims = new Set(candidates.sort((a, b) => a.turn - b.turn).slice(0, size - limit));
    for (const value of take((_, entry) => victims.has(entry))) endings.track(value.close());
  }

  const values = (server?: string): T[] =>
    [...servers]
      .filter(([key]) => server === undefined || key === server)
      .flatMap(([, entries]) => [...entries.values()].map(({ value }) => value));

  return {
    get(server, identity, create) {
      const entries = servers.get(server) ?? new Map<string, Entry<T>>();
      const known = entries.get(identity);
      if (known !== undefined) return use(known);
      const entry = { value: create(), askedAt: 0, turn: 0 };
      servers.set(server, entries.set(identity, entry));
      size++;
      use(entry);
      if (size > limit) evict();
      return entry.value;
    },
    peek(server, identity) {
      const entry = servers.get(server)?.get(identity);
      return entry && use(entry);
    },
    values,
    take: (chosen) => take(chosen),
    async close() {
      const closing = values().map((value) => value.close());
      servers.clear();
      size = 0;
      await Promise.all([...closing, endings.settled()]);
    },
  };
}
