/** Follows a list from page to page, with guards against a server that never ends it. */

import { McpToolSetError } from '../errors.ts';
import type { McpRequest, McpResult, SendRequest } from '../types.ts';

/** More pages than any real list has; a server that sends more is not going to stop. */
const MAX_PAGES = 1_000;

type ListRequest = Pick<McpRequest, 'server' | 'method'> & Partial<McpRequest>;

/** A whole list. */
export interface Pages {
  readonly entries: readonly unknown[];
  /** Milliseconds for which the server calls it fresh: the least of its pages; absent where it does not say (the legacy era). */
  readonly ttl: number | undefined;
}

/**
 * The results of a list, page by page as they are asked for.
 *
 * Throws `bad_response` on a cursor that comes back (the list would never end) and past 1 000 pages.
 */
export async function* eachPage(
  send: SendRequest,
  request: ListRequest,
  { ahead = false }: { readonly ahead?: boolean } = {},
): AsyncGenerator<McpResult, void, undefined> {
  const { server, method } = request;
  const seen = new Set<string>();
  const ask = (params: object): Promise<McpResult> => send({ ...request, server, method, params: params as never, peer: {} });
  let asked = ask({});
  for (let page = 1; ; page++) {
    const result = await asked;
    const { nextCursor: cursor } = result;
    const isLast = typeof cursor !== 'string' || cursor === '';
    const problem = isLast ? undefined : problemOf(cursor, seen, page);
    if (ahead && !isLast && problem === undefined) {
      asked = ask({ cursor });
      // Whoever leaves before it is answered does not want to know.
      asked.catch(() => {});
      await sent();
    }
    yield result;
    if (problem !== undefined)
      throw new McpToolSetError('bad_response', `${method} ${problem}. Fix the server's paging.`, { server });
    if (isLast) return;
    seen.add(cursor);
    if (!ahead) asked = ask({ cursor });
  }
}

function problemOf(cursor: string, seen: ReadonlySet<string>, page: number): string | undefined {
  if (seen.has(cursor)) return 'gives the same cursor again, so its list never ends';
  return page < MAX_PAGES ? undefined : `has more than ${MAX_PAGES} pages`;
}

/** Where there is such a thing: what was asked for has left by then, and what comes next takes nobody's time. */
function sent(): Promise<void> | undefined {
  return typeof setImmediate === 'function' ? new Promise((resolve) => setImmediate(resolve)) : undefined;
}

/** Every entry of every page, in order; throws as `eachPage` does. `field` names the array in the result; what is no array counts as empty. */
export async function listPages(send: SendRequest, request: ListRequest, field: string): Promise<Pages> {
  const entries: unknown[] = [];
  const ttl = await readPages(send, request, field, (more) => {
    for (const entry of more) entries.push(entry);
  });
  return { entries, ttl };
}

/**
 * The same, each page's entries given to `take` while the next page is on its way. Resolves to the milliseconds for which the server calls
 * the list fresh, where it says so.
 */
export async function readPages(
  send: SendRequest,
  request: ListRequest,
  field: string,
  take: (entries: readonly unknown[]) => void,
): Promise<number | undefined> {
  let ttl: number | undefined;
  for await (const result of eachPage(send, request, { ahead: true })) {
    const entries = result[field];
    if (Array.isArray(entries)) take(entries);
    if (isDuration(result.ttlMs)) ttl = Math.min(result.ttlMs, ttl ?? result.ttlMs);
  }
  return ttl;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
