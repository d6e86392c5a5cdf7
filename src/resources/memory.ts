/** What is known of one server's resources for one identity: its lists, what it linked to, and what was read of it. */

import { KeptList, type KeptListOptions } from '../connection/kept-list.ts';
import { isRecord } from '../lib/content/json.ts';
import type { McpResult } from '../types.ts';
import { type Asker, type Catalogue, fetchCatalogue } from './catalogue.ts';
import type { ServerReads } from './read-cache.ts';
import { type ResourceRow, readRow } from './row.ts';

export type CatalogueList = KeptList<Catalogue, Asker>;

export interface ResourceMemory {
  /** The list as it comes through one chain of `request` hooks, which may change it. */
  catalogue(chain: object): CatalogueList;
  readonly reads: ServerReads;
  /** How long what was read is good where its server does not say, in milliseconds. */
  readonly readTtl: () => number;
  /** What the server linked to in a result, which it need not list. */
  linked(uri: string): ResourceRow | undefined;
  /** Takes up the links of a result of the server's. */
  noteLinks(result: McpResult): void;
  /** The lists are out of date, and what was read may be. */
  expire(): void;
  /** The lists may be out of date. */
  age(): void;
}

export interface ResourceMemoryOptions extends Omit<KeptListOptions<Catalogue, Asker>, 'what' | 'fetch'> {
  readonly reads: ServerReads;
}

/** Links kept for each connection; a server may send any number. */
const MAX_LINKS = 1_000;

export function createResourceMemory({ reads, ...options }: ResourceMemoryOptions): ResourceMemory {
  const { server, ttl } = options;
  const lists = new WeakMap<object, CatalogueList>();
  const all = new Set<WeakRef<CatalogueList>>();
  const links = new Map<string, ResourceRow>();

  function each(change: (list: CatalogueList) => void): void {
    for (const ref of all) {
      const list = ref.deref();
      if (list === undefined) all.delete(ref);
      else change(list);
    }
  }

  function link(entry: unknown): void {
    const row = readRow(entry, server);
    if (row?.uri === undefined) return;
    // The latest are the last to go.
    links.delete(row.uri);
    links.set(row.uri, row);
    for (const oldest of links.keys()) {
      if (links.size <= MAX_LINKS) return;
      links.delete(oldest);
    }
  }

  return {
    reads,
    readTtl: ttl,
    catalogue(chain) {
      const known = lists.get(chain);
      if (known !== undefined) return known;
      const fetch: KeptListOptions<Catalogue, Asker>['fetch'] = (facts, signal, asker) =>
        fetchCatalogue(server, facts, signal, asker);
      const list: CatalogueList = new KeptList({ ...options, what: 'its list of resources', fetch });
      lists.set(chain, list);
      each(() => {});
      all.add(new WeakRef(list));
      return list;
    },
    linked: (uri) => links.get(uri),
    noteLinks({ content }) {
      if (!Array.isArray(content)) return;
      for (const block of content) {
        if (!isRecord(block)) continue;
        if (block.type === 'resource_link') link(block);
        if (block.type === 'resource') link(block.resource);
      }
    },
    expire() {
      each((list) => list.expire());
      reads.drop();
    },
    age: () => each((list) => list.age()),
  };
}
