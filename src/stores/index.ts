/** The entry `mcp-tool-set/stores`: limits that processes share. The client is passed in, and never closed. */

export { type RateLimiterFlexibleLike, type RateLimiterFlexibleOptions, rateLimiterFlexible } from './rate-limiter-flexible.ts';
export { type IoRedisLike, type NodeRedisLike, type RedisStoreOptions, redisStore } from './redis-store.ts';
export { type UpstashLimiterOptions, type UpstashRatelimitLike, upstashLimiter } from './upstash-limiter.ts';
