/** The entry `mcp-tool-set/middleware`. `tracing` has an entry of its own, because it needs `@opentelemetry/api`. */

export { type ApprovalOptions, approval } from './approval.ts';
export { type CacheMiddleware, type CacheOptions, type CacheStats, cache } from './cache.ts';
export type { CircuitState } from './circuit-breaker/circuit.ts';
export {
  type CircuitBreakerMiddleware,
  type CircuitBreakerOptions,
  type CircuitStatus,
  circuitBreaker,
} from './circuit-breaker.ts';
export {
  type CountTokens,
  type LimitOutputMiddleware,
  type LimitOutputOptions,
  limitOutput,
  type OutputLimit,
} from './limit-output.ts';
export { type LogEvent, type LogOptions, log } from './log.ts';
export { type MetaSupplier, meta, type RequestMeta } from './meta.ts';
export { type Lockable, lockOf, type PinLock } from './pin/lock.ts';
export type { PinDrift } from './pin/teller.ts';
export { type PinMiddleware, type PinOptions, pin } from './pin.ts';
export type { RateLimitAnswer, RateLimiter, RateLimitRule, RateLimitStore, RateLimitTake } from './rate-limit/answer.ts';
export type { RateLimitKeyPart } from './rate-limit/key.ts';
export { type MemoryStoreOptions, memoryStore } from './rate-limit/memory-store.ts';
export type { LimiterOptions, OwnLimitOptions } from './rate-limit/options.ts';
export { type RateLimitMiddleware, type RateLimitOptions, type RateLimitUsage, rateLimit } from './rate-limit.ts';
export { type ReadOnlyOptions, readOnly } from './read-only.ts';
export { type RetryOptions, retry } from './retry.ts';
export type { ApprovalPolicy } from './shared/approval-policy.ts';
export type { ExplainingMiddleware } from './shared/explain.ts';
export type { TextStore } from './shared/text-store.ts';
export { type TimeoutOptions, timeout } from './timeout.ts';
