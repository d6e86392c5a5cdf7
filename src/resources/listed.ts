/** Asks servers for their lists side by side, and never waits long for one of several. */

import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope } from '../lib/abort.ts';
import type { Catalogue } from './catalogue.ts';
import type { ResourceCaller, ResourceReach, ResourceSource } from './source.ts';

/** What one server had to say; of the two, both where an older list stands in for one that could not be renewed. */
export interface Listed {
  readonly server: string;
  readonly source: ResourceSource | undefined;
  readonly catalogue: Catalogue | undefined;
  readonly error: McpToolSetError | undefined;
}

/** Milliseconds. A server that takes longer goes on being listed, and its rows come with the next call. */
export const PATIENCE = 10_000;

/** By name of the server. Rejects only for the caller's own abort. */
export function listServers(reach: ResourceReach, servers: readonly string[], caller: ResourceCaller): Promise<Listed[]> {
  return Promise.all([...servers].sort().map((server) => listServer(reach, server, caller)));
}

async function listServer(reach: ResourceReach, server: string, caller: ResourceCaller): Promise<Listed> {
  const { signal } = caller;
  let source: ResourceSource | undefined;
  const scope = openScope({ parents: [signal], budget: PATIENCE });
  try {
    source = await reach.find(server, { ...caller, signal: scope.signal });
    const { listing, error } = await abortable(source.catalogue.get(signal, askerOf(source, caller)), scope.signal);
    return { server, source, catalogue: listing, error };
  } catch (error) {
    signal?.throwIfAborted();
    return { server, source, catalogue: undefined, error: toError(server, error) };
  } finally {
    scope.release();
  }
}

/** Asks anew what may be out of date; the older list stands where that fails, or takes long. */
export async function listAnew(before: Listed, caller: ResourceCaller): Promise<Listed> {
  const { server, source } = before;
  if (source === undefined || source.catalogue.listedWithin(RECENT)) return before;
  const { signal } = caller;
  const scope = openScope({ parents: [signal], budget: PATIENCE });
  try {
    const { listing, error } = await abortable(source.catalogue.renewed(signal, askerOf(source, caller)), scope.signal);
    return { server, source, catalogue: listing, error };
  } catch {
    signal?.throwIfAborted();
    return before;
  } finally {
    scope.release();
  }
}

/** Milliseconds. Asking more often for what is not there would cost a server its whole list each time. */
const RECENT = 2_000;

function askerOf(
  { send }: ResourceSource,
  { principal, call }: ResourceCaller,
): Parameters<ResourceSource['catalogue']['get']>[1] {
  return { send, caller: { principal, call } };
}

function toError(server: string, error: unknown): McpToolSetError {
  if (error instanceof DeadlineError) {
    return new McpToolSetError('timeout', 'it is still being listed. Ask again for its resources.', { server, cause: error });
  }
  return McpToolSetError.is(error)
    ? error.at({ server })
    : new McpToolSetError('unavailable', 'it could not be asked; see the cause.', { server, cause: error });
}
