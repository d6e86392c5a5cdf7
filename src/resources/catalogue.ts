/** Everything that one server offers to read. */

import type { ServerFacts } from '../connection/engine.ts';
import type { Kept } from '../connection/kept-list.ts';
import { listPages, type Pages } from '../connection/pages.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpRequest, SendRequest } from '../types.ts';
import { compareRows, type ResourceRow, readRow } from './row.ts';

export interface Catalogue extends Kept {
  /** Resources, then templates, in an order that stays. No URI and no template twice: the first stands. */
  readonly rows: readonly ResourceRow[];
  readonly byUri: ReadonlyMap<string, ResourceRow>;
  readonly templates: readonly ResourceRow[];
}

/** Who wants it: the request is made on behalf of whoever is the first. */
export interface Asker {
  readonly send: SendRequest;
  readonly caller: Partial<Pick<McpRequest, 'principal' | 'call'>>;
}

/** All pages of both lists. A server that has one of the two methods only is no failure, and one without resources is not asked. */
export async function fetchCatalogue(
  server: string,
  { capabilities }: Pick<ServerFacts, 'capabilities'>,
  signal: AbortSignal,
  { send, caller }: Asker,
): Promise<Omit<Catalogue, 'facts'>> {
  if (capabilities.resources === undefined) return toCatalogue(server, []);
  const [resources, templates] = await Promise.allSettled([
    listPages(send, { server, method: 'resources/list', signal, ...caller }, 'resources'),
    listPages(send, { server, method: 'resources/templates/list', signal, ...caller }, 'resourceTemplates'),
  ]);
  const failed = [resources, templates].filter((each) => each.status === 'rejected').map((each): unknown => each.reason);
  const serious = failed.find((error) => !isMissingMethod(error));
  if (serious !== undefined) throw serious;
  if (failed.length === 2) throw failed[0];
  return toCatalogue(
    server,
    [resources, templates].flatMap((each) => (each.status === 'fulfilled' ? each.value : [])),
  );
}

function toCatalogue(server: string, lists: readonly Pages[]): Omit<Catalogue, 'facts'> {
  const byUri = new Map<string, ResourceRow>();
  const byTemplate = new Map<string, ResourceRow>();
  for (const entry of lists.flatMap(({ entries }) => entries)) {
    const row = readRow(entry, server);
    if (row?.uri !== undefined && !byUri.has(row.uri)) byUri.set(row.uri, row);
    if (row?.uriTemplate !== undefined && !byTemplate.has(row.uriTemplate)) byTemplate.set(row.uriTemplate, row);
  }
  const templates = [...byTemplate.values()].sort(compareRows);
  const ttls = lists.flatMap(({ ttl }) => ttl ?? []);
  return {
    rows: [...[...byUri.values()].sort(compareRows), ...templates],
    byUri,
    templates,
    ...(ttls.length > 0 && { ttl: Math.min(...ttls) }),
  };
}

const isMissingMethod = (error: unknown): boolean => McpToolSetError.is(error) && error.data.code === -32601;
