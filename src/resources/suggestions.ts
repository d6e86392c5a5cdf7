/** What a server suggests for the variables of its templates, so that a model need not guess. */

import { complete } from '../connection/complete.ts';
import { type Listed, PATIENCE } from './listed.ts';
import type { ResourceRow } from './row.ts';
import type { ResourceCaller, ResourceSource } from './source.ts';
import { readTemplate } from './templates.ts';

/** Values by variable; empty where the server suggests none. */
export type Suggestions = Readonly<Record<string, readonly string[]>>;

/** More variables on one page are listed by name alone: each costs a request. */
const MAX_ASKED = 10;
const MAX_VALUES = 10;
const MAX_LENGTH = 100;

/** Kept as long as the list itself. */
const kept = new WeakMap<ResourceRow, Suggestions>();

/**
 * The variables of the templates among the rows. They stand in the row itself, since a model that had to ask for them would need one call
 * more: find, ask, read instead of find, read.
 */
export async function suggestionsFor(
  rows: readonly ResourceRow[],
  listed: readonly Listed[],
  caller: ResourceCaller,
): Promise<ReadonlyMap<ResourceRow, Suggestions>> {
  const templates = rows.filter(({ uriTemplate }) => uriTemplate !== undefined);
  const count = templates.reduce((sum, row) => sum + variablesOf(row).length, 0);
  const suggested = await Promise.all(
    templates.map(async (row) => {
      const from = listed.find(({ server }) => server === row.mcpServer);
      const asks = from?.catalogue?.facts.capabilities.completions !== undefined && count <= MAX_ASKED;
      return [row, await suggestionsOf(row, asks ? from?.source : undefined, caller)] as const;
    }),
  );
  return new Map(suggested);
}

async function suggestionsOf(
  row: ResourceRow,
  source: ResourceSource | undefined,
  { principal, call, signal }: ResourceCaller,
): Promise<Suggestions> {
  const variables = variablesOf(row);
  if (source === undefined) return Object.fromEntries(variables.map((name) => [name, []]));
  const known = kept.get(row);
  if (known !== undefined) return known;
  const { server, send } = source;
  const ref = { type: 'ref/resource', uri: row.uriTemplate ?? '' } as const;
  const values = await Promise.all(
    variables.map(async (name) => {
      const request = { server, ref, argument: { name, value: '' }, principal, call, signal, budget: PATIENCE / 5 };
      const given = await complete(send, request).catch(() => []);
      return [name, given.filter(({ length }) => length <= MAX_LENGTH).slice(0, MAX_VALUES)] as const;
    }),
  );
  signal?.throwIfAborted();
  const suggestions = Object.fromEntries(values);
  kept.set(row, suggestions);
  return suggestions;
}

function variablesOf({ uriTemplate = '' }: ResourceRow): readonly string[] {
  return readTemplate(uriTemplate).variables;
}
