/** Waiting in a line: a timer that a change in the line or the end of a signal cuts short. */

import { onAbort } from '../../lib/abort.ts';
import { bindsIoToRequests } from '../../lib/runtime.ts';

/** One who waits. */
export interface Waiter {
  readonly weight: number;
  /** When it stops waiting, on the line's clock. */
  readonly deadline: number;
  /** Ends its pause, so that it looks at its place again. */
  wake(): void;
}

/** Resolves after so many milliseconds, when it is woken, or when the signal aborts, whichever comes first. */
export function pause(waiter: Waiter, milliseconds: number, signal: AbortSignal | undefined, onTime?: () => void): Promise<void> {
  return new Promise((resolve) => {
    let ignore: (() => void) | undefined;
    function end(): void {
      clearTimeout(timer);
      ignore?.();
      waiter.wake = () => {};
      resolve();
    }
    const timer = setTimeout(() => {
      onTime?.();
      end();
    }, Math.ceil(milliseconds));
    waiter.wake = end;
    ignore = signal && onAbort(signal, end);
  });
}

/** Where waiting belongs to a request, nobody else may end it: then the waiter finds what changed when its own timer ends. */
export function notify(waiter: Waiter): void {
  if (!bindsIoToRequests()) waiter.wake();
}
