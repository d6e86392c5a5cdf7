/** What was read, for a while and within a budget of bytes. */

import { LRUCache } from 'lru-cache';
import type { ResourceContents } from '../types.ts';

export interface ReadCache {
  /** What was read of one server. */
  of(server: object): ServerReads;
}

export interface ServerReads {
  get(key: ReadKey): readonly ResourceContents[] | undefined;
  /** Returns the function that keeps what a read that begins now will give: what is dropped meanwhile is not kept. */
  begin(key: ReadKey): (contents: readonly ResourceContents[], milliseconds: number, isPublic: boolean) => void;
  /** Forgets one resource with all that lies below it, or everything. */
  drop(uri?: string): void;
}

export interface ReadKey {
  /** Whose it is: only who has the very same may see it, unless the server calls it public. */
  readonly owner: object;
  readonly uri: string;
}

interface Entry {
  readonly contents: readonly ResourceContents[];
  readonly goodUntil: number;
}

/** `maxBytes` for all servers together; 0 keeps nothing. */
export function createReadCache(maxBytes: number, now: () => number): ReadCache {
  const entries = maxBytes > 0 ? new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: sizeOf }) : undefined;
  const ids = new WeakMap<object, number>();
  const servers = new WeakMap<object, ServerReads>();
  let count = 0;

  function idOf(object: object): number {
    const id = ids.get(object) ?? ++count;
    ids.set(object, id);
    return id;
  }

  function createReads(server: object): ServerReads {
    const prefix = `${idOf(server)} `;
    let drops = 0;
    const keysOf = ({ owner, uri }: ReadKey): readonly string[] => [`${prefix}${idOf(owner)} ${uri}`, `${prefix}* ${uri}`];
    return {
      get(key) {
        for (const each of keysOf(key)) {
          const entry = entries?.get(each);
          if (entry !== undefined && now() < entry.goodUntil) return entry.contents;
        }
        return undefined;
      },
      begin(key) {
        const before = drops;
        return (contents, milliseconds, isPublic) => {
          const [own = '', everyone = ''] = keysOf(key);
          if (milliseconds <= 0 || drops !== before) return;
          entries?.set(isPublic ? everyone : own, { contents, goodUntil: now() + milliseconds });
        };
      },
      drop(uri) {
        drops++;
        for (const key of [...(entries?.keys() ?? [])]) {
          if (!key.startsWith(prefix)) continue;
          const kept = key.slice(key.indexOf(' ', prefix.length) + 1);
          if (uri === undefined || isWithin(kept, uri) || isWithin(uri, kept)) entries?.delete(key);
        }
      },
    };
  }

  return {
    of(server) {
      const reads = servers.get(server) ?? createReads(server);
      servers.set(server, reads);
      return reads;
    },
  };
}

/** Whether one resource is the other, or a part of it: a server may tell of a part's change, or of the whole's. */
export function isWithin(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`);
}

/** Two bytes for each character, and something for the entry itself. */
function sizeOf({ contents }: Entry, key: string): number {
  const lengths = contents.map((each) => String('text' in each ? each.text : each.blob).length);
  return 200 + 2 * (key.length + lengths.reduce((sum, length) => sum + length, 0));
}
