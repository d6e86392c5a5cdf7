/** The event stream of the deprecated HTTP+SSE transport: a GET whose first event names the place to which messages are posted. */

import { createParser } from 'eventsource-parser';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError } from '../lib/abort.ts';
import type { FetchLike } from '../servers.ts';
import { readChunks, readSome } from './http-body.ts';
import { badResponse, type HttpExchange, tooLarge } from './http-errors.ts';
import { follow } from './http-fetch.ts';
import { refusal } from './http-reply.ts';
import { foreignEndpoint } from './legacy-sse-errors.ts';

/** Milliseconds. The endpoint is the first thing that such a server says; any other stream never says it. */
const ENDPOINT_BUDGET = 10_000;

export interface EventStream {
  /** On the origin of the server's URL. */
  readonly endpoint: URL;
  /** What the endpoint tells sessions apart by. */
  readonly sessionId: string;
  /** The data of each message. Ends with the stream; throws `too_large`, and what the stream threw when it breaks. */
  readonly messages: AsyncGenerator<string, void, undefined>;
}

/** Resolves once the endpoint is known. Whatever comes of it, the exchange's scope ends the stream. */
export async function openStream(
  fetch: FetchLike,
  exchange: HttpExchange,
  redirect: 'same-origin' | 'refuse',
): Promise<EventStream> {
  const { headers, scope, url } = exchange;
  // A `fetch` may ignore its signal.
  const response = await abortable(follow(fetch, exchange, { method: 'GET', headers }, redirect), scope.signal);
  if (!response.ok) throw await refusal(response, exchange);
  const type = response.headers.get('content-type') ?? '';
  if (!/^text\/event-stream\b/i.test(type)) {
    const body = await readSome(response, scope.signal);
    throw badResponse(exchange, `${type.split(';', 1)[0] || 'a body of no type'} instead of an event stream`, body);
  }
  const events = readEvents(response, exchange);
  scope.arm(ENDPOINT_BUDGET);
  const endpoint = await findEndpoint(events, exchange, new URL(response.url || url));
  scope.arm(0);
  const { searchParams: query, pathname, search } = endpoint;
  const sessionId = query.get('sessionId') ?? query.get('session_id') ?? pathname + search;
  return { endpoint, sessionId, messages: onlyMessages(events) };
}

interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

async function findEndpoint(events: AsyncGenerator<StreamEvent, void>, exchange: HttpExchange, base: URL): Promise<URL> {
  const { scope, server } = exchange;
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const { name, data } = next.value;
      if (name === 'endpoint') return checkedEndpoint(data, exchange, base);
    }
  } catch (error) {
    if (scope.signal.reason instanceof DeadlineError) throw noEndpoint(exchange, `within ${ENDPOINT_BUDGET} ms`);
    if (scope.signal.aborted || McpToolSetError.is(error)) throw error;
    const detail = 'its event stream broke before it named its endpoint, so nothing was executed. Try again.';
    throw new McpToolSetError('unavailable', detail, { server, cause: error });
  }
  throw noEndpoint(exchange, 'before it ended');
}

function noEndpoint(exchange: HttpExchange, when: string): McpToolSetError {
  return badResponse(
    exchange,
    `an event stream that named no endpoint ${when}, as a server of the HTTP+SSE transport does at once`,
  );
}

/** Messages carry credentials: a server may send them to another path, never to another place. */
function checkedEndpoint(data: string, exchange: HttpExchange, base: URL): URL {
  const target = resolveUrl(data.trim(), base);
  if (isOwn(target, exchange.url)) return target;
  throw foreignEndpoint(exchange.server, resolveUrl(data.trim(), base)?.origin);
}

function resolveUrl(location: string, base: URL): URL | undefined {
  return URL.canParse(location, base) ? new URL(location, base) : undefined;
}

function isOwn(target: URL | undefined, own: URL): target is URL {
  return target !== undefined && target.origin === own.origin && target.username === '' && target.password === '';
}

/** An event without a name is a message, one with another name is not ours. */
async function* onlyMessages(events: AsyncGenerator<StreamEvent, void>): AsyncGenerator<string, void, undefined> {
  for await (const { name, data } of events) if (name === 'message' && data !== '') yield data;
}

/** The cap holds for each event: the stream as a whole is meant to be endless. */
async function* readEvents(
  response: Response,
  { maxBytes, scope, ...rest }: HttpExchange,
): AsyncGenerator<StreamEvent, void, undefined> {
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ event = 'message', data }) {
      overflow ||= data.length > maxBytes;
      if (!overflow) events.push({ name: event, data });
    },
    onError(error) {
      overflow ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  for await (const chunk of readChunks(response, scope.signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
    if (overflow) throw tooLarge({ ...rest, maxBytes, scope, what: 'a request' });
  }
  // Some servers leave out the blank line after their last event.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events.splice(0);
}
