/** One HTTP request, with redirects judged here rather than by the runtime. */

import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import type { FetchLike } from '../servers.ts';
import { readSome } from './http-body.ts';
import { type HttpExchange, networkFailure, redirectRefused, type Signalled } from './http-errors.ts';

const MAX_REDIRECTS = 5;

/** What is sent: `GET` and `POST` follow redirects in different ways. */
export interface Outgoing {
  readonly method: 'GET' | 'POST';
  readonly headers: HttpExchange<Signalled>['headers'];
  readonly body?: string;
}

/**
 * Sends it, following 307 and 308 on the same origin with the same body where the policy allows it. Once the signal has aborted it
 * rejects with its reason, which a `fetch` that ignores its signal can delay: race it.
 */
export async function follow(
  fetch: FetchLike,
  exchange: HttpExchange<Signalled>,
  outgoing: Outgoing,
  redirect: 'same-origin' | 'refuse',
): Promise<Response> {
  const response = await fetchRaw(fetch, exchange, exchange.url, outgoing);
  return isRedirect(response, exchange.url) ? followOn(fetch, exchange, outgoing, redirect, response) : response;
}

async function followOn(
  fetch: FetchLike,
  exchange: HttpExchange<Signalled>,
  outgoing: Outgoing,
  redirect: 'same-origin' | 'refuse',
  first: Response,
): Promise<Response> {
  let { url } = exchange;
  let response = first;
  for (let hops = 0; isRedirect(response, url); hops++) {
    const strayed = hasStrayed(response, url);
    await readSome(response, exchange.scope.signal);
    const target = parse(strayed ? response.url : response.headers.get('location'), url);
    const keepsMethod = response.status === 307 || response.status === 308;
    if (redirect === 'refuse' || strayed || !keepsMethod || hops === MAX_REDIRECTS || !isSamePlace(url, target)) {
      throw redirectRefused(exchange, response.status, target);
    }
    url = target;
    response = await fetchRaw(fetch, exchange, url, outgoing);
  }
  return response;
}

function isRedirect(response: Response, url: URL): boolean {
  const { status } = response;
  return (status >= 300 && status < 400) || response.type === 'opaqueredirect' || hasStrayed(response, url);
}

/** A `fetch` that follows redirects by itself has left the origin. */
function hasStrayed(response: Response, url: URL): boolean {
  return response.redirected && response.url !== '' && new URL(response.url).origin !== url.origin;
}

/** Sends one request and follows nothing. Rejects with the signal's reason as soon as it aborts, whatever `fetch` does about it. */
export function fetchOnce(fetch: FetchLike, exchange: HttpExchange<Signalled>, url: URL, init: RequestInit): Promise<Response> {
  return abortable(fetchRaw(fetch, exchange, url, init), exchange.scope.signal);
}

async function fetchRaw(fetch: FetchLike, exchange: HttpExchange<Signalled>, url: URL, init: RequestInit): Promise<Response> {
  const { signal } = exchange.scope;
  signal.throwIfAborted();
  const { method, headers, body } = init;
  let response: Response;
  try {
    // Not 'error': workerd refuses that, and it would hide where the redirect points.
    response = await fetch(url, { method, headers, body, redirect: 'manual', signal } as RequestInit);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw McpToolSetError.is(error) ? error.at({ server: exchange.server }) : networkFailure(exchange, error);
  }
  if (!signal.aborted) return response;
  // It came too late, from a `fetch` that ignores its signal.
  response.body?.cancel().catch(() => {});
  throw signal.reason;
}

function parse(location: string | null, base: URL): URL | undefined {
  return location !== null && URL.canParse(location, base) ? new URL(location, base) : undefined;
}

function isSamePlace(from: URL, to: URL | undefined): to is URL {
  return to !== undefined && to.origin === from.origin && to.username === '' && to.password === '';
}
