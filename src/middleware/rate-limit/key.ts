/** What shares one limit. */

import { McpToolSetError } from '../../errors.ts';
import type { McpRequest } from '../../types.ts';
import { isLate } from '../shared/asked.ts';

/** A part of a key: the server's key, the tool's own name (the method where no tool is called), or the principal's id. */
export type RateLimitKeyPart = 'server' | 'tool' | 'principal';

const PARTS: Readonly<Record<RateLimitKeyPart, (request: McpRequest) => string | undefined>> = {
  server: ({ server }) => server,
  tool: ({ call, method }) => call?.tool.originalName ?? method,
  principal: ({ principal }) => principal?.id,
};

export const KEY_PARTS: ReadonlySet<unknown> = new Set(Object.keys(PARTS));

export function keyOf(
  key: readonly RateLimitKeyPart[] | ((request: McpRequest) => string) | undefined,
): (request: McpRequest) => string {
  if (key === undefined) return serverAndPrincipal;
  if (typeof key === 'function') return (request) => textOf(key, request);
  const parts = key.map((part) => PARTS[part]);
  // No escaped text is a lone percent sign, so who has no principal never meets one who has.
  return (request) => parts.map((part) => escaped(part(request)) ?? '%').join('/');
}

/** The first slash ends the server, so no two pairs are written alike, whatever characters they hold. */
function serverAndPrincipal({ server, principal }: McpRequest): string {
  return principal === undefined ? escaped(server) : `${escaped(server)}/${principal.id}`;
}

function escaped(text: string): string;
function escaped(text: string | undefined): string | undefined;
function escaped(text: string | undefined): string | undefined {
  return text?.replace(/[%/]/g, encodeURIComponent);
}

function textOf(ask: (request: McpRequest) => unknown, request: McpRequest): string {
  const place = { server: request.server, tool: request.call?.tool.originalName };
  let key: unknown;
  try {
    key = ask(request);
  } catch (cause) {
    throw new McpToolSetError('config_invalid', 'the `key` function of rateLimit() threw; see the cause. Nothing was sent.', {
      ...place,
      cause,
    });
  }
  if (typeof key === 'string') return key;
  isLate(key);
  const detail = 'the `key` function of rateLimit() gave no text. It must return one at once, not a promise. Nothing was sent.';
  throw new McpToolSetError('config_invalid', detail, place);
}
