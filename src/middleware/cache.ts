/** Answers a call that was made before. */

import type { CallToolResult, McpMiddleware } from '../types.ts';
import { createAnswers, type KeptAnswers } from './cache/answers.ts';
import { createFlights } from './cache/flights.ts';
import { cacheKeyOf } from './cache/key.ts';
import { createPolicy, type PolicyOptions } from './cache/policy.ts';
import { canonicalJson } from './shared/canonical.ts';
import { isFailed } from './shared/failed.ts';
import { aDuration, aWholeNumber } from './shared/numbers.ts';
import { aBoolean, aFunction, checkOptions, type Rule } from './shared/options.ts';
import { PATTERNS, SERVERS } from './shared/patterns.ts';
import { aTextStore, type TextStore } from './shared/text-store.ts';

export interface CacheOptions extends PolicyOptions {
  /** How many milliseconds an answer is good for. */
  readonly ttl: number;
  /** Budget of the memory, in bytes; the longest unused answers go first. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** Whether calls without a principal share answers. Default false, because a `headers` function may still tell users apart. */
  readonly anonymous?: boolean | undefined;
  /** Kept there too, for other processes. A store that fails or is slow (1 s) costs nothing but the answer. */
  readonly store?: TextStore | undefined;
  /** Milliseconds since 1970, the same for all that share a store. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface CacheStats {
  readonly hits: number;
  /** Calls that waited for an equal one under way. */
  readonly joined: number;
  readonly misses: number;
  /** Calls that were none of the cache's business. */
  readonly skipped: number;
  readonly entries: number;
  readonly bytes: number;
}

export interface CacheMiddleware extends McpMiddleware {
  stats(): CacheStats;
  /** Drops what is in memory: everything, or one principal's. */
  clear(principalId?: string): void;
}

const RULES: Readonly<Record<keyof CacheOptions, Rule>> = {
  ttl: { ...aDuration(1), required: true },
  maxBytes: aWholeNumber(1),
  idempotent: aBoolean,
  trust: SERVERS,
  allow: PATTERNS,
  deny: PATTERNS,
  anonymous: aBoolean,
  store: aTextStore,
  now: aFunction,
};

/**
 * Keeps the answers of tools that say that they only read, and gives them to equal calls of the same principal: same server, tool and
 * arguments (in whatever order), and a definition that has not changed since. Equal calls at the same time are one. Decided on the
 * definition as it is at the call. Errors, results with `isError` and whatever is no JSON are not kept; `_meta` is. The resource tools
 * and those that other middleware adds answer from here only when `allow` names them.
 *
 * Hooks: `call`, last in the recommended order: what `readOnly` or `approval` refuses is refused from the cache too, `limitOutput` cuts what
 * comes out of it, and no request is sent, so a hit costs no token and has no span. Give each call a `principal`, or set `anonymous`.
 *
 * Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const answers = cache({ ttl: 60_000, trust: ['docs'] });
 * const provider = createMcpToolProvider({ servers, middleware: [readOnly(), answers] });
 * const tools = await provider.tools({ principal: { id: userId } });
 * answers.stats(); // { hits: 12, joined: 1, misses: 30, skipped: 4, entries: 28, bytes: 61_440 }
 * ```
 */
export function cache(options: CacheOptions): CacheMiddleware {
  checkOptions('cache', options, RULES);
  const { ttl, maxBytes = 16 * 2 ** 20, anonymous = false, store, now = Date.now } = options;
  const answers = createAnswers({ ttl, maxBytes, store, now });
  const flights = createFlights();
  const isKept = createPolicy(options);
  const counts = { hits: 0, joined: 0, misses: 0, skipped: 0 };

  return {
    name: 'cache',
    async call(call, next) {
      const key = isKept(call.tool) && (anonymous || call.principal !== undefined) ? cacheKeyOf(call) : undefined;
      if (key === undefined) {
        counts.skipped++;
        return next(call);
      }
      const known = answers.peek(key);
      if (known !== undefined) {
        counts.hits++;
        return read(known);
      }
      const flight = await flights.join(key, call, async (own): Promise<Landed> => {
        const stored = await answers.find(key, own.signal);
        if (stored !== undefined) return { text: stored, result: undefined };
        const epoch = answers.epoch;
        const result = await next(own);
        return { text: await keep(answers, key, result, epoch, own.signal), result };
      });
      const { text, result } = flight.value;
      if (!flight.own) counts.joined++;
      else if (result === undefined) counts.hits++;
      else counts.misses++;
      if (flight.own && result !== undefined) return result;
      // Each of those who waited gets a copy of its own; of what cannot be copied, an answer of its own.
      return text === undefined ? (copyOf(result) ?? next(call)) : read(text);
    },
    stats: () => ({ ...counts, entries: answers.size, bytes: answers.bytes }),
    clear: answers.clear,
  };
}

/** The answer as text, where it may be kept, and as it came. */
interface Landed {
  readonly text: string | undefined;
  readonly result: CallToolResult | undefined;
}

/** Failures are not kept, but are JSON all the same. */
function copyOf(result: CallToolResult | undefined): CallToolResult | undefined {
  const text = result === undefined || 'foreign' in result ? undefined : canonicalJson(result);
  return text === undefined ? undefined : read(text);
}

const read = (text: string): CallToolResult => JSON.parse(text) as CallToolResult;

async function keep(
  answers: KeptAnswers,
  key: Parameters<KeptAnswers['keep']>[0],
  result: CallToolResult,
  epoch: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  return isFailed(result) ? undefined : answers.keep(key, result, epoch, signal);
}
