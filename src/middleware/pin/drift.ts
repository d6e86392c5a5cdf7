/** Whether a tool is what its lock says, and if not, what of it has changed. */

import type { ToolDefinition } from '../../types.ts';
import { aiFingerprints, type Fingerprint, fingerprintOf } from './fingerprint.ts';
import { keyOf, type ReadLock, readFingerprint, textOf } from './lock.ts';
import { isOwn, offeredOf } from './offered.ts';

export interface Drift {
  readonly what: 'added' | 'changed';
  /** Empty where that cannot be told. */
  readonly fields: readonly string[];
  /** Completes "because …". Never a text of the server's. */
  readonly rule: string;
  /** Differs for each way in which the tool has changed. */
  readonly state: string;
}

/** Put on a tool that a lock of the AI SDK lets through: what it was then, because such a lock does not cover all of it. */
const LISTED: unique symbol = Symbol('mcp-tool-set.pin');

type Listed = ToolDefinition & { readonly [LISTED]?: string | undefined };

const UNREADABLE = 'its server could not be asked what it is now, or its definition cannot be read';

/** Nothing where the tool is what the lock says. */
export async function driftFrom(lock: ReadLock, tool: ToolDefinition): Promise<Drift | undefined> {
  if (isOwn(tool)) return undefined;
  const now = await fingerprintOf(tool);
  if (now === undefined) return { what: 'changed', fields: [], rule: UNREADABLE, state: UNREADABLE };
  const locked = lock.tools.get(keyOf(tool));
  if (locked !== undefined) return compare(locked, now, offeredOf(tool) !== undefined);
  const shown = lock.shown.get(tool.name);
  if (shown === undefined) return added(now);
  const offered = offeredOf(tool)?.definition ?? tool;
  const digests = await Promise.all([aiFingerprints(tool), aiFingerprints(offered)]);
  if (!digests.flat().includes(shown)) return changed(['description', 'inputSchema', 'title'], now, 'or');
  const before = (tool as Listed)[LISTED];
  return before === undefined ? undefined : compare(readFingerprint(before), now, true);
}

/** The tool with what it is now, where the lock alone does not say all of it. */
export async function withListed(lock: ReadLock, tool: ToolDefinition): Promise<ToolDefinition> {
  if (lock.shown.size === 0 || lock.tools.has(keyOf(tool)) || !lock.shown.has(tool.name)) return tool;
  const now = await fingerprintOf(tool);
  const listed: Listed = { ...tool, [LISTED]: now && textOf(now) };
  return listed;
}

/** Where the server was not heard, nothing is known of its instructions. */
function compare(before: Fingerprint, now: Fingerprint, heard: boolean): Drift | undefined {
  const fields = [...new Set([...before.keys(), ...now.keys()])].filter(
    (field) => before.get(field) !== now.get(field) && (heard || field !== 'instructions'),
  );
  return fields.length === 0 ? undefined : changed(fields, now, 'and');
}

function changed(fields: readonly string[], now: Fingerprint, word: 'and' | 'or'): Drift {
  const rule = `its ${list(fields, word)} changed since the lock was made`;
  return { what: 'changed', fields, rule, state: textOf(now) };
}

function added(now: Fingerprint): Drift {
  return { what: 'added', fields: [], rule: 'the lock does not know it: it is new, or has a new name', state: textOf(now) };
}

function list(fields: readonly string[], word: string): string {
  const names = fields.map((field) => (field === 'instructions' ? "server's instructions" : field));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
