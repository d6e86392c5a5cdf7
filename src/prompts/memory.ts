/** Remembers what a server last listed as its prompts, for one identity, so that a mistake can be told before anything is sent. */

import type { PromptRow } from './rows.ts';

export interface PromptMemory {
  /** The whole list, while it counts as fresh. */
  recall(): readonly PromptRow[] | undefined;
  /** Begins a listing; what it came to is kept unless it was out of date before it ended. */
  begin(): (rows: readonly PromptRow[]) => void;
  forget(): void;
}

/** `ttl`: milliseconds for which a list counts as fresh, 0 = never. */
export function createPromptMemory(now: () => number, ttl: () => number): PromptMemory {
  let kept: { readonly rows: readonly PromptRow[]; readonly at: number } | undefined;
  let changes = 0;
  return {
    recall: () => (kept !== undefined && now() - kept.at < ttl() ? kept.rows : undefined),
    begin() {
      const [started, at] = [changes, now()];
      return (rows) => {
        if (started === changes) kept = { rows, at };
      };
    },
    forget() {
      changes++;
      kept = undefined;
    },
  };
}
