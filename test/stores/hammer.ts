/** One process of several that share a limit: sends calls through `rateLimit()` and tells its parent which of them started, and when. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpToolSetError } from '../../src/errors.ts';
import type { RateLimiter, RateLimitStore } from '../../src/middleware/rate-limit/answer.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { rateLimiterFlexible, redisStore, upstashLimiter } from '../../src/stores/index.ts';
import { OK, request } from '../middleware/fake.ts';
import type { Order, Outcome } from './processes.ts';

// Milliseconds between two looks at how late timers are.
const RESOLUTION = 10;

process.once('message', async (order: Order) => {
  const { engine, redis, prefix, limit, interval, calls, perSecond, maxWait } = order;
  const seconds = interval / 1_000;
  const grants: number[] = [];
  const outcome: Outcome = { started: 0, refused: 0, failed: [], grants, asked: 0, late: 0 };
  let middleware: ReturnType<typeof rateLimit>;
  let close = (): void => {};

  /** Notes when Redis counted a start: it says when it stops to count. */
  const noting = (store: RateLimitStore): RateLimitStore => ({
    async take(key, ask) {
      outcome.asked++;
      const answer = await store.take(key, ask);
      if (answer.allowed) grants.push(answer.resetAt - interval);
      return answer;
    },
  });
  const limited = (limiter: RateLimiter) => rateLimit({ limiter, maxWait, storeTimeout: 20_000 });
  const counted = (store: RateLimitStore) => {
    return rateLimit({ limit, interval, store: noting(store), maxWait, storeTimeout: 20_000, onStoreError: 'deny' });
  };

  // Only what is used is loaded: four processes that start take long enough.
  if (engine === 'upstash') {
    const [{ Ratelimit }, { upstash }] = await Promise.all([import('@upstash/ratelimit'), import('./upstash-client.ts')]);
    const limiter = Ratelimit.tokenBucket(limit, `${seconds} s`, limit);
    const client = upstash({ port: order.upstashPort });
    middleware = limited(upstashLimiter(new Ratelimit({ redis: client, limiter, prefix, ephemeralCache: false, timeout: 0 })));
  } else if (engine === 'node-redis') {
    const { createClient } = await import('redis');
    // Its own patience ends after five seconds, which four processes on a busy machine may pass.
    const client = createClient({ socket: redis, commandOptions: { timeout: 60_000 } });
    await client.connect();
    close = () => client.destroy();
    middleware = counted(redisStore(client, { prefix }));
  } else {
    const { Redis } = await import('ioredis');
    const client = new Redis(redis);
    close = () => client.disconnect();
    if (engine === 'ioredis') middleware = counted(redisStore(client, { prefix }));
    else {
      const { RateLimiterRedis } = await import('rate-limiter-flexible');
      const limiter = new RateLimiterRedis({ storeClient: client, points: limit, duration: seconds, keyPrefix: prefix });
      middleware = limited(rateLimiterFlexible(limiter));
    }
  }

  async function send(): Promise<void> {
    try {
      await middleware.request?.(request(), async () => OK);
      outcome.started++;
    } catch (error) {
      // A store that failed gives no answer.
      if (McpToolSetError.is(error) && typeof error.data.limit === 'number') outcome.refused++;
      else outcome.failed.push(`${error}, ${(error as Error).cause}`);
    }
  }

  async function sendAll(): Promise<void> {
    const sent: Promise<void>[] = [];
    const start = performance.now();
    while (sent.length < calls) {
      const due = Math.min(calls, ((performance.now() - start) / 1_000) * perSecond);
      while (sent.length < due) sent.push(send());
      await sleep(5);
    }
    await Promise.all(sent);
  }

  process.send?.('ready');
  process.once('message', async () => {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
    delay.enable();
    await sendAll();
    outcome.late = delay.mean / 1e6 - RESOLUTION;
    close();
    process.send?.(outcome, () => process.disconnect());
  });
});
