/** Turns a list of hooks and a last step into one function. */

import type { Wrap } from '../types.ts';

/**
 * A right fold, so there is no index to keep: the first hook is the outermost, and every `next` may be skipped, called again, or
 * given a new input.
 */
export function compose<I, O>(
  hooks: readonly (Wrap<I, O> | undefined)[],
  last: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return hooks.reduceRight<(input: I) => Promise<O>>(
    (next, hook) => (hook === undefined ? next : async (input) => hook(input, next)),
    last,
  );
}
