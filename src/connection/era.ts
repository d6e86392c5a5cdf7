/** Finds out which protocol era a server speaks, by asking `server/discover` before any handshake. */

import type { Transport } from '@modelcontextprotocol/client';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type DiscoverResult,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import { carry, type RequestContext } from '../transports/transport.ts';
import type { McpResult } from '../types.ts';

/** The one revision of the modern era that is spoken. */
export const MODERN_VERSION = '2026-07-28';

/** A protocol revision is its date, so a pinned one says its era. */
export const isModern = (version: string): boolean => version >= MODERN_VERSION;

export type EraVerdict = { readonly kind: 'legacy' } | { readonly kind: 'modern'; readonly discover: DiscoverResult };

/** What the probe says of its sender in `_meta`; the modern era has no `initialize` to say it in. */
export function envelope(clientInfo: object, capabilities: object): Record<string, unknown> {
  return {
    [PROTOCOL_VERSION_META_KEY]: MODERN_VERSION,
    [CLIENT_INFO_META_KEY]: clientInfo,
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  };
}

/** Sends one request over a transport that no client holds yet, and waits for its reply. */
export async function exchange(
  transport: Transport,
  method: string,
  params: object,
  context: RequestContext & { readonly signal: AbortSignal },
): Promise<McpResult> {
  const id = `${method}-probe`;
  let stop: (() => void) | undefined;
  const reply = new Promise<McpResult>((resolve, reject) => {
    transport.onmessage = (message: JSONRPCMessage) => {
      if (!('id' in message) || message.id !== id) return;
      if ('result' in message) resolve(message.result as McpResult);
      else if ('error' in message) {
        const { code, message: text, data } = message.error;
        const supported = (data as { supported?: unknown } | undefined)?.supported;
        const facts = { code, ...(Array.isArray(supported) && { supported }) };
        reject(new McpToolSetError('protocol_error', `${method} was answered with "${text}" (${code}).`, { data: facts }));
      }
    };
    transport.onclose = () =>
      reject(new McpToolSetError('outcome_unknown', `the connection closed while ${method} was under way.`));
    stop = () => {
      delete transport.onmessage;
      delete transport.onclose;
    };
    transport.send({ jsonrpc: '2.0', id, method, params } as JSONRPCMessage, { headers: carry(context) }).catch(reject);
  });
  try {
    return await abortable(reply, context.signal);
  } finally {
    stop?.();
  }
}

/** JSON-RPC code of the modern era: the revision of a request is not spoken; `data.supported` says which are. */
const UNSUPPORTED_VERSION = -32022;

/** Whether the probe was refused by a server that speaks its revision all the same: to be asked once more. */
export function isWorthRepeating(outcome: ProbeOutcome): boolean {
  if (!('error' in outcome) || !McpToolSetError.is(outcome.error)) return false;
  const { code, supported } = outcome.error.data;
  return code === UNSUPPORTED_VERSION && Array.isArray(supported) && supported.includes(MODERN_VERSION);
}

export type ProbeOutcome = { readonly result: McpResult } | { readonly error: unknown };

/**
 * Reads the answer to the probe. Only a clear "modern" reply is one; anything else is a legacy server, except what says that the
 * request must not go on: refused credentials, a redirect, a rate limit, no server at all.
 */
export function readProbe(outcome: ProbeOutcome): EraVerdict {
  if ('error' in outcome) {
    if (McpToolSetError.is(outcome.error) && FINAL.has(outcome.error.code)) throw outcome.error;
    return { kind: 'legacy' };
  }
  const { supportedVersions, capabilities, ...rest } = outcome.result as Partial<DiscoverResult>;
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(MODERN_VERSION)) return { kind: 'legacy' };
  return { kind: 'modern', discover: { ...rest, supportedVersions, capabilities: capabilities ?? {} } as DiscoverResult };
}

const FINAL: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'redirect_refused',
  'rate_limited',
  'unavailable',
  'closed',
]);
