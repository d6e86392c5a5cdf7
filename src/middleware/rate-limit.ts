/** Keeps the requests to each server under a limit, for each principal of its own. */

import { McpToolSetError } from '../errors.ts';
import { DeadlineError } from '../lib/abort.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { aFunction, checkOptions, type Rule } from './options.ts';
import { Turns } from './turns.ts';

export interface RateLimitOptions {
  /** How many requests may start within any `interval`. */
  readonly limit: number;
  /** Milliseconds. */
  readonly interval: number;
  /** How many milliseconds a request may wait for its turn. One that would have to wait longer fails at once. Default 5 000; 0 = never wait. */
  readonly maxWait?: number | undefined;
  /** What shares one limit. Default: each principal on each server. */
  readonly key?: ((request: McpRequest) => string) | undefined;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** How much of a limit is used within the interval that ends now. */
export interface RateLimitUsage {
  /** `server`, or `server/principal`. */
  readonly key: string;
  readonly used: number;
  readonly limit: number;
  readonly remaining: number;
}

export interface RateLimitMiddleware extends McpMiddleware {
  /** One row for each key of late; those that were idle for an interval may be missing. */
  usage(): readonly RateLimitUsage[];
}

// setTimeout takes no longer wait than this.
const LONGEST_WAIT = 2 ** 31 - 1;
const RULES: Readonly<Record<keyof RateLimitOptions, Rule>> = {
  limit: {
    phrase: 'a whole number, 1 or more',
    test: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
    required: true,
  },
  interval: {
    phrase: 'a number of milliseconds above 0',
    test: (value) => Number.isFinite(value) && Number(value) > 0,
    required: true,
  },
  maxWait: {
    phrase: `a number of milliseconds from 0 to ${LONGEST_WAIT}`,
    test: (value) => Number.isFinite(value) && Number(value) >= 0 && Number(value) <= LONGEST_WAIT,
  },
  key: aFunction,
  now: aFunction,
};

// The library's own upkeep: making a request of the model wait for it, or fail by it, would help nobody.
const NEVER_COUNTED: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'logging/setLevel']);
// Counted when the model asked (`list_resources`), not when a listing is refreshed: that would hold up every tool of the server.
const COUNTED_IN_CALLS: ReadonlySet<string> = new Set([
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'subscriptions/listen',
]);

/**
 * Lets `limit` requests start within any `interval`, counted in memory by server and principal, so no tenant slows another. The next
 * ones wait their turn, first come first served; their signal ends the wait at once and gives the place to those behind.
 *
 * Hooks: `request`. So each attempt of a `retry` outside of it counts, and an answer from a cache does not. Handshakes, pings and
 * listings that no tool call asked for are free.
 *
 * A request that would have to wait longer than `maxWait` fails at once with `rate_limited`; its text tells the model when to try again,
 * `data` holds `{ retryAfter, limit, interval, remaining }` (milliseconds). Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const limits = rateLimit({ limit: 10, interval: 1_000, maxWait: 2_000 });
 * const tools = await createMcpToolSet({ servers, middleware: [limits] });
 * limits.usage(); // [{ key: 'docs', used: 3, limit: 10, remaining: 7 }]
 * ```
 */
export function rateLimit(options: RateLimitOptions): RateLimitMiddleware {
  checkOptions('rateLimit', options, RULES);
  const { limit, interval, maxWait = 5_000, key = serverAndPrincipal, now = () => performance.now() } = options;
  const lanes = createLanes(interval, () => new Turns(limit, interval, now));

  return {
    name: 'rateLimit',
    async request(request, next) {
      if (counts(request)) {
        const { signal } = request;
        if (signal?.aborted) throw interrupted(request);
        const lane: unknown = key(request);
        if (typeof lane !== 'string')
          throw new McpToolSetError(
            'config_invalid',
            'the `key` function of rateLimit() gave no text. It must return one at once, not a promise.',
          );
        const turns = lanes.of(lane, now());
        if (turns.wait > maxWait) throw refusal(request, options, turns.wait);
        await turns.take(signal).catch(() => {
          throw interrupted(request);
        });
      }
      return next(request);
    },
    usage() {
      return lanes.entries().map(([name, { used }]) => ({ key: name, used, limit, remaining: limit - used }));
    },
  };
}

interface Lanes {
  of(key: string, time: number): Turns;
  entries(): [key: string, turns: Turns][];
}

/** One for each key. Idle ones go when a new one comes, at most once an interval: so neither memory nor time grows with the keys ever seen. */
function createLanes(interval: number, create: () => Turns): Lanes {
  const lanes = new Map<string, Turns>();
  let swept = Number.NEGATIVE_INFINITY;

  function sweep(time: number): void {
    if (time - swept < interval) return;
    swept = time;
    for (const [key, turns] of lanes) if (turns.idle) lanes.delete(key);
  }

  return {
    of(key, time) {
      let turns = lanes.get(key);
      if (turns === undefined) {
        sweep(time);
        turns = create();
        lanes.set(key, turns);
      }
      return turns;
    },
    entries: () => [...lanes],
  };
}

function counts({ method, call }: McpRequest): boolean {
  if (NEVER_COUNTED.has(method) || method.startsWith('notifications/')) return false;
  return call !== undefined || !COUNTED_IN_CALLS.has(method);
}

/** The first slash ends the server, so no two pairs are written alike, whatever characters they hold. */
function serverAndPrincipal({ server, principal }: McpRequest): string {
  const escaped = server.replace(/[%/]/g, encodeURIComponent);
  return principal === undefined ? escaped : `${escaped}/${principal.id}`;
}

function refusal({ server, call }: McpRequest, { limit, interval }: RateLimitOptions, wait: number): McpToolSetError {
  const retryAfter = Math.ceil(wait);
  const seconds = Math.ceil(retryAfter / 100) / 10;
  const detail = `the rate limit of ${limit} requests in ${interval} ms is used up. Nothing was sent. Try again in ${seconds} s.`;
  const data = { retryAfter, limit, interval, remaining: 0 };
  return new McpToolSetError('rate_limited', detail, { server, tool: call?.tool.originalName, data });
}

/** The end of the signal, in the words of this library: a budget is a time-out, everything else the caller's wish. */
function interrupted({ server, signal, call }: McpRequest): McpToolSetError {
  const reason: unknown = signal?.reason;
  const place = { server, tool: call?.tool.originalName };
  if (McpToolSetError.is(reason)) return reason.at(place);
  const late = reason instanceof DeadlineError || (reason instanceof Error && reason.name === 'TimeoutError');
  const what = late ? 'the time was up' : 'the caller ended the call';
  return new McpToolSetError(late ? 'timeout' : 'aborted', `${what} while it waited for the rate limit. Nothing was sent.`, {
    ...place,
    cause: reason,
  });
}
