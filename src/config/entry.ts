/** Turns one server of a config file into plain data of ours. */

import { describe, type Path } from '../lib/issues.ts';
import type { HttpServer, ServerSettings } from '../servers.ts';
import { type Fields, meantField, readFields, readTimeouts, readTools } from './fields.ts';
import { headersProblem, urlProblem } from './http.ts';
import { type Reading, replace, replaceAll, type ServerReading, tell } from './reading.ts';
import { isObject } from './settings.ts';

/** A server that is started as a child process: data, of which `loadMcpConfig` or `stdio` makes a server. */
export interface CommandServer extends ServerSettings {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** As in the file, where a relative one is relative to the file. */
  readonly cwd?: string | undefined;
}

export type ParsedServer = HttpServer | CommandServer;

type Kind = 'url' | 'command';

const TYPES: Readonly<Record<string, Kind>> = {
  stdio: 'command',
  local: 'command',
  http: 'url',
  remote: 'url',
  'streamable-http': 'url',
  streamable_http: 'url',
  streamableHttp: 'url',
  sse: 'url',
  auto: 'url',
};

const OWN: Readonly<Record<Kind, readonly (keyof Fields)[]>> = {
  url: ['url', 'headers', 'redirect', 'maxResponseBytes', 'stream'],
  command: ['command', 'args', 'env', 'environment', 'cwd'],
};

/** Gives nothing when no server can be made of it; every reason is in `issues` then. */
export function readEntry(entry: unknown, given: Reading): ParsedServer | undefined {
  if (!isObject(entry)) {
    tell(given, `must be an object with a url or a command; it is ${describe(entry)}.`);
    return undefined;
  }
  const { fields, unknown } = readFields(entry, given.path, given.issues);
  const reading = { ...given, disabled: fields.enabled === false || fields.disabled === true };
  if (fields.enabled !== undefined && fields.enabled === fields.disabled) {
    tell(reading, 'contradicts `enabled`; keep one of them.', 'disabled');
  }
  const kind = findKind(entry, unknown, reading);
  checkType(fields, kind, reading);
  warn(fields, kind, unknown, reading);
  const settings = readSettings(fields, reading);
  if (kind === 'url') return readHttp(fields, settings, reading);
  return kind === 'command' ? readCommand(fields, settings, reading) : undefined;
}

function findKind(entry: Readonly<Record<string, unknown>>, unknown: readonly string[], reading: Reading): Kind | undefined {
  const kinds = (['url', 'command'] as const).filter((key) => entry[key] !== undefined);
  if (kinds.length === 1) return kinds[0];
  if (kinds.length === 2) {
    tell(reading, 'has both command and url; keep the one that is meant.');
    return undefined;
  }
  const slip = unknown.find(isSlip);
  const hint = slip === undefined ? '' : ` It has ${JSON.stringify(slip)}: did you mean "${meantField(slip)}"?`;
  tell(reading, `needs a command (a local server) or a url (a remote one).${hint}`);
  return undefined;
}

/** Whether it is evidently a misspelling of what makes a server. */
function isSlip(key: string): boolean {
  return ['url', 'command'].includes(meantField(key) ?? '');
}

function checkType({ type, transport }: Fields, kind: Kind | undefined, reading: ServerReading): void {
  const at = type === undefined ? 'transport' : 'type';
  const word = type ?? transport;
  if (word === undefined) return;
  const meant = Object.hasOwn(TYPES, word) ? TYPES[word] : undefined;
  if (meant === undefined) {
    tell(reading, `is not a known type of server. Known are stdio or local, and http, streamable-http or remote.`, at);
  } else if (kind !== undefined && meant !== kind) {
    tell(reading, `does not fit: a server of this type has a ${meant}, and this one has a ${kind}.`, at);
  }
}

function warn(fields: Fields, kind: Kind | undefined, unknown: readonly string[], { path, warn }: Reading): void {
  for (const key of unknown) {
    if (kind === undefined && isSlip(key)) continue;
    const meant = meantField(key);
    warn([...path, key], `is not a known field and is ignored.${meant === undefined ? '' : ` Did you mean "${meant}"?`}`);
  }
  if (kind !== undefined) {
    const foreign = OWN[kind === 'url' ? 'command' : 'url'].filter((key) => fields[key] !== undefined);
    for (const key of foreign) warn([...path, key], `means nothing for a server with a ${kind} and is ignored.`);
  }
  const { timeout } = fields;
  if (typeof timeout === 'number' && timeout > 0 && timeout < 1_000) {
    warn([...path, 'timeout'], `is less than a second: it is in milliseconds. Write ${timeout * 1_000} if seconds were meant.`);
  }
}

function readSettings(fields: Fields, { path, issues, disabled }: ServerReading): ServerSettings {
  const timeouts = readTimeouts(fields);
  const tools = readTools(fields.tools, [...path, 'tools'], issues);
  const { required, share, listTtl, protocol } = fields;
  return {
    ...(disabled && { enabled: false }),
    ...(required !== undefined && { required }),
    ...(share !== undefined && { share }),
    ...(tools !== undefined && { tools }),
    ...(timeouts !== undefined && { timeouts }),
    ...(listTtl !== undefined && { listTtl }),
    ...(protocol !== undefined && { protocol }),
  };
}

function readHttp(fields: Fields, settings: ServerSettings, reading: ServerReading): HttpServer | undefined {
  const { headers, redirect, maxResponseBytes, stream } = fields;
  const isSse = (fields.type ?? fields.transport) === 'sse';
  const sent = headers && replaceAll(reading, headers, 'headers');
  for (const [name, value] of Object.entries(sent ?? {})) {
    const problem = headersProblem([[name, value]]);
    if (problem !== undefined) tell(reading, problem, 'headers', name);
  }
  // Not a string: told already.
  if (fields.url === undefined) return undefined;
  const url = replace(reading, fields.url, 'url');
  const problem = url === undefined || reading.disabled ? undefined : urlProblem(url);
  if (problem !== undefined) tell(reading, problem, 'url');
  return {
    url: url ?? fields.url,
    ...(sent !== undefined && { headers: sent }),
    ...(redirect !== undefined && { redirect }),
    ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    ...(isSse && { transport: 'sse' as const }),
    ...(stream !== undefined && { stream }),
    ...settings,
  };
}

function readCommand(fields: Fields, settings: ServerSettings, reading: ServerReading): CommandServer | undefined {
  const { args = [], cwd, environment } = fields;
  if (fields.env !== undefined && environment !== undefined)
    tell(reading, 'says the same as `env`; keep one of them.', 'environment');
  const env = fields.env ?? environment;
  const set = env && replaceAll(reading, env, fields.env === undefined ? 'environment' : 'env');
  const place = cwd === undefined ? undefined : (replace(reading, cwd, 'cwd') ?? cwd);
  const list = typeof fields.command === 'string' ? [fields.command] : (fields.command ?? []);
  const at = (index: number): Path => (typeof fields.command === 'string' ? ['command'] : ['command', index]);
  const [command, ...first] = list.map((word, index) => replace(reading, word, ...at(index)) ?? word);
  const rest = args.map((word, index) => replace(reading, word, 'args', index) ?? word);
  if (fields.command === undefined) return undefined;
  if (command === undefined || command.trim() === '') {
    tell(reading, 'is empty; name the program to start.', 'command');
    return undefined;
  }
  return {
    command,
    args: [...first, ...rest],
    ...(set !== undefined && { env: set }),
    ...(place !== undefined && { cwd: place }),
    ...settings,
  };
}
