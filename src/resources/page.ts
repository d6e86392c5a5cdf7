/** One page of rows: as many as fit, and where the next one begins. */

import { McpToolSetError } from '../errors.ts';
import { compareRows, placeOf, type ResourceRow } from './row.ts';

/** Rows in the order in which they are given out. */
export interface Page {
  readonly rows: readonly ResourceRow[];
  /** Of the first row; 0 is the first of all. */
  readonly start: number;
  readonly total: number;
  /** Absent on the last page. */
  readonly nextCursor: string | undefined;
}

export interface PageOptions {
  readonly cursor: string | undefined;
  /** Takes up a row, and says whether there was room for it. The first one is given out all the same. */
  readonly fits: (row: ResourceRow) => boolean;
}

/**
 * A page of the rows of many servers, each set in the order of `compareRows` and the sets by name of the server. The cursor is the last row
 * that was given out, so that rows that come and go move no others: none is lost, none comes twice.
 */
export function pageOf(sets: readonly (readonly ResourceRow[])[], { cursor, fits }: PageOptions): Page {
  const total = sets.reduce((sum, set) => sum + set.length, 0);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  let start = 0;
  const rows: ResourceRow[] = [];
  let last: ResourceRow | undefined;
  let full = false;
  for (const set of sets) {
    const from = after === undefined ? 0 : firstAfter(set, after);
    if (rows.length === 0) start += from;
    for (let index = from; index < set.length && !full; index++) {
      const row = set[index] as ResourceRow;
      full = !fits(row) && rows.length > 0;
      if (full) break;
      rows.push(row);
      last = row;
    }
    if (full) break;
  }
  return { rows, start, total, nextCursor: full && last !== undefined ? cursorAt(last) : undefined };
}

/** A page of rows in an order of merit. The cursor says how many were given out: merit changes with the list. */
export function rankedPageOf(ranked: readonly ResourceRow[], { cursor, fits }: PageOptions): Page {
  const start = cursor === undefined ? 0 : readRank(cursor);
  const rows: ResourceRow[] = [];
  for (const row of ranked.slice(start)) {
    if (!fits(row) && rows.length > 0) break;
    rows.push(row);
  }
  const end = start + rows.length;
  return { rows, start, total: ranked.length, nextCursor: end < ranked.length ? String(end) : undefined };
}

interface Place {
  readonly mcpServer: string;
  readonly row: ResourceRow;
}

/** As a model copies it without a mistake: the server's key, the kind, the URI. */
function cursorAt(row: ResourceRow): string {
  return `${encodeURIComponent(row.mcpServer)} ${row.uri === undefined ? 'template' : 'resource'} ${placeOf(row)}`;
}

function readCursor(cursor: string): Place {
  const [, server = '', kind, place = ''] = /^(\S+) (resource|template) (.+)$/s.exec(cursor) ?? [];
  if (kind === undefined) throw unknownCursor();
  try {
    const mcpServer = decodeURIComponent(server);
    return { mcpServer, row: { mcpServer, name: '', ...(kind === 'resource' ? { uri: place } : { uriTemplate: place }) } };
  } catch {
    throw unknownCursor();
  }
}

function readRank(cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw unknownCursor();
}

function unknownCursor(): McpToolSetError {
  return new McpToolSetError(
    'invalid_arguments',
    'the argument "cursor" is none of this list. Take it from the last answer to the same arguments, or leave it out to begin anew.',
  );
}

/** The index of the first row after the place. */
function firstAfter(set: readonly ResourceRow[], { mcpServer, row }: Place): number {
  const [first] = set;
  if (first === undefined || first.mcpServer < mcpServer) return set.length;
  if (first.mcpServer > mcpServer) return 0;
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareRows(set[middle] as ResourceRow, row) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
