/** Says how much of a time-out is left, to whoever works under its signal: a wait that would outlast it need not begin. */

// On the signal itself, which whoever sets it has made: a WeakMap costs ten times as much where its keys live as short as a request.
const LEFT: unique symbol = Symbol('mcp-tool-set.timeLeft');

type Timed = AbortSignal & { [LEFT]?: () => number };

/** `milliseconds` gives what is left, whenever it is asked. The signal is the caller's own. */
export function setTimeLeft(signal: AbortSignal, milliseconds: () => number): void {
  (signal as Timed)[LEFT] = milliseconds;
}

/** Milliseconds; Infinity where nobody said anything. */
export function timeLeft(signal: AbortSignal | undefined): number {
  return (signal as Timed | undefined)?.[LEFT]?.() ?? Number.POSITIVE_INFINITY;
}
