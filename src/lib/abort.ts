/** Waiting that can be ended: sleep, linked signals, deadlines. Every timer and listener made here is released here. */

/** Why a scope ended, where the reason is a budget rather than a caller. */
export class DeadlineError extends Error {
  override readonly name: string = 'DeadlineError';
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    super(`no result within ${milliseconds} ms`);
    this.milliseconds = milliseconds;
  }
}

/** Resolves after `milliseconds`; rejects with the signal's reason as soon as it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    function onAbort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Settles as the promise does, or rejects with the signal's reason, whichever comes first. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  promise.catch(() => {});
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

/** A signal of one piece of work: aborts with any of its parents and with its deadlines, and lets go of them when released. */
export interface Scope {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Starts the renewable budget anew; the total stays. */
  renew(): void;
  /** Lets go of every timer and listener, without aborting. */
  release(): void;
}

/** Opens a scope. `budget` can be renewed, `total` cannot; both in milliseconds, 0 or absent = none. */
export function openScope(options: {
  readonly parents?: readonly (AbortSignal | undefined)[];
  readonly budget?: number | undefined;
  readonly total?: number | undefined;
}): Scope {
  const controller = new AbortController();
  const parents = (options.parents ?? []).filter((parent) => parent !== undefined);
  const { budget = 0, total = 0 } = options;
  let renewable: ReturnType<typeof setTimeout> | undefined;
  let fixed: ReturnType<typeof setTimeout> | undefined;

  function abort(reason: unknown): void {
    release();
    controller.abort(reason);
  }
  function onParent(this: AbortSignal): void {
    abort(this.reason);
  }
  function release(): void {
    clearTimeout(renewable);
    clearTimeout(fixed);
    for (const parent of parents) parent.removeEventListener('abort', onParent);
  }
  function renew(): void {
    if (budget <= 0 || controller.signal.aborted) return;
    clearTimeout(renewable);
    renewable = setTimeout(abort, budget, new DeadlineError(budget));
  }

  const aborted = parents.find((parent) => parent.aborted);
  if (aborted !== undefined) controller.abort(aborted.reason);
  else {
    for (const parent of parents) parent.addEventListener('abort', onParent, { once: true });
    renew();
    if (total > 0) fixed = setTimeout(abort, total, new DeadlineError(total));
  }
  return { signal: controller.signal, abort, renew, release };
}
