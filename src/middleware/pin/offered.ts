/** What its server says of a tool now, in its own words: what a pin is about. */

import type { ToolDefinition } from '../../types.ts';

/** Carried by a definition as `offered`, so that neither a mapper nor another middleware changes it. */
export interface Offered {
  /** Absent where the server should have been asked and could not be. */
  readonly definition: ToolDefinition | undefined;
  /** The server's, for its model. */
  readonly instructions?: string | undefined;
}

type Carrying = ToolDefinition & { readonly offered?: Offered | undefined };

export function offeredOf(tool: ToolDefinition): Offered | undefined {
  return (tool as Carrying).offered;
}

/** The tools of `wrapToolSet()` have no server to ask: they are what they are when they are first seen. */
export function withOffered(tool: ToolDefinition): ToolDefinition {
  if (offeredOf(tool) !== undefined || !isForeign(tool)) return tool;
  return carry(tool, { definition: tool });
}

export function carry(tool: ToolDefinition, offered: Offered): ToolDefinition {
  const carrying: Carrying = { ...tool, offered };
  return carrying;
}

/** Made by the application or by this library, in its own words. No server can claim this: `*` is no key, and `run` is no JSON. */
export function isOwn({ kind, server, run }: ToolDefinition): boolean {
  return server === '*' || (kind === 'added' && run !== undefined);
}

function isForeign({ kind, run }: ToolDefinition): boolean {
  return kind === 'added' && run === undefined;
}
