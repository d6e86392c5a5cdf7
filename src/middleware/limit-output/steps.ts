/** What the results of one step of a run have taken together. */

import { utf8Length } from '../shared/utf8.ts';
import type { CountTokens, OutputLimit } from './budget.ts';

export interface Steps {
  /** The limit, or what is left for the step where that is less: always enough for the notice. */
  within(limit: OutputLimit, messages: readonly unknown[]): OutputLimit;
  add(messages: readonly unknown[], text: string): void;
}

interface Used {
  tokens: number;
  bytes: number;
}

const LEAST = { maxTokens: 100, maxBytes: 400 } as const;

/** The calls of one step are given the same list of messages. */
export function createSteps(total: OutputLimit | undefined, count: CountTokens): Steps {
  const steps = new WeakMap<readonly unknown[], Used>();
  function smaller(limit: number | undefined, all: number | undefined, used: number, least: number): number | undefined {
    if (all === undefined) return limit;
    return Math.max(least, Math.min(limit ?? all, all - used));
  }

  return {
    within(limit, messages) {
      if (total === undefined) return limit;
      const { tokens, bytes } = steps.get(messages) ?? { tokens: 0, bytes: 0 };
      const { maxTokens, maxBytes } = total;
      return {
        maxTokens: smaller(limit.maxTokens, maxTokens, tokens, LEAST.maxTokens),
        maxBytes: smaller(limit.maxBytes, maxBytes, bytes, LEAST.maxBytes),
      };
    },
    add(messages, text) {
      if (total === undefined) return;
      const used = steps.get(messages) ?? { tokens: 0, bytes: 0 };
      if (total.maxTokens !== undefined) used.tokens += count(text);
      if (total.maxBytes !== undefined) used.bytes += utf8Length(text);
      steps.set(messages, used);
    },
  };
}
