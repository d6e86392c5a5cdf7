import { describe } from 'vitest';
import { memoryStore } from '../../src/middleware/rate-limit/memory-store.ts';
import { redisStore } from '../../src/stores/index.ts';
import { describeOnRedis, freshPrefix, ioredis, nodeRedis } from '../stores/redis.ts';
import { storeContract } from './store-contract.ts';

describe('memoryStore', () => storeContract(() => memoryStore()));

describeOnRedis('redisStore on ioredis', () => storeContract(() => redisStore(ioredis(), { prefix: freshPrefix() })));

describeOnRedis('redisStore on node-redis', () =>
  storeContract(async () => redisStore(await nodeRedis(), { prefix: freshPrefix() })),
);
