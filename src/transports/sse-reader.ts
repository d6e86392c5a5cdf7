/** Reads the data of the message events in one SSE reply. */

import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import { onAbort } from '../lib/abort.ts';
import { type HttpExchange, type Signalled, tooLarge } from './http-errors.ts';
import { TextPieces } from './text-pieces.ts';

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
  const source = new Events(maxBytes, options.marks);
  const { events } = source;
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
      if (done) source.end();
      else source.feed(value);
      for (let index = 0; index < events.length; index++) {
        if (index > 0) await undefined;
        const enough = options.take(events[index] as string);
        if (enough === true || (enough !== false && (await enough))) return;
      }
      if (source.hasOverflown) throw tooLarge(exchange);
      if (events.length > 0 && !over) options.onPiece?.();
      events.length = 0;
    }
  } finally {
    ignore();
    if (!over) cancel();
  }
}

/** Makes the data of message events out of bytes, and marks what else the stream says. */
class Events {
  readonly events: string[] = [];
  hasOverflown = false;
  readonly #maxBytes: number;
  readonly #marks: StreamMarks;
  readonly #pieces = new TextPieces();
  #parser: EventSourceParser | undefined;

  constructor(maxBytes: number, marks: StreamMarks) {
    this.#maxBytes = maxBytes;
    this.#marks = marks;
  }

  feed(bytes: Uint8Array): void {
    const text = this.#pieces.decode(bytes);
    const only = this.#parser === undefined ? onlyMessage(text) : undefined;
    if (only === undefined) this.#parse(text);
    else this.#onEvent({ id: undefined, event: undefined, data: only });
  }

  end(): void {
    const rest = this.#pieces.end();
    // Some servers leave out the blank line after their last event.
    if (this.#parser !== undefined || rest !== '') this.#parse(`${rest}\n\n`);
  }

  #parse(text: string): void {
    this.#parser ??= createParser({
      maxBufferSize: this.#maxBytes,
      onEvent: (event) => this.#onEvent(event),
      onRetry: (milliseconds) => {
        this.#marks.retry = milliseconds;
      },
      onError: ({ type }) => {
        this.hasOverflown ||= type === 'max-buffer-size-exceeded';
      },
    });
    this.#parser.feed(text);
  }

  #onEvent({ id, event = 'message', data }: EventSourceMessage): void {
    this.hasOverflown ||= data.length > this.#maxBytes;
    if (this.hasOverflown) return;
    if (id !== undefined) this.#marks.lastEventId = id === '' ? undefined : id;
    if (event === 'message' && data !== '') this.events.push(data);
  }
}

/** The data, where the text is one message and nothing else: so most replies come, and making a parser costs more than reading them. */
function onlyMessage(text: string): string | undefined {
  const start = text.startsWith('event: message\n') ? 15 : 0;
  if (!text.startsWith('data: ', start) || !text.endsWith('\n\n')) return undefined;
  const data = text.slice(start + 6, -2);
  return data.includes('\n') || data.includes('\r') ? undefined : data;
}
