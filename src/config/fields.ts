/** The fields of one server in a config file: read one by one, so that each mistake is told. */

import * as z from 'zod/mini';
import { formatPath, type Issue, type Path } from '../lib/issues.ts';
import { suggest } from '../lib/suggest.ts';
import type { HttpServer, ServerSettings, Timeouts } from '../servers.ts';
import { check, strict } from './check.ts';
import { duration, httpSettings, isObject, serverSettings, textMap, texts, toolLists } from './settings.ts';

/** What was readable; a field that was not is left out, and is an issue. */
export interface Fields extends Omit<ServerSettings, 'tools'>, Pick<HttpServer, 'redirect' | 'maxResponseBytes' | 'stream'> {
  readonly type?: string;
  /** Some clients' word for `type`. */
  readonly transport?: string;
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly disabled?: boolean;
  readonly timeout?: number | { readonly startup?: number; readonly request?: number };
  readonly tools?: unknown;
}

const SCHEMAS: Readonly<Record<string, z.ZodMiniType>> = {
  ...serverSettings,
  ...httpSettings,
  type: z.string(),
  transport: z.string(),
  command: z.union([z.string(), texts]),
  args: texts,
  env: textMap,
  environment: textMap,
  cwd: z.string(),
  url: z.string(),
  headers: textMap,
  disabled: z.boolean(),
  timeout: z.union([duration, strict({ startup: z.optional(duration), request: z.optional(duration) })]),
  tools: z.unknown(),
};

const KNOWN = Object.keys(SCHEMAS);
// Other clients' words, which no spelling distance would find.
const SYNONYMS: Readonly<Record<string, string>> = {
  serverUrl: 'url',
  httpUrl: 'url',
  endpoint: 'url',
  uri: 'url',
  cmd: 'command',
  executable: 'command',
  arguments: 'args',
  workingDirectory: 'cwd',
};

/** Reads what is known; what is not comes back as `unknown`. */
export function readFields(
  entry: Readonly<Record<string, unknown>>,
  path: Path,
  issues: Issue[],
): { readonly fields: Fields; readonly unknown: readonly string[] } {
  const known = Object.entries(entry).filter(([key, value]) => Object.hasOwn(SCHEMAS, key) && value !== undefined);
  const read = known.map(([key, value]) => [key, check(SCHEMAS[key] ?? z.unknown(), value, [...path, key], issues)]);
  return {
    fields: Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Fields,
    unknown: Object.keys(entry).filter((key) => !Object.hasOwn(SCHEMAS, key)),
  };
}

/** The known field that was probably meant. */
export function meantField(key: string): string | undefined {
  return Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : suggest(key, KNOWN);
}

/**
 * `timeout` is one request's time in milliseconds (Claude Code, opencode, toolnexus), or opencode's `{ startup, request }`. `timeouts`,
 * our own field, wins over it.
 */
export function readTimeouts({ timeout, timeouts }: Fields): Timeouts | undefined {
  if (timeout === undefined) return timeouts;
  const { startup, request } = typeof timeout === 'number' ? { startup: undefined, request: timeout } : timeout;
  return {
    ...(startup !== undefined && { connect: startup }),
    ...(request !== undefined && { request }),
    // Our cap on a whole request is 300 s; whoever asks for more means it.
    ...(request !== undefined && request > 300_000 && { total: request }),
    ...timeouts,
  };
}

/** `{ name: true | false }` as in opencode and toolnexus, a list as in Copilot, or our own `{ allow, deny }`. */
export function readTools(tools: unknown, path: Path, issues: Issue[]): ServerSettings['tools'] {
  if (tools === undefined) return undefined;
  if (Array.isArray(tools)) {
    const allow = check(texts, tools, path, issues);
    return allow && { allow };
  }
  if (!isObject(tools)) {
    issues.push({ path: formatPath(path), message: 'must be an object such as { "search": true }, or a list of tool names.' });
    return undefined;
  }
  if (['allow', 'deny'].some((key) => Array.isArray(tools[key]))) {
    return check(toolLists, tools, path, issues) as ServerSettings['tools'];
  }
  const map = check(z.record(z.string(), z.boolean()), tools, path, issues) ?? {};
  const [allow, deny] = [true, false].map((wanted) => Object.keys(map).filter((name) => map[name] === wanted));
  return allow?.length || deny?.length ? { ...(allow?.length && { allow }), ...(deny?.length && { deny }) } : undefined;
}
