/** Reads the data of the message events in one SSE reply. */

import { createParser } from 'eventsource-parser';
import { onAbort } from '../lib/abort.ts';
import { type HttpExchange, type Signalled, tooLarge } from './http-errors.ts';

/** What a stream said of itself. One record for all streams that go on from each other. */
export interface StreamMarks {
  /** Where to go on; absent without one, and after an empty one. */
  lastEventId?: string | undefined;
  /** Milliseconds to wait before going on. */
  retry?: number | undefined;
}

export interface EventOptions {
  /** The cap holds for the stream as a whole, not only for each event. */
  readonly capTotal: boolean;
  readonly marks: StreamMarks;
  /** Takes one message's data. `true`: enough, the rest is let go of. */
  readonly take: (data: string) => boolean | Promise<boolean>;
  /** Told after each piece that brought messages, while the stream is still open. */
  readonly onPiece?: () => void;
}

/**
 * Ends with the stream. An event without a name is a message, one with another name is not ours. The client has time to act on each:
 * a reply ends the listening for its progress. Throws `too_large` past the cap, and what the stream threw when it breaks.
 */
export async function readEvents(response: Response, exchange: HttpExchange<Signalled>, options: EventOptions): Promise<void> {
  if (response.body === null) return;
  const { maxBytes, scope } = exchange;
  const { signal } = scope;
  const { parser, events, hasOverflown } = createEvents(maxBytes, options.marks);
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {});
  const ignore = onAbort(signal, cancel);
  let bytes = 0;
  let over = false;
  try {
    while (!over) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      over = done;
      bytes += value?.byteLength ?? 0;
      if (options.capTotal && bytes > maxBytes) throw tooLarge(exchange);
      // Some servers leave out the blank line after their last event.
      parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
      for (let index = 0; index < events.length; index++) {
        if (index > 0) await undefined;
        const enough = options.take(events[index] as string);
        if (enough === true || (enough !== false && (await enough))) return;
      }
      if (hasOverflown()) throw tooLarge(exchange);
      if (events.length > 0 && !over) options.onPiece?.();
      events.length = 0;
    }
  } finally {
    ignore();
    if (!over) cancel();
  }
}

function createEvents(
  maxBytes: number,
  marks: StreamMarks,
): { parser: ReturnType<typeof createParser>; events: string[]; hasOverflown: () => boolean } {
  const events: string[] = [];
  let overflown = false;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent({ id, event = 'message', data }) {
      overflown ||= data.length > maxBytes;
      if (overflown) return;
      if (id !== undefined) marks.lastEventId = id === '' ? undefined : id;
      if (event === 'message' && data !== '') events.push(data);
    },
    onRetry(milliseconds) {
      marks.retry = milliseconds;
    },
    onError({ type }) {
      overflown ||= type === 'max-buffer-size-exceeded';
    },
  });
  return { parser, events, hasOverflown: () => overflown };
}
