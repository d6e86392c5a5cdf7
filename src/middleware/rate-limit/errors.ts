/** What a request fails with that was not let through, and what a server's failure says about the pace. */

import { McpToolSetError } from '../../errors.ts';
import type { McpRequest } from '../../types.ts';
import { ended } from '../shared/ended.ts';
import type { RateLimitRule, Refusal } from './answer.ts';
import type { SourceFailure } from './source.ts';

export function refused(request: McpRequest, refusal: Refusal, rule: RateLimitRule | undefined): McpToolSetError {
  const { paused, ...answer } = refusal;
  const within = rule === undefined ? '' : ` in ${rule.interval} ms`;
  const what = paused
    ? 'the server asked for a pause'
    : `the rate limit of ${rule?.limit ?? answer.limit} requests${within} is used up`;
  const retryAfter = Math.ceil(answer.retryAfter);
  return limited(request, `${what}. Nothing was sent. ${again(retryAfter)}`, { ...answer, retryAfter, interval: rule?.interval });
}

export function crowded(request: McpRequest, maxConcurrent: number): McpToolSetError {
  const detail = `${maxConcurrent} requests are under way, which is as many as may be at once. Nothing was sent. Try again when one has ended.`;
  return limited(request, detail, { allowed: false, maxConcurrent });
}

export function storeFailed(request: McpRequest, { cause, retryAfter: left }: SourceFailure): McpToolSetError {
  const retryAfter = Math.ceil(left);
  const detail = `the rate limit cannot be checked, because its store failed. Nothing was sent. ${again(retryAfter)}`;
  return limited(request, detail, { allowed: false, retryAfter }, cause);
}

/** The signal ended first. */
export function interrupted(request: McpRequest): McpToolSetError {
  return ended(request, 'while it waited for the rate limit. Nothing was sent.');
}

// A server that says 429 and not for how long.
const UNSAID = 1_000;

/** For how many milliseconds a failure asks to be left alone: the server's own word alone, not that of a middleware further in. */
export function pauseAfter(error: unknown): number | undefined {
  if (!McpToolSetError.is(error)) return (error as { statusCode?: unknown } | null)?.statusCode === 429 ? UNSAID : undefined;
  const { status, retryAfter } = error.data;
  if (typeof status !== 'number') return undefined;
  if (typeof retryAfter === 'number') return retryAfter;
  return status === 429 ? UNSAID : undefined;
}

function limited(
  { server, call }: McpRequest,
  detail: string,
  data: Readonly<Record<string, unknown>>,
  cause?: unknown,
): McpToolSetError {
  return new McpToolSetError('rate_limited', detail, { server, tool: call?.tool.originalName, data, cause });
}

function again(milliseconds: number): string {
  return Number.isFinite(milliseconds)
    ? `Try again in ${Math.ceil(milliseconds / 100) / 10} s.`
    : 'Do not try again: it does not come back by itself.';
}
