/** One HTTP request, with redirects judged here rather than by the runtime. */

import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import type { FetchLike } from '../servers.ts';
import { readSome } from './http-body.ts';
import { type HttpExchange, networkFailure, redirectRefused } from './http-errors.ts';

const MAX_REDIRECTS = 5;

/** Sends a POST, following 307 and 308 on the same origin with the same body where the policy allows it. */
export async function post(
  fetch: FetchLike,
  exchange: HttpExchange,
  body: string,
  redirect: 'same-origin' | 'refuse',
): Promise<Response> {
  let url = exchange.url;
  for (let hops = 0; ; hops++) {
    const response = await fetchOnce(fetch, exchange, url, { method: 'POST', headers: exchange.headers, body });
    const strayed = response.redirected && response.url !== '' && new URL(response.url).origin !== url.origin;
    const redirects = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
    if (!strayed && !redirects) return response;
    await readSome(response, exchange.scope.signal);
    const target = parse(strayed ? response.url : response.headers.get('location'), url);
    const keepsMethod = response.status === 307 || response.status === 308;
    if (redirect === 'refuse' || strayed || !keepsMethod || hops === MAX_REDIRECTS || !isSamePlace(url, target)) {
      throw redirectRefused(exchange, response.status, target);
    }
    url = target;
  }
}

/** Sends one request and follows nothing. Rejects with the signal's reason as soon as it aborts, whatever `fetch` does about it. */
export async function fetchOnce(fetch: FetchLike, exchange: HttpExchange, url: URL, init: RequestInit): Promise<Response> {
  const { signal } = exchange.scope;
  signal.throwIfAborted();
  let response: Promise<Response> | undefined;
  try {
    // Not 'error': workerd refuses that, and it would hide where the redirect points.
    response = fetch(url, { ...init, redirect: 'manual', signal });
    return await abortable(response, signal);
  } catch (error) {
    response?.then((late) => late.body?.cancel()).catch(() => {});
    if (signal.aborted) throw signal.reason;
    throw McpToolSetError.is(error) ? error.at({ server: exchange.server }) : networkFailure(exchange, error);
  }
}

function parse(location: string | null, base: URL): URL | undefined {
  return location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined;
}

function isSamePlace(from: URL, to: URL | undefined): to is URL {
  return to !== undefined && to.origin === from.origin && to.username === '' && to.password === '';
}
