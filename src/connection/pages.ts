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
export async function* eachPage(send: SendRequest, request: ListRequest): AsyncGenerator<McpResult, void, undefined> {
  const { server, method } = request;
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result: McpResult = await send({ ...request, server, method, params, peer: {} });
    yield result;
    const next = result.nextCursor;
    if (typeof next !== 'string' || next === '') return;
    if (seen.has(next)) {
      throw new McpToolSetError(
        'bad_response',
        `${method} gives the same cursor again, so its list never ends. Fix the server's paging.`,
        { server },
      );
    }
    seen.add(next);
    cursor = next;
  }
  throw new McpToolSetError('bad_response', `${method} has more than ${MAX_PAGES} pages. Fix the server's paging.`, { server });
}

/** Every entry of every page, in order; throws as `eachPage` does. `field` names the array in the result; what is no array counts as empty. */
export async function listPages(send: SendRequest, request: ListRequest, field: string): Promise<Pages> {
  const entries: unknown[] = [];
  let ttl: number | undefined;
  for await (const result of eachPage(send, request)) {
    const more = result[field];
    if (Array.isArray(more)) for (const entry of more) entries.push(entry);
    if (isDuration(result.ttlMs)) ttl = Math.min(result.ttlMs, ttl ?? result.ttlMs);
  }
  return { entries, ttl };
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
