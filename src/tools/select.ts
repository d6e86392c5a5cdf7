/** Which of a server's tools are wanted: its `tools` setting, then the filters. */

import { matchesGlob } from '../lib/glob.ts';
import type { ToolNote } from '../report.ts';
import type { ServerSettings } from '../servers.ts';
import type { ToolDefinition, ToolFilter } from '../types.ts';

export interface Selection {
  /** In the order in which they came. */
  readonly kept: readonly ToolDefinition[];
  /** Why each of the others is not there. */
  readonly notes: readonly ToolNote[];
  /** Entries of `allow` and `deny` that match no tool. */
  readonly unmatched: readonly string[];
}

/**
 * Keeps the tools that `allow` names, `deny` does not, and every filter accepts. All of it sees original names, and `deny` wins.
 * A filter that throws costs the tool that it was asked about.
 *
 * @example
 * ```ts
 * const { kept } = await selectTools(definitions, { deny: ['delete_*'] }, [(tool) => tool.annotations?.readOnlyHint === true]);
 * ```
 */
export async function selectTools(
  definitions: readonly ToolDefinition[],
  settings: ServerSettings['tools'],
  filters: readonly ToolFilter[],
): Promise<Selection> {
  const { allow, deny = [] } = settings ?? {};
  if (allow === undefined && deny.length === 0 && filters.length === 0) return { kept: definitions, notes: [], unmatched: [] };
  const refusals = await Promise.all(
    definitions.map(
      (tool) =>
        refusedByPattern(tool.originalName, allow, deny) ?? (filters.length > 0 ? refusedByFilter(tool, filters) : undefined),
    ),
  );
  const patterns = [...new Set([...(allow ?? []), ...deny])];
  return {
    kept: definitions.filter((_, index) => refusals[index] === undefined),
    notes: definitions.flatMap(({ server, originalName }, index) => {
      const refusal = refusals[index];
      return refusal === undefined ? [] : [{ server, originalName, ...refusal }];
    }),
    unmatched: patterns.filter((pattern) => !definitions.some((tool) => matchesGlob(tool.originalName, pattern))),
  };
}

type Refusal = Pick<ToolNote, 'what' | 'why'>;

function refusedByPattern(name: string, allow: readonly string[] | undefined, deny: readonly string[]): Refusal | undefined {
  const denied = deny.find((pattern) => matchesGlob(name, pattern));
  if (denied !== undefined) return { what: 'filtered', why: `the server's tools.deny has "${denied}"` };
  if (allow === undefined || allow.some((pattern) => matchesGlob(name, pattern))) return undefined;
  return { what: 'filtered', why: "the server's tools.allow does not name it" };
}

async function refusedByFilter(tool: ToolDefinition, filters: readonly ToolFilter[]): Promise<Refusal | undefined> {
  try {
    for (const filter of filters) {
      if (!(await filter(tool))) return { what: 'filtered', why: 'a filter left it out' };
    }
    return undefined;
  } catch (error) {
    return { what: 'dropped', why: `a filter threw: ${error instanceof Error ? error.message : String(error)}` };
  }
}
