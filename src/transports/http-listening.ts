/** The stream on which a server of the legacy era tells of what belongs to no request: opened on demand, and kept open. */

import { McpToolSetError } from '../errors.ts';
import { openScope, type Scope } from '../lib/abort.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import { isEventStream, readSome } from './http-body.ts';
import { statusFailure } from './http-errors.ts';
import { idlePause, pauseOf } from './http-pause.ts';
import type { Posted } from './http-session.ts';
import { readEvents, type StreamMarks } from './sse-reader.ts';

/** Failures in a row after which it is given up. */
const MAX_FAILURES = 6;
/** Not a no: only not now. */
const LATER: ReadonlySet<number> = new Set([408, 425, 429]);
/** A stream that lasted so long was well, in milliseconds, whatever came on it. */
const WELL = 5_000;

export interface ListeningOptions {
  open(scope: Scope, lastEventId: string | undefined): Promise<Posted>;
  /** One message or an array of them. */
  deliver(value: unknown): Promise<void> | undefined;
  onChange(open: boolean): void;
  /** Told where the server refused for a reason that somebody can mend. */
  onError(error: McpToolSetError): void;
  readonly now: () => number;
}

export interface HttpListening {
  readonly isOpen: boolean;
  /** Pending from `start()` until it is open, or known not to be. */
  readonly opening: Promise<void> | undefined;
  /** Does nothing while it is open or about to be, nor where the server has refused. */
  start(): void;
  stop(): void;
}

/** Where I/O belongs to its request there is nothing to keep open. */
export function createHttpListening(options: ListeningOptions): HttpListening {
  let current: Scope | undefined;
  let isOpen = false;
  let refused = false;
  let opening: Promise<void> | undefined;
  let answer = (): void => {};

  function change(open: boolean): void {
    answer();
    if (isOpen === open) return;
    isOpen = open;
    options.onChange(open);
  }

  /** `refused`: the server has none. `well`: it came about and was of use. */
  async function once(scope: Scope, marks: StreamMarks): Promise<'refused' | 'well' | 'failed'> {
    const { signal } = scope;
    const { response, exchange } = await options.open(scope, marks.lastEventId);
    if (!response.ok || !isEventStream(response)) {
      await readSome(response, signal);
      const { status } = response;
      if (status === 401 || status === 403) options.onError(statusFailure(exchange, response) as McpToolSetError);
      return (status < 500 && !LATER.has(status)) || status === 501 ? 'refused' : 'failed';
    }
    const openedAt = options.now();
    const { lastEventId } = marks;
    let count = 0;
    const take = (data: string): boolean | Promise<boolean> => {
      count++;
      const delivering = options.deliver(parse(data));
      return delivering === undefined ? false : delivering.then(() => false);
    };
    change(true);
    try {
      await readEvents(response, exchange, { capTotal: false, marks, take });
    } catch {
      // A network failure, or an event above the cap; the next stream goes on after it.
    }
    const brought = count > 0 || marks.lastEventId !== lastEventId;
    return brought || options.now() - openedAt >= WELL ? 'well' : 'failed';
  }

  async function keep(scope: Scope): Promise<void> {
    const { signal } = scope;
    const marks: StreamMarks = {};
    let failures = 0;
    while (failures < MAX_FAILURES) {
      const outcome = await once(scope, marks).catch((error: unknown) => judge(error, signal));
      if (current !== scope) return;
      change(false);
      if (outcome === 'refused') refused = true;
      if (refused) return;
      failures = outcome === 'well' ? 0 : failures + 1;
      if (failures < MAX_FAILURES) await idlePause(pauseOf(Math.max(failures - 1, 0), marks.retry), signal);
    }
  }

  function judge(error: unknown, signal: AbortSignal): 'refused' | 'failed' {
    if (signal.aborted || !McpToolSetError.is(error) || error.code !== 'redirect_refused') return 'failed';
    options.onError(error);
    return 'refused';
  }

  function stop(): void {
    const scope = current;
    current = undefined;
    scope?.abort('unlisten');
    change(false);
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get opening() {
      return opening;
    },
    start() {
      if (current !== undefined || refused || bindsIoToRequests()) return;
      const scope = openScope({});
      current = scope;
      opening = new Promise((resolve) => {
        answer = () => {
          opening = undefined;
          resolve();
        };
      });
      // Given up: the next wish tries again.
      void keep(scope).finally(() => current === scope && stop());
    },
    stop,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
