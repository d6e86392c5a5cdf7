/** Checks the servers that a program passes in. */

import * as z from 'zod/mini';
import { describe, formatPath, type Issue, type Path } from '../lib/issues.ts';
import { suggest } from '../lib/suggest.ts';
import type { HeadersInput } from '../servers.ts';
import { check, strict, that } from './check.ts';
import { headersProblem, urlProblem } from './http.ts';
import { callable, httpSettings, isObject, keyProblem, serverSettings, textMap } from './settings.ts';

const KINDS = ['url', 'transport', 'client'] as const;

const HEADERS = 'headers (an object, a Headers or pairs) or a function that gives them';

const SCHEMAS: Readonly<Record<(typeof KINDS)[number], z.ZodMiniType>> = {
  url: strict({
    url: that('a string or a URL', isUrl),
    headers: z.optional(that(HEADERS, (value) => typeof value === 'function' || (typeof value === 'object' && value !== null))),
    fetch: z.optional(callable),
    log: z.optional(callable),
    sessionId: z.optional(
      that('a session id that HTTP allows', (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)),
    ),
    ...httpSettings,
    ...serverSettings,
  }),
  transport: strict({
    transport: that('a transport of either MCP SDK, or a function that makes one', (value) => isMade(value, isTransport)),
    ...serverSettings,
  }),
  client: strict({
    client: that('a connected Client of either MCP SDK, or a function that makes one', (value) => isMade(value, isClient)),
    ...serverSettings,
  }),
};

/** Adds what is wrong with a map of servers to `issues`. */
export function checkServers(servers: unknown, path: Path, issues: Issue[], allowEmpty: boolean): void {
  if (!isObject(servers) || servers instanceof Map) {
    const found = servers instanceof Map ? 'a Map' : describe(servers);
    const message = `must be an object with a key for each server, such as { docs: { url: 'https://…' } }; it is ${found}.`;
    issues.push({ path: formatPath(path), message });
    return;
  }
  const entries = Object.entries(servers);
  if (entries.length === 0 && !allowEmpty) {
    issues.push({
      path: formatPath(path),
      message: "is empty; name at least one server, such as { docs: { url: 'https://…' } }.",
    });
  }
  for (const [key, entry] of entries) {
    const message = keyProblem(key);
    if (message !== undefined) issues.push({ path: formatPath([...path, key]), message });
    checkServer(entry, [...path, key], issues);
  }
}

export function checkServer(entry: unknown, path: Path, issues: Issue[]): void {
  const kinds = isObject(entry) ? kindsOf(entry) : [];
  const [kind] = kinds;
  if (!isObject(entry) || kind === undefined) {
    issues.push({ path: formatPath(path), message: noKind(entry) });
    return;
  }
  if (kinds.length > 1) {
    issues.push({ path: formatPath(path), message: `has ${kinds.join(' and ')}; a server has one of them.` });
    return;
  }
  // `{ url, transport: undefined }` is a server with a url.
  const own = Object.entries(entry).filter(([key, value]) => value !== undefined || key === kind);
  check(SCHEMAS[kind], Object.fromEntries(own), path, issues);
  if (kind === 'url') checkHttp(entry, path, issues);
}

/** With a `url`, `transport` may be the name of one. */
function kindsOf(entry: Readonly<Record<string, unknown>>): readonly (typeof KINDS)[number][] {
  const named = entry.url !== undefined && typeof entry.transport === 'string';
  return KINDS.filter((kind) => entry[kind] !== undefined && !(named && kind === 'transport'));
}

function checkHttp(entry: Readonly<Record<string, unknown>>, path: Path, issues: Issue[]): void {
  const { url, headers, enabled } = entry;
  // A disabled server of a config file may have variables in its address that nobody has set.
  const problem = isUrl(url) && enabled !== false ? urlProblem(url) : undefined;
  if (problem !== undefined) issues.push({ path: formatPath([...path, 'url']), message: problem });
  if (typeof headers === 'object' && headers !== null) checkHeaders(headers, [...path, 'headers'], issues);
}

/** Adds what is wrong with headers that are given as they are, not as a function. */
export function checkHeaders(headers: object, path: Path, issues: Issue[]): void {
  const plain = !(Symbol.iterator in headers);
  // `{ authorization: process.env.TOKEN }` would send the word "undefined".
  if (plain && check(textMap, headers, path, issues) === undefined) return;
  const problem = headersProblem(headers as HeadersInput);
  if (problem !== undefined) issues.push({ path: formatPath(path), message: problem });
}

function noKind(entry: unknown): string {
  if (typeof entry === 'string' || isUrl(entry)) return 'is an address by itself; write { url: … }.';
  if (typeof entry === 'function') return 'is a function by itself; write { transport: … } or { client: … }.';
  if (!isObject(entry)) return `must be an object with url, transport or client; it is ${describe(entry)}.`;
  if (typeof entry.then === 'function') return 'is a promise; await it first.';
  if (isTransport(entry)) return 'is a transport by itself; write { transport: … }.';
  if (isClient(entry)) return 'is a client by itself; write { client: … }.';
  if (entry.command !== undefined) {
    return "is a command; wrap it with stdio() from 'mcp-tool-set/node', or read the whole file with loadMcpConfig() from there.";
  }
  const missing = 'needs one of url, transport or client.';
  for (const key of Object.keys(entry)) {
    const meant = suggest(key, [...KINDS, 'command']);
    if (meant !== undefined) return `${missing} It has ${JSON.stringify(key)}: did you mean "${meant}"?`;
  }
  return missing;
}

function isUrl(value: unknown): value is string | URL {
  // A URL of another realm is a URL too.
  return typeof value === 'string' || Object.prototype.toString.call(value) === '[object URL]';
}

function isMade(value: unknown, is: (value: unknown) => boolean): boolean {
  return typeof value === 'function' || is(value);
}

function isTransport(value: unknown): boolean {
  return hasMethods(value, ['start', 'send', 'close']);
}

function isClient(value: unknown): boolean {
  return hasMethods(value, ['close', 'getServerCapabilities', 'getServerVersion', 'getInstructions']);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'function');
}
