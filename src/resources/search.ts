/** Finds rows by words: names and titles first, then URIs and descriptions. */

import MiniSearch from 'minisearch';
import { bindsIoToRequests } from '../lib/runtime.ts';
import { placeOf, type ResourceRow } from './row.ts';

export interface RowSearch {
  /** The best first; the same words over the same rows give the same order. */
  find(query: string): Promise<readonly ResourceRow[]>;
}

/** An index costs more than the rows themselves, so few are kept. */
const MAX_INDEXES = 4;
/** Longer descriptions say nothing more that anyone looks for. */
const MAX_INDEXED = 1_000;
const MAX_QUERY = 500;
/** Rows that are indexed at a stretch. */
const CHUNK = 1_000;

interface Indexed {
  readonly sets: readonly (readonly ResourceRow[])[];
  readonly search: RowSearch;
}

/** Gives the search over these sets of rows; a set that is the same object holds the same rows. */
export type RowSearches = (sets: Indexed['sets']) => RowSearch;

export function createRowSearches(): RowSearches {
  let kept: Indexed[] = [];
  return (sets) => {
    const known = kept.find((each) => each.sets.length === sets.length && each.sets.every((set, index) => set === sets[index]));
    const present = known ?? { sets, search: createSearch(sets.flat()) };
    kept = [present, ...kept.filter((each) => each !== present)].slice(0, MAX_INDEXES);
    return present.search;
  };
}

function createSearch(rows: readonly ResourceRow[]): RowSearch {
  // Indexing takes its time, and most models never search.
  let indexing: Promise<MiniSearch> | undefined;
  let index: MiniSearch | undefined;

  async function indexed(): Promise<MiniSearch> {
    const created = new MiniSearch({ fields: ['name', 'title', 'description', 'uri'], tokenize: wordsOf, processTerm: plain });
    const documents = rows.map((row, id) => {
      const { name, title = '', description = '' } = row;
      return { id, name, title, description: description.slice(0, MAX_INDEXED), uri: placeOf(row) };
    });
    // Others get their turn meanwhile, but where a timer of one request is not another's to wait for.
    if (bindsIoToRequests() || documents.length <= CHUNK) created.addAll(documents);
    else await created.addAllAsync(documents, { chunkSize: CHUNK });
    index = created;
    return created;
  }

  return {
    async find(given) {
      if (index === undefined) {
        if (bindsIoToRequests()) await indexed();
        else indexing ??= indexed();
      }
      return search(index ?? (await indexing) ?? (await indexed()), rows, given.slice(0, MAX_QUERY));
    },
  };
}

function search(index: MiniSearch, rows: readonly ResourceRow[], query: string): readonly ResourceRow[] {
  const options = {
    boost: { name: 3, title: 3, uri: 1.5 },
    prefix: (term: string) => term.length > 2,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
  } as const;
  const all = index.search(query, { ...options, combineWith: 'AND' });
  const found = all.length > 0 ? all : index.search(query, options);
  const exact = (id: number): boolean => [rows[id]?.name, rows[id]?.title, rows[id] && placeOf(rows[id])].includes(query);
  const ranked = found
    .map(({ id, score }) => ({ id: Number(id), score: exact(Number(id)) ? Number.POSITIVE_INFINITY : score }))
    .sort((a, b) => (a.score === b.score ? a.id - b.id : b.score - a.score));
  return ranked.flatMap(({ id }) => rows[id] ?? []);
}

/** Words as people write them in names and paths: parted at signs and at capitals; scripts without spaces by single characters. */
function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' $& ')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/** Without case and accents. */
function plain(word: string): string {
  return word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
