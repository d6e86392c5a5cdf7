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

interface Worth {
  readonly session: boolean;
  readonly stream: boolean;
}

export interface IdleWatch {
  /** Whether the last use is longer ago than a session is kept. */
  readonly over: boolean;
  /** In use, until `rest`. */
  use(): void;
  /** Out of use from now on, and what there is to end. */
  rest(worth: Worth): void;
  end(): void;
}

/**
 * One timer, set anew when it fires too early: uses are many, and each would cost a timer otherwise. It only hastens what the next use
 * would find out anyway.
 */
export function createIdleWatch({ now, budget, onIdle, onQuiet }: IdleOptions): IdleWatch {
  let usedAt = now();
  let worth: Worth = { session: false, stream: false };
  let inUse = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** When it fires. */
  let setFor = Number.POSITIVE_INFINITY;

  function plan(): void {
    const keep = worth.session && budget() > 0 ? budget() : Number.POSITIVE_INFINITY;
    const due = usedAt + Math.min(keep, worth.stream ? LISTENING : Number.POSITIVE_INFINITY);
    if (due >= setFor) return;
    clearTimeout(timer);
    setFor = due;
    timer = setTimeout(check, Math.max(0, due - now()));
    unrefTimer(timer);
  }

  function check(): void {
    setFor = Number.POSITIVE_INFINITY;
    if (inUse) return;
    const unused = now() - usedAt;
    if (worth.stream && unused >= LISTENING) {
      worth = { ...worth, stream: false };
      onQuiet();
    }
    if (worth.session && budget() > 0 && unused >= budget()) {
      worth = { ...worth, session: false };
      onIdle();
    }
    plan();
  }

  return {
    get over() {
      return budget() > 0 && now() - usedAt >= budget();
    },
    use() {
      inUse = true;
    },
    rest(present) {
      inUse = false;
      usedAt = now();
      worth = present;
      if (!bindsIoToRequests()) plan();
    },
    end() {
      inUse = true;
      clearTimeout(timer);
    },
  };
}
