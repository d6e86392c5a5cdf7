/** The shapes that options and config files have in common. */

import * as z from 'zod/mini';
import { strict, that } from './check.ts';

type Shape = Readonly<Record<string, z.ZodMiniType>>;

// A longer timer fires at once.
const LONGEST = 2_147_483_647;
const REVISION = /^\d{4}-\d{2}-\d{2}$/;

export const duration: z.ZodMiniType = that(
  `a number of milliseconds from 0 to ${LONGEST}`,
  (value) => typeof value === 'number' && value >= 0 && value <= LONGEST,
);

/** Whatever else it is, it can be called. */
export const callable: z.ZodMiniType = that('a function', (value) => typeof value === 'function');

export const texts: z.ZodMiniType<string[]> = z.array(z.string());

export const textMap: z.ZodMiniType<Record<string, string>> = z.record(z.string(), z.string());

/** 0 means none in each of them. */
export const timeouts: z.ZodMiniType = strict({
  connect: z.optional(duration),
  request: z.optional(duration),
  total: z.optional(duration),
  ready: z.optional(duration),
  idle: z.optional(duration),
  ping: z.optional(duration),
  backOff: z.optional(duration),
  tools: z.optional(z.record(z.string(), strict({ request: z.optional(duration), total: z.optional(duration) }))),
});

export const protocol: z.ZodMiniType = that(
  '"auto" or a protocol revision such as "2025-06-18"',
  (value) => value === 'auto' || (typeof value === 'string' && REVISION.test(value)),
);

export const toolLists: z.ZodMiniType = strict({ allow: z.optional(texts), deny: z.optional(texts) });

/** What every kind of server takes. */
export const serverSettings: Shape = {
  enabled: z.optional(z.boolean()),
  required: z.optional(z.boolean()),
  share: z.optional(z.boolean()),
  tools: z.optional(toolLists),
  timeouts: z.optional(timeouts),
  listTtl: z.optional(duration),
  protocol: z.optional(protocol),
};

/** What an HTTP server takes beside its address and headers, as far as JSON can say it. */
export const httpSettings: Shape = {
  redirect: z.optional(z.enum(['same-origin', 'refuse'])),
  maxResponseBytes: z.optional(that('a number of bytes above 0', (value) => typeof value === 'number' && value > 0)),
  transport: z.optional(z.enum(['auto', 'http', 'sse'])),
  stream: z.optional(z.union([z.boolean(), z.literal('auto')])),
};

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is wrong with a server's key, or nothing. */
export function keyProblem(key: string): string | undefined {
  if (key.trim() === '') return 'is an empty name; give the server one.';
  if (key === '*') return 'is the name that stands for all servers; choose another.';
  if (key === '__proto__') return 'is a name that objects keep for themselves; choose another.';
  return undefined;
}
