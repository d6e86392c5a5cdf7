/** Follows a list from page to page, with guards against a server that never ends it. */

import { McpToolSetError } from '../errors.ts';
import type { McpRequest, McpResult, SendRequest } from '../types.ts';

/** More pages than any real list has; a server that sends more is not going to stop. */
const MAX_PAGES = 1_000;

/**
 * Every entry of every page, in order. `field` names the array in the result; what is no array counts as empty.
 *
 * Throws `bad_response` on a cursor that comes back (the list would never end) and past 1 000 pages.
 */
export async function listAll(
  send: SendRequest,
  request: Pick<McpRequest, 'server' | 'method'> & Partial<McpRequest>,
  field: string,
): Promise<unknown[]> {
  const { server, method } = request;
  const entries: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result: McpResult = await send({ ...request, server, method, params, peer: {} });
    const more = result[field];
    if (Array.isArray(more)) for (const entry of more) entries.push(entry);
    const next = result.nextCursor;
    if (typeof next !== 'string' || next === '') return entries;
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
