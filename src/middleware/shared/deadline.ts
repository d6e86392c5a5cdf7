/** Says how much of a time-out is left, to whoever works under its signal: a wait that would outlast it need not begin. */

const left = new WeakMap<AbortSignal, () => number>();

/** `milliseconds` gives what is left, whenever it is asked. */
export function setTimeLeft(signal: AbortSignal, milliseconds: () => number): void {
  left.set(signal, milliseconds);
}

/** Milliseconds; Infinity where nobody said anything. */
export function timeLeft(signal: AbortSignal | undefined): number {
  return (signal && left.get(signal)?.()) ?? Number.POSITIVE_INFINITY;
}
