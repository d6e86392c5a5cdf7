/** A lock: what tools were when somebody looked at them, as JSON that can be kept in a file. */

import { McpToolSetError } from '../../errors.ts';
import type { ToolDefinition } from '../../types.ts';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { carry, isOwn } from './offered.ts';

/**
 * By `server/tool`, with the tool's own name: a hash of each thing that its server says of it. It holds no text of the server's. Also what
 * the AI SDK's `fingerprintTools` gives, by the names that the model sees; and `detectToolDrift` compares two locks.
 */
export type PinLock = Readonly<Record<string, string>>;

/** What `listMcpTools` gives: definitions, and what is known of their servers. */
export interface Lockable {
  readonly tools: readonly ToolDefinition[];
  readonly status?: Readonly<Record<string, { readonly instructions?: string | undefined }>> | undefined;
}

/**
 * The lock of what servers offer now: keep it, look at what changes in it, and give it to `pin()`. Sorted by key. Resource tools and tools
 * that the application adds itself are left out, and so is a definition that is no JSON. Throws `config_invalid` for anything else than a
 * listing.
 *
 * @example
 * ```ts
 * const lock = await lockOf(await listMcpTools(servers));
 * await writeFile('mcp.lock.json', JSON.stringify(lock, null, 2));
 * ```
 */
export async function lockOf(listing: Lockable): Promise<PinLock> {
  const { tools, status = {} } = listing ?? {};
  if (!Array.isArray(tools)) {
    throw new McpToolSetError('config_invalid', 'lockOf() takes a listing, { tools, status }, such as listMcpTools() gives.');
  }
  const definitions = (tools as readonly ToolDefinition[]).filter((tool) => !isOwn(tool));
  const entries = await Promise.all(
    definitions.map(async (definition) => {
      const { instructions } = (Object.hasOwn(status, definition.server) && status[definition.server]) || {};
      return entryOf(carry(definition, { definition, instructions }));
    }),
  );
  return toLock(entries.flatMap((entry) => entry ?? []));
}

export type Entry = readonly [key: string, value: string];

/** Nothing where there is no fingerprint. */
export async function entryOf(tool: ToolDefinition): Promise<[Entry] | undefined> {
  const fingerprint = await fingerprintOf(tool);
  return fingerprint && [[keyOf(tool), textOf(fingerprint)]];
}

export function toLock(entries: readonly Entry[]): PinLock {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first slash ends the server, so no two tools are written alike, whatever characters they hold. */
export function keyOf({ server, originalName }: Pick<ToolDefinition, 'server' | 'originalName'>): string {
  return prefixOf(server) + originalName;
}

export function prefixOf(server: string): string {
  return `${server.replace(/[%/]/g, encodeURIComponent)}/`;
}

export function textOf(fingerprint: Fingerprint): string {
  return [...fingerprint].map(([field, hash]) => `${field}=${hash}`).join(' ');
}

export interface ReadLock {
  /** Made by us, by `server/tool`. */
  readonly tools: ReadonlyMap<string, Fingerprint>;
  /** Made by the AI SDK, by the name that the model sees. */
  readonly shown: ReadonlyMap<string, string>;
}

const HASH = /^[\w-]{43}$/;
const OURS = /^\w+=[\w-]{43}(?: \w+=[\w-]{43})*$/;

/** Nothing for what is no lock. */
export function readLock(lock: unknown): ReadLock | undefined {
  if (typeof lock !== 'object' || lock === null || Array.isArray(lock)) return undefined;
  const tools = new Map<string, Fingerprint>();
  const shown = new Map<string, string>();
  for (const [key, value] of Object.entries(lock as Record<string, unknown>)) {
    if (typeof value !== 'string') return undefined;
    if (HASH.test(value)) shown.set(key, value);
    else if (OURS.test(value)) tools.set(key, readFingerprint(value));
    else return undefined;
  }
  return { tools, shown };
}

export function readFingerprint(text: string): Fingerprint {
  return new Map(text.split(' ').map((part) => part.split('=') as [string, string]));
}
