/** A call that yields while middleware waits around it. */

import { McpToolSetError } from '../errors.ts';
import { openScope } from '../lib/abort.ts';

/** Hands a value to the reader; resolves when it is read, rejects when nobody reads any longer. */
export type Push = (value: unknown) => Promise<void>;

interface Waiting {
  readonly value: unknown;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Starts the work when the first value is asked for and yields what it pushes, at the reader's pace. What the work resolves to comes
 * last, unless it is the value that was just yielded. When the reader leaves or the parent signal aborts, the work's signal aborts,
 * and its next push rejects.
 */
export async function* streamCall(
  work: (push: Push, signal: AbortSignal) => Promise<unknown>,
  parent: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const scope = openScope({ parents: [parent] });
  const { signal } = scope;
  const waiting: Waiting[] = [];
  let settled = false;
  let wake = (): void => {};

  function push(value: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      waiting.push({ value, resolve, reject });
      wake();
    });
  }
  signal.addEventListener('abort', () => {
    for (const { reject } of waiting) reject(signal.reason);
  });

  const outcome = work(push, signal).finally(() => {
    settled = true;
    wake();
  });
  outcome.catch(() => {});
  let latest: { readonly value: unknown } | undefined;
  try {
    for (;;) {
      const next = waiting[0];
      if (next !== undefined) {
        latest = next;
        yield next.value;
        waiting.shift();
        next.resolve();
      } else if (settled) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    const output = await outcome;
    if (output !== latest?.value) yield output;
  } finally {
    if (settled) scope.release();
    else scope.abort(new McpToolSetError('aborted', 'nobody reads the output any longer'));
    await outcome.catch(() => {});
  }
}
