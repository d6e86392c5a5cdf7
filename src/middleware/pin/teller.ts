/** Tells the application of each change once. */

import type { Destination } from '../shared/tool-behind.ts';

/** One tool that is not what the lock says. */
export interface PinDrift {
  /** Absent for what a lock of the AI SDK has and nobody offers. */
  readonly server?: string | undefined;
  /** Its own name. */
  readonly tool: string;
  /** `removed`: in the lock, and not among the tools of its server that came to `pin()`. A new name is one added and one removed. */
  readonly what: 'added' | 'changed' | 'removed';
  /** Of a changed one: `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, `instructions` (the server's). */
  readonly fields: readonly string[];
}

/** Changes that are remembered; the oldest are forgotten, and told of again. */
const MOST_TOLD = 1_000;

export type Told = Pick<PinDrift, 'what' | 'fields'> & { readonly state?: string };

export const REMOVED: Told = { what: 'removed', fields: [] };

/** Watching must not break what it watches. */
export function createTeller(
  onChange: ((drift: PinDrift) => unknown) | undefined,
): (drift: Told, tool: Partial<Destination>) => void {
  const told = new Set<string>();
  return ({ what, fields, state }, { server, originalName = '' }) => {
    const change = JSON.stringify([what, server, originalName, state]);
    if (onChange === undefined || told.has(change)) return;
    told.add(change);
    for (const oldest of told) {
      if (told.size <= MOST_TOLD) break;
      told.delete(oldest);
    }
    // Also an async function's failure is its own.
    void (async () => onChange({ ...(server !== undefined && { server }), tool: originalName, what, fields }))().catch(() => {});
  };
}
