import { Ratelimit } from '@upstash/ratelimit';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { describe } from 'vitest';
import { rateLimiterFlexible, upstashLimiter } from '../../src/stores/index.ts';
import { describeOnRedis, freshPrefix, ioredis, nodeRedis } from '../stores/redis.ts';
import { upstash } from '../stores/upstash-client.ts';
import { upstashServer } from '../stores/upstash-server.ts';
import { limiterContract } from './limiter-contract.ts';

describeOnRedis('rateLimiterFlexible on RateLimiterRedis and ioredis', () =>
  limiterContract(async (points, duration) => {
    const storeClient = ioredis({ maxRetriesPerRequest: 0 });
    const limiter = new RateLimiterRedis({ storeClient, points, duration, keyPrefix: freshPrefix() });
    return { limiter: rateLimiterFlexible(limiter), breakStore: () => storeClient.disconnect() };
  }),
);

describeOnRedis('rateLimiterFlexible on RateLimiterRedis and node-redis', () =>
  limiterContract(async (points, duration) => {
    const storeClient = await nodeRedis();
    const limiter = new RateLimiterRedis({ storeClient, points, duration, keyPrefix: freshPrefix(), useRedisPackage: true });
    return { limiter: rateLimiterFlexible(limiter), breakStore: () => storeClient.destroy() };
  }),
);

describe('rateLimiterFlexible on RateLimiterMemory', () =>
  limiterContract(async (points, duration) => {
    const limiter = new RateLimiterMemory({ points, duration });
    const breakStore = (): void => {
      limiter.consume = () => Promise.reject(new Error('out of order'));
    };
    return { limiter: rateLimiterFlexible(limiter), breakStore };
  }));

describeOnRedis('upstashLimiter', () =>
  limiterContract(async (limit, seconds) => {
    const server = await upstashServer();
    const ratelimit = new Ratelimit({
      redis: upstash(server),
      // Counted from the first request on; Upstash's windows begin at full seconds since 1970.
      limiter: Ratelimit.tokenBucket(limit, `${seconds} s`, limit),
      prefix: freshPrefix(),
      ephemeralCache: false,
    });
    const breakStore = (): void => {
      server.broken = true;
    };
    return { limiter: upstashLimiter(ratelimit), breakStore };
  }),
);
