/** Reads the data of the message events in one SSE reply. */

import { createParser } from 'eventsource-parser';
import { readChunks } from './http-body.ts';
import { type HttpExchange, tooLarge } from './http-errors.ts';

/**
 * Ends with the stream. An event without a name is a message, one with another name is not ours. Throws `too_large` past the cap, and
 * what the stream threw when it breaks. `capTotal`: the cap holds for the stream as a whole, not only for each event.
 */
export async function* readEvents(
  response: Response,
  exchange: HttpExchange,
  capTotal: boolean,
): AsyncGenerator<string, void, undefined> {
  const { maxBytes, scope } = exchange;
  const decoder = new TextDecoder();
  const events: string[] = [];
  let bytes = 0;
  let overflow = false;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ event = 'message', data }) {
      overflow ||= data.length > maxBytes;
      if (!overflow && event === 'message' && data !== '') events.push(data);
    },
    onError(error) {
      overflow ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  for await (const chunk of readChunks(response, scope.signal)) {
    bytes += chunk.byteLength;
    if (capTotal && bytes > maxBytes) throw tooLarge(exchange);
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* events.splice(0);
    if (overflow) throw tooLarge(exchange);
  }
  // Some servers leave out the blank line after their last event.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events.splice(0);
}
