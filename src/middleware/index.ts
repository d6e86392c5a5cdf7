/** The entry `mcp-tool-set/middleware`. `tracing` has an entry of its own, because it needs `@opentelemetry/api`. */

export { type RateLimitMiddleware, type RateLimitOptions, type RateLimitUsage, rateLimit } from './rate-limit.ts';
export { type ReadOnlyOptions, readOnly } from './read-only.ts';
