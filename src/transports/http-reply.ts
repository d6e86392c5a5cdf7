/** Reads the HTTP reply to one JSON-RPC request until the request is answered, or throws why it never will be. */

import { McpToolSetError } from '../errors.ts';
import { LINGER, readSome, readText } from './http-body.ts';
import { badResponse, type HttpExchange, httpError, lost, sessionExpired, statusFailure } from './http-errors.ts';
import type { Inbox } from './http-inbox.ts';
import { readEvents } from './sse-reader.ts';

/** How long and how much of an error's body is waited for. */
const REFUSAL_LIMITS = { milliseconds: 2_000, bytes: 1_048_576 };
const EXCERPT_LIMITS = { milliseconds: 1_000, bytes: 16_384 };

/** Resolves once the reply was delivered and the body is let go of. `isListening`: a stream that is meant to stay open. */
export async function readReply(response: Response, exchange: HttpExchange, inbox: Inbox, isListening: boolean): Promise<void> {
  if (!response.ok) return readRefusal(response, exchange, inbox);
  const type = mediaType(response);
  if (response.status === 202 || response.status === 204) {
    await readSome(response, exchange.scope.signal);
    throw badResponse(exchange, `HTTP ${response.status} and no reply`);
  }
  if (type === 'text/event-stream') await readStream(response, exchange, inbox, !isListening);
  else if (type === 'application/json') await readJson(response, exchange, inbox);
  else {
    const body = await readSome(response, exchange.scope.signal, EXCERPT_LIMITS);
    throw badResponse(
      exchange,
      body === '' ? 'an empty body' : type === '' ? 'a body of no type' : `${type} instead of JSON`,
      body,
    );
  }
}

/** What a refused request fails with. Its body is let go of. */
export async function refusal(response: Response, exchange: HttpExchange): Promise<McpToolSetError> {
  const known = statusFailure(exchange, response);
  const body = await readSome(response, exchange.scope.signal, known === undefined ? EXCERPT_LIMITS : LINGER);
  return known ?? httpError(exchange, response, body);
}

/** The body of a refusal may be the request's JSON-RPC error: that is an answer. */
async function readRefusal(response: Response, exchange: HttpExchange, inbox: Inbox): Promise<void> {
  const known = statusFailure(exchange, response);
  const limits = { ...REFUSAL_LIMITS, bytes: Math.min(REFUSAL_LIMITS.bytes, exchange.maxBytes) };
  const body = await readSome(response, exchange.scope.signal, known === undefined ? limits : LINGER);
  exchange.scope.signal.throwIfAborted();
  if (known !== undefined) throw known;
  // Many servers, the SDKs' own examples among them, answer an unknown session so instead of with 404.
  const unknown = response.status === 400 && exchange.headers.has('mcp-session-id') && /session|not initialized/i.test(body);
  if (unknown) throw sessionExpired(exchange.server);
  const value = parse(body);
  if (isErrorResponse(value)) await inbox.receive(value);
  if (!inbox.answered) throw httpError(exchange, response, body);
}

async function readJson(response: Response, exchange: HttpExchange, inbox: Inbox): Promise<void> {
  let body: string;
  try {
    body = await readText(response, exchange);
  } catch (error) {
    throw McpToolSetError.is(error) ? error : lost(exchange, error);
  }
  const value = parse(body);
  if (value === undefined) throw badResponse(exchange, body.trim() === '' ? 'an empty body' : 'invalid JSON', body);
  await inbox.receive(value);
  if (!inbox.answered) throw badResponse(exchange, 'JSON that holds no reply to it', body);
}

async function readStream(response: Response, exchange: HttpExchange, inbox: Inbox, capTotal: boolean): Promise<void> {
  try {
    for await (const data of readEvents(response, exchange, capTotal)) {
      await inbox.receive(parse(data));
      if (inbox.garbled) break;
    }
  } catch (error) {
    if (inbox.answered) return;
    throw McpToolSetError.is(error) ? error : lost(exchange, error);
  }
  if (inbox.answered) return;
  throw inbox.garbled ? badResponse(exchange, 'a reply that is no JSON-RPC') : lost(exchange);
}

function mediaType(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** A body of other makings with an `error` in it is not for the client. */
function isErrorResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && 'jsonrpc' in value;
}

/** `undefined` where it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
