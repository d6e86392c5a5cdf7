/** Reads an MCP config (Claude Desktop's, Cursor's, VS Code's, opencode's, toolnexus's) into plain data, without connecting anything. */

import { describe, formatPath, type Issue, invalid, type Path } from '../lib/issues.ts';
import { suggest } from '../lib/suggest.ts';
import { createWarner, toTeller } from '../lib/warner.ts';
import type { McpWarning } from '../report.ts';
import type { HttpServer } from '../servers.ts';
import { type ParsedServer, readEntry } from './entry.ts';
import { readJson } from './json.ts';
import { isObject, keyProblem } from './settings.ts';
import type { Env } from './variables.ts';

/** Servers by name, as data. An HTTP server is ready for `servers`; one with `command` needs `stdio` around it. */
export type McpConfig = Record<string, ParsedServer>;

export interface ParseMcpConfigOptions {
  /** Where `${NAME}` is looked up. Default: nowhere, so only defaults (`${NAME:-default}`) count. */
  readonly env?: Env | undefined;
  /** Told of each field that is ignored. Default: a line on the console; `false` silences. */
  readonly onWarning?: false | ((warning: McpWarning) => void) | undefined;
  /** What errors call the config. Default `This MCP config`. */
  readonly name?: string | undefined;
  /** Only servers with a `url` are allowed, as on edge runtimes: a `command` is an error. The result goes into `servers` as it is. */
  readonly httpOnly?: boolean | undefined;
}

const WRAPPERS = ['mcpServers', 'servers', 'mcp'];

/**
 * Reads a config: text (comments and trailing commas allowed) or the object that it stands for. The servers are under `mcpServers`,
 * `servers` or `mcp`, or are the whole of it. In every string of a server `${NAME}` and `${NAME:-default}` are replaced from `env`.
 *
 * A server has `command` (a string with `args`, or a list of all words), `env` or `environment`, `cwd`; or `url` and `headers`. Both
 * take `type` (inferred), `enabled` or `disabled`, `timeout` (ms, one request), `tools`, and our own `required`, `share`, `timeouts`,
 * `listTtl` and `protocol`. An unknown field is a warning. Everything else that is wrong is in one `config_invalid` error, each with
 * its path and how to mend it, also as `data.issues`; no value of the config is ever shown.
 *
 * @example
 * ```ts
 * const servers = parseMcpConfig(text, { env: process.env, httpOnly: true });
 * const tools = await createMcpToolSet({ servers });
 * ```
 */
export function parseMcpConfig(
  config: string | object,
  options: ParseMcpConfigOptions & { readonly httpOnly: true },
): Record<string, HttpServer>;
export function parseMcpConfig(config: string | object, options?: ParseMcpConfigOptions): McpConfig;
export function parseMcpConfig(config: string | object, options: ParseMcpConfigOptions = {}): McpConfig {
  const issues: Issue[] = [];
  const warnings: McpWarning[] = [];
  const found = findServers(config, issues, warnings);
  const servers = found === undefined ? {} : readServers(found, options, issues, warnings);
  if (issues.length > 0) throw invalid(`${options.name ?? 'This MCP config'} is not valid`, issues);
  const warn = createWarner(toTeller(options.onWarning));
  for (const warning of warnings) warn(warning);
  return servers;
}

interface Found {
  readonly path: Path;
  readonly servers: Readonly<Record<string, unknown>>;
}

function readServers(
  { path, servers }: Found,
  options: ParseMcpConfigOptions,
  issues: Issue[],
  warnings: McpWarning[],
): McpConfig {
  const result: [string, ParsedServer][] = [];
  for (const [key, entry] of Object.entries(servers)) {
    const place = [...path, key];
    const problem = keyProblem(key);
    if (problem !== undefined) issues.push({ path: formatPath(place), message: problem });
    const warn = (at: Path, message: string): void => void warnings.push(ignored(at, message, key));
    const server = readEntry(entry, { path: place, env: options.env ?? {}, issues, warn });
    if (server === undefined) continue;
    if (!options.httpOnly || !('command' in server)) result.push([key, server]);
    else if (server.enabled === false)
      warn(place, 'is disabled, and has a command, which cannot be started here; it is left out.');
    else issues.push({ path: formatPath(place), message: COMMAND_HERE });
  }
  return Object.fromEntries(result);
}

const COMMAND_HERE = "has a command, which cannot be started here. On Node, use loadMcpConfig() from 'mcp-tool-set/node'.";

function ignored(path: Path, message: string, server?: string): McpWarning {
  return { kind: 'setting_ignored', message: `${formatPath(path)} ${message}`, ...(server !== undefined && { server }) };
}

function findServers(config: unknown, issues: Issue[], warnings: McpWarning[]): Found | undefined {
  let root = config;
  if (typeof config === 'string') {
    const reading = readJson(config);
    if (!('value' in reading)) {
      const hint = /[{[\n]/.test(config) ? '' : " This looks like a path: loadMcpConfig() from 'mcp-tool-set/node' reads files.";
      const where = `is not JSON at line ${reading.line}, column ${reading.column}`;
      issues.push({ path: '', message: `The text ${where}: ${reading.problem}.${hint}` });
      return undefined;
    }
    root = reading.value;
  }
  if (isObject(root)) return unwrap(root, issues, warnings);
  issues.push({ path: '', message: `It must be an object such as { "mcpServers": { … } }; it is ${describe(root)}.` });
  return undefined;
}

function unwrap(root: Readonly<Record<string, unknown>>, issues: Issue[], warnings: McpWarning[]): Found | undefined {
  // A server may be called "mcp" in a bare map.
  const wrappers = WRAPPERS.filter((key) => Object.hasOwn(root, key) && !isServer(root[key]));
  const [key, second] = wrappers;
  if (key === undefined) return bare(root, issues);
  if (second !== undefined) {
    issues.push({ path: second, message: `stands beside "${key}"; put all servers under one of them.` });
    return undefined;
  }
  for (const other of Object.keys(root)) {
    if (other !== key && isObject(root[other]) && suggest(other, WRAPPERS) !== undefined) {
      warnings.push(ignored([other], `is ignored, since the servers are under "${key}".`));
    }
  }
  const servers = root[key];
  if (!isObject(servers)) {
    issues.push({ path: key, message: `must be an object with a key for each server; it is ${describe(servers)}.` });
    return undefined;
  }
  // VS Code's settings and opencode 2 have `{ "mcp": { "servers": … } }`.
  if (key === 'mcp' && isObject(servers.servers) && !isServer(servers.servers))
    return { path: [key, 'servers'], servers: servers.servers };
  return { path: [key], servers };
}

/** The whole is a map of servers, unless it is evidently something else. */
function bare(root: Readonly<Record<string, unknown>>, issues: Issue[]): Found | undefined {
  const keys = Object.keys(root).filter((key) => key !== '$schema');
  const slip = keys.find((key) => isMap(root[key]) && suggest(key, WRAPPERS) !== undefined);
  if (slip !== undefined) {
    issues.push({ path: formatPath([slip]), message: `is not known here. Did you mean "${suggest(slip, WRAPPERS)}"?` });
    return undefined;
  }
  if (keys.length > 0 && !keys.some((key) => isObject(root[key]))) {
    issues.push({
      path: '',
      message: 'It has no servers: they go under "mcpServers", as { "mcpServers": { "docs": { "url": "…" } } }.',
    });
    return undefined;
  }
  return { path: [], servers: Object.fromEntries(keys.map((key) => [key, root[key]])) };
}

/** Whether it holds objects only, as a map of servers does. */
function isMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isObject);
}

function isServer(value: unknown): boolean {
  return isObject(value) && ['url', 'command', 'type'].some((key) => typeof value[key] === 'string' || Array.isArray(value[key]));
}
