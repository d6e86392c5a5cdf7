/** Makes a server's reply one that the SDK's client takes: it drops what is not exactly so, and the caller would wait for ever. */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';

type Reply = Readonly<Record<string, unknown>>;

/** The reply under that id and without extra keys; `undefined` when it is none. */
export function repairReply({ error, result }: Reply, id: RequestId): JSONRPCMessage | undefined {
  if (isObject(error)) {
    const { code, message = '', data } = error;
    if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined;
    return { jsonrpc: '2.0', id, error: { code: Number(code), message, data } };
  }
  return isObject(result) ? ({ jsonrpc: '2.0', id, result: withoutBadMeta(result) } as JSONRPCMessage) : undefined;
}

function withoutBadMeta(result: Reply): Reply {
  if (!('_meta' in result) || isObject(result._meta)) return result;
  const { _meta, ...rest } = result;
  return rest;
}

function isObject(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same message; where it is an error, its text has gone through `conceal`: servers quote what they refuse, credentials too. */
export function withErrorText(message: JSONRPCMessage, conceal: (text: string) => string): JSONRPCMessage {
  if (!('error' in message) || typeof message.error?.message !== 'string') return message;
  return { ...message, error: { ...message.error, message: conceal(message.error.message) } };
}
