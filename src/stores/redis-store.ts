/** Counts limits on Redis, so that processes share them. */

import { describe, invalid } from '../lib/issues.ts';
import type { RateLimitAnswer, RateLimitStore } from '../middleware/rate-limit/answer.ts';
import { checkOptions, type Rule } from '../middleware/shared/options.ts';
import { TAKE } from './take-script.ts';

/** What is needed of a client of `ioredis`, single or cluster. */
export interface IoRedisLike {
  eval(...args: never[]): Promise<unknown>;
  defineCommand(...args: never[]): unknown;
}

/** What is needed of a client of `redis` (node-redis 4 or later), single, pool or cluster. */
export interface NodeRedisLike {
  eval(...args: never[]): Promise<unknown>;
  evalSha(...args: never[]): Promise<unknown>;
}

export interface RedisStoreOptions {
  /** What every key begins with. Default `mcp-tool-set:`. */
  readonly prefix?: string | undefined;
}

const RULES: Readonly<Record<keyof RedisStoreOptions, Rule>> = {
  prefix: { phrase: 'a text', test: (value) => typeof value === 'string' },
};

/**
 * A store for `rateLimit()` on a Redis client of yours, of `ioredis` or `redis`; it is never closed. Each question is one script, which
 * decides and counts in one step by the clock of Redis: however many processes ask, no interval ever holds more than the limit.
 *
 * A limit without `burst` keeps one entry of about 100 bytes for each start that still counts, one with `burst` two numbers. Keys go
 * by themselves when nothing counts. Needs Redis 5 or later, or Valkey. Throws `config_invalid` at once for what is no such client.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 *
 * const store = redisStore(new Redis(process.env.REDIS_URL));
 * const limits = rateLimit({ limit: 100, interval: 60_000, store, onStoreError: 'deny' });
 * ```
 */
export function redisStore(client: IoRedisLike | NodeRedisLike, options: RedisStoreOptions = {}): RateLimitStore {
  checkOptions('redisStore', options, RULES);
  const { prefix = 'mcp-tool-set:' } = options;
  const run = evaluator(client);
  return {
    async take(key, { limit, interval, burst, weight, ahead }) {
      // The two ways of counting never meet on one key.
      const full = `${prefix}${burst === undefined ? 'log' : 'bucket'}:${key}`;
      return answerOf(await run(full, [limit, interval * 1_000, burst ?? 0, weight, ahead].map(String)), burst ?? limit);
    },
  };
}

type Evaluate = (...args: unknown[]) => Promise<unknown>;

/**
 * The whole script each time: Redis keeps it compiled by its hash, and one command of a kilobyte is less than a second round trip for
 * every server that does not know the hash yet.
 */
function evaluator(client: IoRedisLike | NodeRedisLike): (key: string, args: readonly string[]) => Promise<unknown> {
  const has = (method: string): boolean => typeof (client as unknown as Record<string, unknown> | null)?.[method] === 'function';
  const evaluate: Evaluate = (...args) => (client.eval as unknown as Evaluate).call(client, ...args);
  if (has('eval') && has('defineCommand')) return (key, args) => evaluate(TAKE, 1, key, ...args);
  if (has('eval') && has('evalSha')) return (key, args) => evaluate(TAKE, { keys: [key], arguments: args });
  throw invalid('The client of redisStore()', [
    { path: '', message: `must be a client of "ioredis", or of "redis" from version 4 on, not ${describe(client)}.` },
  ]);
}

function answerOf(reply: unknown, limit: number): RateLimitAnswer {
  // A client may be told to read numbers as texts.
  const [allowed, remaining, reset, wait, now] = Array.isArray(reply) ? reply.map((item) => Number(String(item))) : [];
  if (remaining === undefined || reset === undefined || wait === undefined || now === undefined) {
    throw new TypeError('Redis gave no answer to the script');
  }
  return { allowed: allowed === 1, limit, remaining, resetAt: (now + reset) / 1_000, retryAfter: wait / 1_000 };
}
