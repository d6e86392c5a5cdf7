/** The headers of one message: the user's, and over them what the protocol of either era asks for. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';

const PROTOCOLS_OWN = ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Where the modern era takes `mcp-name` from. */
const NAME_SOURCE: Readonly<Record<string, string>> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** What is known beside the message. */
export interface HeaderSources {
  /** The server's key. */
  readonly server: string;
  /** The user's headers, resolved for this message. */
  readonly base: Headers;
  /** More for this message alone; they win over `base`, never over the protocol's own. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
  readonly sessionId?: string | undefined;
  /** The negotiated version of the legacy era. */
  readonly protocolVersion?: string | undefined;
}

/** Builds them anew; the sources stay as they are. Throws `config_invalid` for a header that HTTP does not allow. */
export function messageHeaders(message: JSONRPCMessage | undefined, sources: HeaderSources): Headers {
  const headers = new Headers(sources.base);
  for (const [name, value] of Object.entries(sources.extra ?? {})) setChecked(headers, name, value, sources.server);
  for (const name of PROTOCOLS_OWN) headers.delete(name);
  headers.set('accept', 'application/json, text/event-stream');
  if (message !== undefined) headers.set('content-type', 'application/json');
  if (sources.protocolVersion !== undefined) headers.set('mcp-protocol-version', sources.protocolVersion);
  if (sources.sessionId !== undefined) setChecked(headers, 'mcp-session-id', sources.sessionId, sources.server);
  if (message !== undefined && 'method' in message) setModern(headers, message.method, message.params);
  return headers;
}

/** A message of the modern era names its version itself, and repeats in headers what a proxy may want to know. */
function setModern(headers: Headers, method: string, params: Readonly<Record<string, unknown>> | undefined): void {
  const version = (params?._meta as Readonly<Record<string, unknown>> | undefined)?.[VERSION_KEY];
  if (typeof version !== 'string') return;
  headers.set('mcp-protocol-version', version);
  headers.set('mcp-method', method);
  const source = Object.hasOwn(NAME_SOURCE, method) ? NAME_SOURCE[method] : undefined;
  const name = source === undefined ? undefined : params?.[source];
  if (typeof name === 'string') headers.set('mcp-name', encodeHeaderValue(name));
}

/** As it is where HTTP allows it, otherwise as `=?base64?…?=` of its UTF-8 bytes. */
function encodeHeaderValue(value: string): string {
  const plain = /^[\x20-\x7e\t]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  if (plain) return value;
  let bytes = '';
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}

function setChecked(headers: Headers, name: string, value: string, server: string): void {
  try {
    headers.set(name, value);
  } catch {
    // The platform's own error repeats the value.
    throw new McpToolSetError(
      'config_invalid',
      `the header ${JSON.stringify(name)} has a name or value that HTTP does not allow.`,
      {
        server,
      },
    );
  }
}
