/** Reads response bodies under a signal and a cap, and lets go of each of them. */

import { onAbort, openScope } from '../lib/abort.ts';
import { type HttpExchange, type Signalled, tooLarge } from './http-errors.ts';
import { TextPieces } from './text-pieces.ts';

/** How long and how far a body of no interest is read on. A body that was read to its end leaves its connection usable. */
export const LINGER: BodyLimits = { milliseconds: 100, bytes: 65_536 };

export function mediaType(response: Response): string {
  const type = response.headers.get('content-type') ?? '';
  if (type === 'application/json' || type === 'text/event-stream') return type;
  return type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export function isEventStream(response: Response): boolean {
  return mediaType(response) === 'text/event-stream';
}

export interface BodyLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The body piece by piece. Leaving the loop, or the signal, cancels it. */
export async function* readChunks(response: Response, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read();
      if (done) break;
      yield value;
    }
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The whole body. Throws `too_large` past the cap, declared or counted, and what the stream threw when it breaks. */
export function readText(response: Response, exchange: HttpExchange<Signalled>): Promise<string> {
  const declared = Number(response.headers.get('content-length') ?? Number.NaN);
  if (declared > exchange.maxBytes) {
    response.body?.cancel().catch(() => {});
    return Promise.reject(tooLarge(exchange));
  }
  // The runtime holds the body to its declared length, unless that is the length before decompression.
  if (declared <= exchange.maxBytes && !response.headers.has('content-encoding')) return response.text();
  return readPieces(response, exchange);
}

async function readPieces(response: Response, exchange: HttpExchange<Signalled>): Promise<string> {
  const { maxBytes, scope } = exchange;
  if (response.body === null) return '';
  // By hand, not by `readChunks`: each step of a generator costs, and most replies are one piece.
  const reader = response.body.getReader();
  const cancel = (): void => void reader.cancel(scope.signal.reason).catch(() => {});
  const ignore = onAbort(scope.signal, cancel);
  const pieces = new TextPieces();
  let bytes = 0;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      scope.signal.throwIfAborted();
      if (done) return text + pieces.end();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(exchange);
      text += pieces.decode(value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    ignore();
  }
}

/** What comes of the body within the limits. Never throws: whoever calls it has a better error to tell. */
export async function readSome(response: Response, signal: AbortSignal, limits: BodyLimits = LINGER): Promise<string> {
  const scope = openScope({ parents: [signal], budget: limits.milliseconds });
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  try {
    for await (const chunk of readChunks(response, scope.signal)) {
      bytes += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
      if (bytes > limits.bytes) break;
    }
  } catch {
    // Half a body is as good as none here.
  } finally {
    scope.release();
  }
  return text;
}
