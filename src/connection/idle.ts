/** Ends what nobody has used for a while: first the stream that listens, later the session. */

import { bindsIoToRequests, unrefTimer } from '../lib/runtime.ts';

/** Milliseconds. */
const LISTENING = 60_000;

export interface IdleOptions {
  readonly now: () => number;
  /** Milliseconds that a session is kept without use; 0 = for good. */
  readonly budget: () => number;
  readonly onIdle: () => void;
  /** The stream is no longer worth its socket. */
  readonly onQuiet: () => void;
}

export interface IdleWatch {
  /** Whether the last use is longer ago than a session is kept. */
  readonly over: boolean;
  /** In use: no timer runs. */
  stop(): void;
  /** Out of use from now on. The timers only hasten what the next use would find out anyway. */
  start(worth: { readonly session: boolean; readonly stream: boolean }): void;
}

export function createIdleWatch({ now, budget, onIdle, onQuiet }: IdleOptions): IdleWatch {
  let usedAt = now();
  let timers: ReturnType<typeof setTimeout>[] = [];

  function stop(): void {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  }
  function after(milliseconds: number, work: () => void): void {
    const timer = setTimeout(work, milliseconds);
    unrefTimer(timer);
    timers.push(timer);
  }

  return {
    get over() {
      return budget() > 0 && now() - usedAt >= budget();
    },
    stop,
    start({ session, stream }) {
      usedAt = now();
      stop();
      if (bindsIoToRequests()) return;
      if (session && budget() > 0) after(budget(), onIdle);
      if (stream) after(LISTENING, onQuiet);
    },
  };
}
