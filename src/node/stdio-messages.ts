/** Reads one line of a server's stdout: JSON-RPC, or noise. */

import { INTERNAL_ERROR, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { repairReply } from '../transports/reply.ts';

const ESCAPE = '\u001b';
const ANSI = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*\\u0007|[@-Z\\\\-_])`, 'g');

/**
 * The messages of a line: one, or several where an older revision's batch comes. `undefined` when the line is something else. Colour and
 * cursor codes around a message are taken off (raw JSON has none); other text is not, for a log line may quote a message.
 */
export function readMessages(line: string): readonly JSONRPCMessage[] | undefined {
  // trim() takes a byte order mark and the CR of a CRLF as well.
  const text = (line.includes(ESCAPE) ? line.replace(ANSI, '') : line).trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(isMessage) ? messages.map(readable) : undefined;
}

/** A reply that cannot be read is told to its caller, who would wait for it in vain. */
function readable(message: JSONRPCMessage): JSONRPCMessage {
  if ('method' in message || message.id === undefined) return message;
  const { id } = message;
  const error = { code: INTERNAL_ERROR, message: 'the server sent a reply that is no JSON-RPC' };
  return repairReply({ ...message }, id) ?? { jsonrpc: '2.0', id, error };
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { jsonrpc, method, id, result, error } = value as Record<string, unknown>;
  return jsonrpc === '2.0' && (typeof method === 'string' || (id !== undefined && (result !== undefined || error !== undefined)));
}

/** A message as one line. Node's own readline, from version 24 on, takes two more characters for the end of one. */
export function writeMessage(message: JSONRPCMessage): string {
  return `${JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}
