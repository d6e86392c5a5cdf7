/** Reads the HTTP reply to one JSON-RPC request until the request is answered, or throws why it never will be. */

import { McpToolSetError } from '../errors.ts';
import { LINGER, mediaType, readSome, readText } from './http-body.ts';
import {
  badResponse,
  type HttpExchange,
  httpError,
  inSession,
  lost,
  type Signalled,
  sessionExpired,
  statusFailure,
} from './http-errors.ts';
import type { Inbox } from './http-inbox.ts';
import { resume } from './http-resume.ts';
import { readEvents, type StreamMarks } from './sse-reader.ts';

/** How long and how much of an error's body is waited for. */
const REFUSAL_LIMITS = { milliseconds: 2_000, bytes: 1_048_576 };
const EXCERPT_LIMITS = { milliseconds: 1_000, bytes: 16_384 };

/** What reads it. */
export interface ReplyReading extends Inbox {
  /** A stream that is meant to stay open. */
  readonly isListening: boolean;
  /** Told each time that messages came and the stream goes on. */
  onPiece(): void;
  /** Opens the stream of an exchange anew, after the event of that id. */
  reopen(exchange: HttpExchange<Signalled>, lastEventId: string): Promise<Response>;
}

/** Resolves once the reply was delivered and the body is let go of. */
export function readReply(response: Response, exchange: HttpExchange<Signalled>, inbox: ReplyReading): Promise<void> {
  const { status } = response;
  const type = mediaType(response);
  if (status < 200 || status > 299) return readRefusal(response, exchange, inbox);
  if (status === 202 || status === 204) return readNothing(response, exchange, `HTTP ${status} and no reply`);
  if (type === 'application/json') return readJson(response, exchange, inbox);
  if (type === 'text/event-stream') return readStream(response, exchange, inbox);
  return readNothing(response, exchange, type === '' ? 'a body of no type' : `${type} instead of JSON`);
}

async function readNothing(response: Response, exchange: HttpExchange<Signalled>, problem: string): Promise<never> {
  const isEmpty = response.status === 202 || response.status === 204;
  const body = await readSome(response, exchange.scope.signal, isEmpty ? LINGER : EXCERPT_LIMITS);
  throw badResponse(exchange, body === '' && !isEmpty ? 'an empty body' : problem, isEmpty ? '' : body);
}

/** What a refused request fails with. Its body is let go of. */
export async function refusal(response: Response, exchange: HttpExchange<Signalled>): Promise<McpToolSetError> {
  const known = statusFailure(exchange, response);
  const body = await readSome(response, exchange.scope.signal, known === undefined ? EXCERPT_LIMITS : LINGER);
  return known ?? httpError(exchange, response, body);
}

/** The body of a refusal may be the request's JSON-RPC error: that is an answer. */
async function readRefusal(response: Response, exchange: HttpExchange<Signalled>, inbox: Inbox): Promise<void> {
  const known = statusFailure(exchange, response);
  const limits = { ...REFUSAL_LIMITS, bytes: Math.min(REFUSAL_LIMITS.bytes, exchange.maxBytes) };
  const body = await readSome(response, exchange.scope.signal, known === undefined ? limits : LINGER);
  exchange.scope.signal.throwIfAborted();
  if (known !== undefined) throw known;
  const value = parse(body);
  const said = response.status === 400 && inSession(exchange) ? sessionIn(body, value, inbox) : undefined;
  if (said === 'gone') throw sessionExpired(exchange.server);
  if (said === 'doubtful') throw sessionExpired(exchange.server, response.status);
  if (isErrorResponse(value)) await inbox.receive(value);
  if (!inbox.answered) throw httpError(exchange, response, body);
}

const NO_SESSION =
  /(?:no valid|unknown|invalid|expired|missing) session|session (?:id )?(?:not found|expired|is unknown|is invalid)|not initialized/i;
const INVALID_PARAMS = -32602;

/**
 * Many servers, the SDKs' own examples among them, answer an unknown session with 400 instead of 404. `gone`: the server says so outright,
 * so nothing was executed. `doubtful`: it speaks of sessions. An error with the request's own id is an answer to it, which may speak of
 * sessions of another kind.
 */
function sessionIn(body: string, value: unknown, inbox: Inbox): 'gone' | 'doubtful' | undefined {
  const { id, error } = (isErrorResponse(value) ? value : {}) as {
    readonly id?: unknown;
    readonly error?: { readonly code?: unknown };
  };
  if (NO_SESSION.test(body) && error?.code !== INVALID_PARAMS) return 'gone';
  return /session/i.test(body) && !inbox.names({ id }) ? 'doubtful' : undefined;
}

async function readJson(response: Response, exchange: HttpExchange<Signalled>, inbox: Inbox): Promise<void> {
  let body: string;
  try {
    body = await readText(response, exchange);
  } catch (error) {
    throw McpToolSetError.is(error) ? error : lost(exchange, error);
  }
  exchange.scope.signal.throwIfAborted();
  const value = parse(body);
  if (value === undefined) throw badResponse(exchange, body.trim() === '' ? 'an empty body' : 'invalid JSON', body);
  await inbox.receive(value);
  if (!inbox.answered) throw badResponse(exchange, 'JSON that holds no reply to it', body);
}

/** A stream that ends or breaks before the reply is gone on with, where its server gave an event to go on from. */
async function readStream(response: Response, exchange: HttpExchange<Signalled>, inbox: ReplyReading): Promise<void> {
  const marks: StreamMarks = {};
  const isGarbled = (): boolean => inbox.garbled && !inbox.answered;
  const options = {
    capTotal: !inbox.isListening,
    marks,
    onPiece: () => inbox.onPiece(),
    take(data: string): boolean | Promise<boolean> {
      const receiving = inbox.receive(parse(data));
      return receiving === undefined ? isGarbled() : receiving.then(isGarbled);
    },
  };

  /** Resolves to what broke the stream, where something did. */
  async function read(stream: Response): Promise<unknown> {
    try {
      await readEvents(stream, exchange, options);
    } catch (error) {
      if (McpToolSetError.is(error) || exchange.scope.signal.aborted) throw error;
      return error;
    }
    if (isGarbled()) throw badResponse(exchange, 'a reply that is no JSON-RPC');
    return undefined;
  }

  const broke = await read(response);
  if (inbox.answered) return;
  const reopen = (id: string): Promise<Response> => inbox.reopen(exchange, id);
  const isOver = (): boolean => inbox.answered;
  const resumed = !isModern(exchange) && (await resume({ marks, exchange, reopen, read, isOver }));
  if (!resumed) throw lost(exchange, broke);
}

/** The modern era knows no resumption; its messages name their method in a header. */
function isModern({ headers }: HttpExchange<Signalled>): boolean {
  return 'mcp-method' in headers;
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
