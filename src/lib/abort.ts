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

const watched = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once when the signal aborts, unless the returned function is called before. However many wait on one signal, it has one
 * listener: a run's signal is shared by all its calls, and Node warns of a leak from the eleventh listener on.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = watched.get(signal);
  if (callbacks === undefined) {
    callbacks = new Set();
    watched.set(signal, callbacks);
    signal.addEventListener('abort', tellAll, { once: true });
  }
  callbacks.add(callback);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || watched.get(signal) !== callbacks) return;
    watched.delete(signal);
    signal.removeEventListener('abort', tellAll);
  };
}

function tellAll(this: AbortSignal): void {
  const callbacks = watched.get(this) ?? [];
  watched.delete(this);
  for (const callback of callbacks) callback();
}

/** Resolves after `milliseconds`; rejects with the signal's reason as soon as it aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    let ignore: (() => void) | undefined;
    const timer = setTimeout(() => {
      ignore?.();
      resolve();
    }, milliseconds);
    ignore =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
  });
}

/** Settles as the promise does, or rejects with the signal's reason, whichever comes first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    const ignore = signal.aborted ? abort() : onAbort(signal, abort);
    promise.then(
      (value) => {
        ignore?.();
        resolve(value);
      },
      (error: unknown) => {
        ignore?.();
        reject(error);
      },
    );
  });
}

/** Waits until the promise settles, however it does, and at most so many milliseconds. Rejects only when the signal aborts. */
export async function waitAtMost(promise: Promise<unknown>, milliseconds: number, signal?: AbortSignal): Promise<void> {
  const scope = openScope({ parents: [signal], budget: milliseconds });
  await abortable(promise, scope.signal).catch(() => {});
  scope.release();
  signal?.throwIfAborted();
}

/** A signal of one piece of work: aborts with any of its parents and with its deadlines, and lets go of them when released. */
export interface Scope {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Starts its deadlines, in milliseconds, 0 = none: `budget` can be renewed, `total` cannot. */
  arm(budget: number, total?: number): void;
  /** Starts the renewable deadline anew. */
  renew(): void;
  /** Lets go of every timer and listener, without aborting. */
  release(): void;
}

export interface ScopeOptions {
  readonly parents?: readonly (AbortSignal | undefined)[];
  /** Milliseconds, 0 or absent = none. */
  readonly budget?: number | undefined;
  /** What stands as the signal's reason in place of the real one. */
  readonly disguise?: ((reason: unknown) => unknown) | undefined;
  /** Told of that reason when it aborts: for its owner, at less than a listener costs. */
  readonly tell?: ((reason: unknown) => void) | undefined;
}

/** Opens a scope. Its owner releases it, whatever becomes of the work. */
export function openScope({ parents = [], budget: first = 0, disguise, tell }: ScopeOptions): Scope {
  const controller = new AbortController();
  const ignores: (() => void)[] = [];
  let budget = 0;
  let renewable: ReturnType<typeof setTimeout> | undefined;
  let fixed: ReturnType<typeof setTimeout> | undefined;

  function release(): void {
    clearTimeout(renewable);
    clearTimeout(fixed);
    for (const ignore of ignores.splice(0)) ignore();
  }
  function abort(reason: unknown): void {
    release();
    if (controller.signal.aborted) return;
    controller.abort(disguise === undefined ? reason : disguise(reason));
    tell?.(controller.signal.reason);
  }
  const expire = (milliseconds: number): void => abort(new DeadlineError(milliseconds));
  function renew(): void {
    if (budget <= 0 || controller.signal.aborted) return;
    clearTimeout(renewable);
    renewable = setTimeout(expire, budget, budget);
  }
  function arm(next: number, total = 0): void {
    clearTimeout(renewable);
    clearTimeout(fixed);
    budget = next;
    renew();
    if (total > 0 && !controller.signal.aborted) fixed = setTimeout(expire, total, total);
  }

  const over = parents.find((parent) => parent?.aborted);
  if (over !== undefined) abort(over.reason);
  else {
    for (const parent of parents) if (parent !== undefined) ignores.push(onAbort(parent, () => abort(parent.reason)));
    arm(first);
  }
  return { signal: controller.signal, abort, arm, renew, release };
}
