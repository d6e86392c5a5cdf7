/** The headers of one message: the user's, and over them what the protocol of either era asks for. */

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';

const PROTOCOLS_OWN: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
]);

/** By lower-case name. A plain object: every copy of a `Headers` costs, and a user's `fetch` can spread this one. */
export type PlainHeaders = Record<string, string>;

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
export function plainHeaders(message: JSONRPCMessage | undefined, sources: HeaderSources): PlainHeaders {
  const { base, extra, sessionId, protocolVersion, server } = sources;
  const headers: PlainHeaders = {};
  for (const [name, value] of base) if (!PROTOCOLS_OWN.has(name)) headers[name] = value;
  for (const name of Object.keys(extra ?? {})) setChecked(headers, name, extra?.[name], server);
  headers.accept = 'application/json, text/event-stream';
  if (message !== undefined) headers['content-type'] = 'application/json';
  if (protocolVersion !== undefined) headers['mcp-protocol-version'] = checked('mcp-protocol-version', protocolVersion, server);
  if (sessionId !== undefined) headers['mcp-session-id'] = checked('mcp-session-id', sessionId, server);
  if (message !== undefined && 'method' in message) setModern(headers, message.method, message.params, server);
  return headers;
}

/** Those of a GET that reads a stream, made of a message's; `lastEventId`: it goes on after that event. */
export function streamHeaders(headers: PlainHeaders, lastEventId: string | undefined, server: string): PlainHeaders {
  const { 'content-type': _, ...rest } = headers;
  rest.accept = 'text/event-stream';
  // An event's id may be any text; it is sent as its UTF-8 bytes, as the EventSource of a browser does it.
  if (lastEventId !== undefined) rest['last-event-id'] = checked('last-event-id', byteString(lastEventId), server);
  return rest;
}

/** A message of the modern era names its version itself, and repeats in headers what a proxy may want to know. */
function setModern(
  headers: PlainHeaders,
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
  server: string,
): void {
  const version = (params?._meta as Readonly<Record<string, unknown>> | undefined)?.[VERSION_KEY];
  if (typeof version !== 'string') return;
  headers['mcp-protocol-version'] = checked('mcp-protocol-version', version, server);
  headers['mcp-method'] = checked('mcp-method', method, server);
  const source = Object.hasOwn(NAME_SOURCE, method) ? NAME_SOURCE[method] : undefined;
  const name = source === undefined ? undefined : params?.[source];
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name);
}

/** As it is where HTTP allows it, otherwise as `=?base64?…?=` of its UTF-8 bytes. */
function encodeHeaderValue(value: string): string {
  const plain = /^[\x20-\x7e\t]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return plain ? value : `=?base64?${btoa(byteString(value))}?=`;
}

function byteString(value: string): string {
  let bytes = '';
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return bytes;
}

function setChecked(headers: PlainHeaders, name: string, value: string | undefined, server: string): void {
  const lower = name.toLowerCase();
  if (value === undefined || PROTOCOLS_OWN.has(lower)) return;
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(lower)) throw notAllowed(name, server);
  headers[lower] = checked(name, value, server);
}

/** Before `fetch` sees it: the platform's own error repeats the value. */
function checked(name: string, value: string, server: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw notAllowed(name, server);
}

function notAllowed(name: string, server: string): McpToolSetError {
  const detail = `the header ${JSON.stringify(name)} has a name or value that HTTP does not allow.`;
  return new McpToolSetError('config_invalid', detail, { server });
}
