/** The answers that a cache keeps: in memory, and in a store that others share. */

import type { CallToolResult } from '../../types.ts';
import { canonicalJson } from '../shared/canonical.ts';
import { ask, createMemory, type TextStore } from '../shared/text-store.ts';
import { type CacheKey, digest, isOf } from './key.ts';

/** As text, so that nobody who gets it can change it for the others. */
interface Answer {
  readonly text: string;
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface AnswersOptions {
  readonly ttl: number;
  readonly maxBytes: number;
  readonly store: TextStore | undefined;
  readonly now: () => number;
}

export interface KeptAnswers {
  readonly size: number;
  readonly bytes: number;
  /** Counts the clearings: what was asked before one is not kept after it. */
  readonly epoch: number;
  /** From memory. */
  peek(key: CacheKey): string | undefined;
  /** From the store. */
  find(key: CacheKey, signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Gives the text that it is kept as; nothing where it is not. */
  keep(key: CacheKey, result: CallToolResult, epoch: number, signal: AbortSignal | undefined): Promise<string | undefined>;
  clear(principalId?: string): void;
}

export function createAnswers({ ttl, maxBytes, store, now }: AnswersOptions): KeptAnswers {
  const memory = createMemory<Answer>(maxBytes, ({ text }) => text);
  let epoch = 0;

  return {
    get size() {
      return memory.size;
    },
    get bytes() {
      return memory.calculatedSize;
    },
    get epoch() {
      return epoch;
    },
    peek({ text, fingerprint }) {
      const answer = memory.get(text);
      if (answer !== undefined && answer.fingerprint === fingerprint && now() < answer.until) return answer.text;
      memory.delete(text);
      return undefined;
    },
    async find(key, signal) {
      if (store === undefined) return undefined;
      const stored = await ask(async () => store.get(await digest(key)), signal);
      const answer = parse(stored);
      const left = answer === undefined ? 0 : answer.until - now();
      // One from a clock that is ahead would be kept for too long.
      if (answer === undefined || left <= 0 || left > ttl) return undefined;
      memory.set(key.text, { ...answer, fingerprint: key.fingerprint });
      return answer.text;
    },
    async keep(key, result, then, signal) {
      const text = write(result);
      if (text === undefined || then !== epoch) return text;
      const until = now() + ttl;
      memory.set(key.text, { text, fingerprint: key.fingerprint, until });
      if (store !== undefined) await ask(async () => store.set(await digest(key), JSON.stringify({ until, text }), ttl), signal);
      return text;
    },
    clear(principalId) {
      epoch++;
      if (principalId === undefined) return memory.clear();
      for (const key of [...memory.keys()]) if (isOf(principalId, key)) memory.delete(key);
    },
  };
}

/** What a server sent is JSON; what a tool of `wrapToolSet()` returned may be anything, and must come out as it went in. */
function write(result: CallToolResult): string | undefined {
  if ('foreign' in result && (result.foreign === undefined || canonicalJson(result.foreign) === undefined)) return undefined;
  try {
    return JSON.stringify(result);
  } catch {
    return undefined;
  }
}

/** Others may write to the store: what is none is not taken for one, and failures are not kept. */
function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { content, isError, foreign } = value as Readonly<Record<string, unknown>>;
  return (
    Array.isArray(content) &&
    !isError &&
    (foreign !== undefined || content.every((block) => typeof block === 'object' && block !== null))
  );
}

function parse(stored: string | null | undefined): Pick<Answer, 'text' | 'until'> | undefined {
  try {
    const { text, until } = JSON.parse(stored ?? 'null') ?? {};
    return typeof until === 'number' && isAnswer(JSON.parse(text)) ? { text, until } : undefined;
  } catch {
    return undefined;
  }
}
