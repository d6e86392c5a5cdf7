/** What a tool is now, where a run may hold an older record. */

import { McpToolSetError } from '../errors.ts';
import type { ToolDefinition } from '../types.ts';
import type { Offer } from './offers.ts';

/** When the server is asked before a call. */
export interface Policy {
  /** Where nobody has verified the definition with the server yet: something may look at its hints. */
  readonly unverified: boolean;
  /** Where the listing has aged: something decides on definitions. */
  readonly stale: boolean;
}

/**
 * The definition as its server gives it now: what the server has taken back is refused with `tool_not_found`, and what it claims of
 * itself counts as of now, so that a policy decides on the present. Asks the server where its list is known to be out of date, and where
 * the policy needs it.
 */
export function currentDefinition(
  tool: ToolDefinition,
  offers: readonly Offer[],
  signal: AbortSignal | undefined,
  policy: Policy,
): ToolDefinition | Promise<ToolDefinition> {
  if (tool.kind !== 'tool') return tool;
  const offer = offers.find(({ server }) => server === tool.server);
  const source = offer?.source;
  const unverified = policy.unverified && source?.state.listing?.unverified === true;
  const aged = policy.stale && source?.overdue === true;
  const ask = source !== undefined && (source.outdated || unverified || aged);
  if (!ask) return lookUp(tool, offer);
  return source[unverified ? 'verified' : aged ? 'renewed' : 'get'](signal).then(() => {
    const current = lookUp(tool, offer);
    // It could not be asked: then nothing is known of the present, and a policy that needs a hint has none.
    return source.state.error === undefined
      ? current
      : { ...current, annotations: undefined, offered: { definition: undefined } };
  });
}

function lookUp(tool: ToolDefinition, offer: Offer | undefined): ToolDefinition {
  const before = offer?.listing?.definitions.get(tool.originalName);
  const listing = offer?.source?.state.listing;
  const definition = listing?.definitions.get(tool.originalName);
  if (listing === undefined || definition === undefined) {
    const { server, originalName } = tool;
    throw new McpToolSetError('tool_not_found', 'its server no longer offers it. Use another tool.', {
      server,
      tool: originalName,
    });
  }
  const { instructions } = listing.facts;
  if (tool.offered?.definition === definition && tool.offered.instructions === instructions) return tool;
  const offered = { definition, instructions };
  return JSON.stringify(definition.annotations) === JSON.stringify(before?.annotations)
    ? { ...tool, offered }
    : { ...tool, offered, annotations: definition.annotations };
}
