/** What went wrong on the way to a Streamable HTTP server, as errors that say what to do next. */

import { type McpErrorCode, McpToolSetError } from '../errors.ts';
import type { Scope } from '../lib/abort.ts';
import { excerpt, type SentHeaders } from './http-excerpt.ts';
import { isUnreached, networkCodes } from './network-cause.ts';

/** What has a signal that ends it. */
export interface Signalled {
  readonly signal: AbortSignal;
}

/** One HTTP request: where it goes, what bounds it, and what its errors are told with. */
export interface HttpExchange<S extends Signalled = Scope> {
  /** The server's key. */
  readonly server: string;
  readonly url: URL;
  /** The JSON-RPC method, or words for a message that has none. */
  readonly what: string;
  /** As sent: their values are kept out of every text. */
  readonly headers: SentHeaders;
  readonly scope: S;
  /** Cap of the reply in bytes. */
  readonly maxBytes: number;
  readonly now: () => number;
}

type Exchange = HttpExchange<Signalled>;

/** The URL without what may be secret in it. */
function place(url: URL): string {
  return url.origin + url.pathname;
}

/** `fetch` rejected: either no connection came about, or it was lost and nobody knows how far the request got. */
export function networkFailure(exchange: Exchange, cause: unknown): McpToolSetError {
  if (!isUnreached(cause)) return lost(exchange, cause);
  const [code] = networkCodes(cause);
  return new McpToolSetError(
    'unavailable',
    `no connection to ${place(exchange.url)}${code === undefined ? '' : ` (${code})`}, so nothing was executed. Check the URL, the network and that the server is running, then try again.`,
    { server: exchange.server, cause, data: code === undefined ? {} : { cause: code } },
  );
}

/** Browsers say no more than this of a request that CORS forbids: it may have been executed and its reply withheld. */
const CORS =
  ' The runtime gives no reason: in a browser, CORS may be the cause. The server must allow this origin, the request headers and DELETE, and expose `mcp-session-id`.';

function isBare(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'TypeError' && cause.cause === undefined && networkCodes(cause).length === 0;
}

/** The connection ended after the request was sent and before its reply was complete. */
export function lost(exchange: Exchange, cause?: unknown): McpToolSetError {
  return new McpToolSetError(
    'outcome_unknown',
    `the connection was lost after ${exchange.what} was sent to ${place(exchange.url)} and before the reply came. It may have been executed: check its effect before you try it again.${isBare(cause) ? CORS : ''}`,
    { server: exchange.server, cause },
  );
}

/** A 2xx reply that is not MCP; `problem` completes "answered … with". */
export function badResponse(exchange: Exchange, problem: string, body = ''): McpToolSetError {
  return new McpToolSetError(
    'bad_response',
    `answered ${exchange.what} with ${problem}${quote(exchange, body)}. Check that ${place(exchange.url)} is the server's MCP endpoint and no login or proxy page.`,
    { server: exchange.server },
  );
}

export function tooLarge(exchange: Exchange): McpToolSetError {
  return new McpToolSetError(
    'too_large',
    `its reply to ${exchange.what} is larger than ${exchange.maxBytes} bytes and was dropped. Ask for less, or raise \`maxResponseBytes\`.`,
    { server: exchange.server, data: { maxResponseBytes: exchange.maxBytes } },
  );
}

/** A redirect that is not followed; only the target's origin is told, the rest of it is the server's choice. */
export function redirectRefused(exchange: Exchange, status: number, target: URL | undefined): McpToolSetError {
  const towards = target === undefined ? 'to an address that it does not name' : `to ${target.origin}`;
  return new McpToolSetError(
    'redirect_refused',
    `answered ${exchange.what} with a redirect ${towards}, which was not followed. If that is where the server lives now, set its new address as \`url\`.`,
    { server: exchange.server, data: { status } },
  );
}

const BY_STATUS: Readonly<Record<number, readonly [McpErrorCode, string]>> = {
  401: ['unauthorized', 'Nothing was executed: give it valid credentials, for example in `headers.authorization`.'],
  403: ['forbidden', 'Nothing was executed: these credentials do not allow it, so ask for access or use others.'],
  404: ['session_expired', 'Nothing was executed: its session is gone, so connect again.'],
  429: ['rate_limited', 'Nothing was executed.'],
};

/** The failure that a status names by itself, whatever the body says; 404 does only where a session id was sent. */
export function statusFailure(exchange: Exchange, response: Response): McpToolSetError | undefined {
  const { status } = response;
  if (status === 404 && !inSession(exchange)) return undefined;
  const known = BY_STATUS[status];
  if (known === undefined) return undefined;
  const wait = status === 429 ? retryAfter(exchange, response) : undefined;
  return new McpToolSetError(
    known[0],
    `answered HTTP ${status} to ${exchange.what}. ${known[1]}${status === 429 ? ` ${again(wait)}` : ''}`,
    {
      server: exchange.server,
      data: wait === undefined ? { status } : { status, retryAfter: wait },
    },
  );
}

/** Whether it was sent with a session id. */
export function inSession({ headers }: Exchange): boolean {
  return 'has' in headers && typeof headers.has === 'function' ? headers.has('mcp-session-id') : 'mcp-session-id' in headers;
}

/** What a message gets that would go to a session of which a 404 said that it is gone, or that was refused so in words (with a `status`). */
export function sessionExpired(server: string, status?: number): McpToolSetError {
  const detail =
    status === undefined ? 'its session is gone, so nothing was sent.' : `answered HTTP ${status}: it does not know the session.`;
  return new McpToolSetError('session_expired', `${detail} Connect again.`, {
    server,
    data: status === undefined ? {} : { status },
  });
}

/** The user's `headers` function failed. */
export function headersFailed(server: string, cause: unknown): McpToolSetError {
  if (McpToolSetError.is(cause)) return cause.at({ server });
  const detail = 'its headers could not be made, so nothing was sent. Check the `headers` function of this server.';
  return new McpToolSetError('unavailable', detail, { server, cause });
}

/** Any other status that is no answer. */
export function httpError(exchange: Exchange, response: Response, body: string): McpToolSetError {
  const { status } = response;
  const wait = retryAfter(exchange, response);
  const next =
    status >= 500
      ? `It may have been executed; the fault is the server's. ${again(wait)}`
      : `Check that ${place(exchange.url)} is the server's MCP endpoint.${misses(exchange, status, body) ? HIDDEN : ''}`;
  return new McpToolSetError('http_error', `answered HTTP ${status} to ${exchange.what}${quote(exchange, body)}. ${next}`, {
    server: exchange.server,
    data: wait === undefined ? { status } : { status, retryAfter: wait },
  });
}

/** A browser hides the session id of a server that does not expose it. */
const HIDDEN = ' In a browser, its CORS headers must expose `mcp-session-id`.';

function misses(exchange: Exchange, status: number, body: string): boolean {
  return status === 400 && exchange.what !== 'initialize' && !inSession(exchange) && /session/i.test(body);
}

function again(wait: number | undefined): string {
  return wait === undefined ? 'Try again later.' : `Try again in ${Math.ceil(wait / 1000)} s.`;
}

/** A body that answers a tool call may quote its arguments, so it is not shown. */
function quote(exchange: Exchange, body: string): string {
  const text = exchange.what === 'tools/call' ? '' : excerpt(body, exchange.headers, exchange.url);
  return text === '' ? '' : `: "${text}"`;
}

/** Milliseconds of a Retry-After header, given in seconds or as a date; a date is measured against the server's own clock. */
function retryAfter(exchange: Exchange, response: Response): number | undefined {
  const value = response.headers.get('retry-after')?.trim() ?? '';
  let wait = Number.NaN;
  if (/^\d+$/.test(value)) wait = Number(value) * 1000;
  // Date.parse takes almost anything for a date: an HTTP date begins with the name of a day.
  else if (/^[A-Za-z]{3,9},? /.test(value)) {
    const sent = Date.parse(response.headers.get('date') ?? '');
    wait = Math.max(0, Date.parse(value) - (Number.isNaN(sent) ? exchange.now() : sent));
  }
  return Number.isSafeInteger(wait) ? wait : undefined;
}
