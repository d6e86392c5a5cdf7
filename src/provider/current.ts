/** What a tool is now, where a run may hold an older record. */

import { McpToolSetError } from '../errors.ts';
import type { SendRequest, ToolDefinition } from '../types.ts';
import type { Offer } from './offers.ts';

export interface CurrentOptions {
  /** For listings, which are shared. */
  readonly list: SendRequest;
  /** Whether something decides on definitions: then what nobody has verified with the server is not enough. */
  readonly decides: boolean;
}

/**
 * The definition as its server gives it now: what the server has taken back is refused with `tool_not_found`, and what it claims of
 * itself counts as of now, so that a policy decides on the present. Asks the server where its list is known to be out of date.
 */
export function currentDefinition(
  tool: ToolDefinition,
  offers: readonly Offer[],
  signal: AbortSignal | undefined,
  { list, decides }: CurrentOptions,
): ToolDefinition | Promise<ToolDefinition> {
  if (tool.kind !== 'tool') return tool;
  const offer = offers.find(({ server }) => server === tool.server);
  const source = offer?.source;
  const unverified = decides && source?.state.listing?.unverified === true;
  if (source === undefined || !(source.outdated || unverified)) return lookUp(tool, offer);
  return source[unverified ? 'verified' : 'get'](list, signal).then(() => {
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
