/** Goes on with a reply's event stream that ended or broke before the reply came. */

import { isEventStream, readSome } from './http-body.ts';
import type { HttpExchange, Signalled } from './http-errors.ts';
import { pause } from './http-pause.ts';
import type { StreamMarks } from './sse-reader.ts';

/** Attempts in a row that brought no further event. */
const MAX_FAILURES = 4;

export interface Resumption {
  readonly marks: StreamMarks;
  readonly exchange: HttpExchange<Signalled>;
  readonly reopen: (lastEventId: string) => Promise<Response>;
  /** Reads one stream to its end; resolves also when it breaks. */
  readonly read: (stream: Response) => Promise<unknown>;
  /** Whether the reply came. */
  readonly isOver: () => boolean;
}

/**
 * Whether the reply came after all. `false`: no event to go on from, the server has no such stream any more, or it brought nothing new
 * several times. Rejects when the exchange's signal aborts.
 */
export async function resume({ marks, exchange, reopen, read, isOver }: Resumption): Promise<boolean> {
  const { signal } = exchange.scope;
  for (let failures = 0; failures < MAX_FAILURES; failures++) {
    const { lastEventId } = marks;
    if (lastEventId === undefined) return false;
    await pause(failures, marks.retry, signal);
    if (isOver()) return true;
    const stream = await reopen(lastEventId).catch(() => undefined);
    signal.throwIfAborted();
    if (stream === undefined) continue;
    if (!stream.ok || !isEventStream(stream)) {
      await readSome(stream, signal);
      signal.throwIfAborted();
      if (stream.status < 500 && stream.status !== 429) return false;
      continue;
    }
    await read(stream);
    if (isOver()) return true;
    // A server may end its stream as often as it likes, as long as it goes on in between.
    if (marks.lastEventId !== lastEventId) failures = -1;
  }
  return false;
}
