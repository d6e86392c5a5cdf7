/** Posts one message of the deprecated HTTP+SSE transport; its reply, if it has one, comes on the event stream. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { FetchLike } from '../servers.ts';
import { readSome } from './http-body.ts';
import { type HttpExchange, redirectRefused } from './http-errors.ts';
import { fetchOnce } from './http-fetch.ts';
import { refusal } from './http-reply.ts';
import { sessionGone } from './legacy-sse-errors.ts';

/**
 * Resolves when the server has taken the message, and rejects when it refused it. No redirect is followed: the server has just named
 * the endpoint itself. `worked`: the session has answered before.
 */
export async function postMessage(
  fetch: FetchLike,
  exchange: HttpExchange,
  endpoint: URL,
  message: JSONRPCMessage,
  worked: boolean,
): Promise<void> {
  const { headers, scope, server, what } = exchange;
  const response = await fetchOnce(fetch, exchange, endpoint, { method: 'POST', headers, body: JSON.stringify(message) });
  const { status, ok } = response;
  if (isRedirect(response, endpoint)) {
    await readSome(response, scope.signal);
    throw redirectRefused(exchange, status, redirectTarget(response, endpoint));
  }
  if (ok) return void (await readSome(response, scope.signal));
  const failure = await refusal(response, exchange);
  // The endpoint is right, so it is the session that is gone.
  throw status === 404 && worked ? sessionGone(server, what, status) : failure;
}

/** Whether the reply is a redirect, or comes from another origin because a `fetch` followed one by itself. */
function isRedirect(response: Response, url: URL): boolean {
  return hasStrayed(response, url) || response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
}

/** Where it points, or has led. */
function redirectTarget(response: Response, url: URL): URL | undefined {
  const location = hasStrayed(response, url) ? response.url : response.headers.get('location');
  return location !== null && URL.canParse(location, url) ? new URL(location, url) : undefined;
}

function hasStrayed(response: Response, url: URL): boolean {
  return response.redirected && response.url !== '' && new URL(response.url).origin !== url.origin;
}
