/** Works out the headers of one request, and from them whose connection it may use. */

import { McpToolSetError } from '../errors.ts';
import type { HeaderContext, HeadersInput, HttpServer } from '../servers.ts';
import type { Principal } from '../types.ts';

/** The server's own headers, then the principal's. A function that throws is reported without what it threw at. */
export async function resolveHeaders(headers: HttpServer['headers'], context: HeaderContext): Promise<Headers> {
  const { server, principal } = context;
  let given: HeadersInput;
  try {
    given = typeof headers === 'function' ? await headers(context) : headers;
  } catch (cause) {
    throw new McpToolSetError('unauthorized', 'its `headers` function failed, so nothing was sent. See the cause.', {
      server,
      cause,
    });
  }
  try {
    const resolved = new Headers(given);
    for (const [name, value] of Object.entries(principal?.headers ?? {})) resolved.set(name, value);
    return resolved;
  } catch {
    // The runtime's own message quotes the value.
    throw new McpToolSetError('config_invalid', 'one of its headers has a name or value that HTTP does not allow.', { server });
  }
}

/** One text for equal headers. It holds secrets: it is a key in memory and goes nowhere else, and no two sets of headers share one. */
function headersKey(headers: Headers): string {
  return JSON.stringify([...headers].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Identity in pool and cache keys of one who is somebody. */
export function principalKey({ id }: Principal): string {
  return `principal:${JSON.stringify(id)}`;
}

/** Identity in pool and cache keys: the principal's id, else the headers themselves. */
export function identityOf(principal: Principal | undefined, headers: Headers | undefined): string {
  if (principal !== undefined) return principalKey(principal);
  return headers === undefined ? '' : `headers:${headersKey(headers)}`;
}

/** The headers of a request with more for it alone, as a middleware may add them. */
export function mergeHeaders(
  headers: Headers | undefined,
  extra: Readonly<Record<string, string>> | undefined,
): Headers | undefined {
  if (extra === undefined) return headers;
  const merged = new Headers(headers);
  try {
    for (const [name, value] of Object.entries(extra)) merged.set(name, value);
  } catch {
    // The runtime's own message quotes the value.
    throw new McpToolSetError('config_invalid', 'a middleware added a header with a name or value that HTTP does not allow.');
  }
  return merged;
}
