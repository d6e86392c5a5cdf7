/** Which part of a server's config decides whether a connection to it can go on when the config is replaced. */

import { shortHash } from '../lib/hash.ts';
import type { HttpServer, ServerConfig } from '../servers.ts';

/** Under it a transport's factory shows what it was made from, as JSON; it may hold secrets and is only compared. */
const CONFIG: unique symbol = Symbol.for('mcp-tool-set.config');

/**
 * Whether two configs name the same server, reached in the same way. Functions such as `headers` do not count: a connection takes the
 * new ones. Nor do settings such as `tools` and `timeouts`.
 */
export function isSamePlace(one: ServerConfig, other: ServerConfig): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.length === b.length && a.every((part, index) => Object.is(part, b[index]));
}

/** A short text for the place, without anything that may be secret: no query, no values of headers and variables. */
export function fingerprintOf(config: ServerConfig): string {
  if (!('url' in config)) return shortHash(JSON.stringify([kindOf(config), config.protocol, publicPart(config)]));
  const { origin, pathname } = new URL(config.url);
  return shortHash(JSON.stringify(['url', origin + pathname, headerNames(config), config.protocol]));
}

function partsOf(config: ServerConfig): unknown[] {
  const common = [kindOf(config), config.protocol, config.share];
  if ('client' in config) return [...common, config.client];
  if (!('url' in config)) return [...common, made(config) ?? config.transport];
  const { url, redirect, maxResponseBytes, transport, stream, sessionId, headers } = config;
  const fixed = typeof headers === 'function' ? 'function' : JSON.stringify([...new Headers(headers)]);
  return [...common, new URL(url).href, redirect, maxResponseBytes, transport, stream, sessionId, fixed];
}

function kindOf(config: ServerConfig): string {
  return 'url' in config ? 'url' : 'client' in config ? 'client' : 'transport';
}

function made(config: object): string | undefined {
  const options = (config as { [CONFIG]?: unknown })[CONFIG];
  return options === undefined ? undefined : JSON.stringify(options);
}

/** Of a child process: what is started, and the names of its variables. */
function publicPart(config: ServerConfig): unknown {
  const { command, args, cwd, env } = (config as { [CONFIG]?: Record<string, unknown> })[CONFIG] ?? {};
  return [command, args, cwd, Object.keys(env ?? {}).sort()];
}

function headerNames({ headers }: HttpServer): readonly string[] | string {
  return typeof headers === 'function' ? 'function' : [...new Headers(headers).keys()];
}
