/** How long to wait before a stream is opened again. */

import { onAbort, sleep } from '../lib/abort.ts';
import { unrefTimer } from '../lib/runtime.ts';

/** Milliseconds. */
const FIRST = 1_000;
const LONGEST = 30_000;
/** The longest that a timer can take. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Doubles with each failure in a row, from what the server asked for (`retry`) or a second; never less than that, and up to an eighth
 * more by chance, so that not all clients of a server that was gone come back at once.
 */
export function pauseOf(failures: number, retry: number = FIRST): number {
  const grown = Math.max(retry, Math.min(Math.max(retry, 100) * 2 ** failures, LONGEST));
  return Math.min(grown * (1 + Math.random() / 8), LONGEST_TIMER);
}

/** Rejects with the signal's reason as soon as it aborts. */
export function pause(failures: number, retry: number | undefined, signal: AbortSignal): Promise<void> {
  return sleep(pauseOf(failures, retry), signal);
}

/** Lets the process end meanwhile. Resolves also when the signal aborts. */
export function idlePause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      ignore();
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    unrefTimer(timer);
    const ignore = onAbort(signal, end);
  });
}
