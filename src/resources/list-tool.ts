/** `list_resources`: a page of what the servers offer, or of what fits a query. */

import { McpToolSetError } from '../errors.ts';
import type { CallToolResult, ToolCall } from '../types.ts';
import { type Listed, listServers } from './listed.ts';
import type { ResourceSettings } from './options.ts';
import { type Page, pageOf, rankedPageOf } from './page.ts';
import type { ResourceRow } from './row.ts';
import type { RowSearches } from './search.ts';
import type { ResourceReach } from './source.ts';
import { suggestionsFor } from './suggestions.ts';
import { visibleRows } from './visible.ts';
import { optionalText, unknownServer } from './wish.ts';

export interface ListContext {
  readonly reach: ResourceReach;
  readonly settings: ResourceSettings;
  readonly searchOf: RowSearches;
  /** What of a name or description a model may read. */
  readonly clean: (text: string) => string;
}

/** Longest text in a row, and longest row: one must not take the room of all. */
const MAX_TEXT = 300;
const MAX_ROW = 6_000;

/** A JSON array of rows (or a line for each), and after it what there is to say of it. Fails only when every server does. */
export async function listResources(call: ToolCall, { reach, settings, searchOf, clean }: ListContext): Promise<CallToolResult> {
  // Rows say `mcpServer`, and a model may say it back.
  const server = optionalText(call.input, settings.serverArgument.list) ?? optionalText(call.input, 'mcpServer');
  const query = optionalText(call.input, 'query');
  const cursor = optionalText(call.input, 'cursor');
  const known = reach.servers();
  if (server !== undefined && !known.includes(server)) throw unknownServer(known);
  const listed = await listServers(reach, server === undefined ? known : [server], { ...call, call });
  const failed = listed.filter(({ error }) => error !== undefined);
  if (failed.length > 0 && listed.every(({ catalogue }) => catalogue === undefined)) throw failed[0]?.error;
  const sets = listed.flatMap(({ catalogue }) => (catalogue === undefined ? [] : [visibleRows(catalogue, settings)]));
  const room = createRoom(settings, clean);
  const page =
    query === undefined
      ? pageOf(sets, { cursor, fits: room.fits })
      : rankedPageOf(await searchOf(sets).find(query), { cursor, fits: room.fits });
  const suggested = await suggestionsFor(page.rows, listed, { ...call, call });
  const shown = page.rows.map((row) => room.write(row, suggested.get(row)));
  const texts = [
    settings.format === 'json' ? `[${shown.join(',')}]` : shown.join('\n'),
    ...footer(page, query, total(sets), settings),
    ...failed.map(problem),
  ];
  return { content: texts.filter((text) => text !== '').map((text) => ({ type: 'text', text })) };
}

/** Counts the characters of a page as its rows are taken. */
function createRoom({ format, pageCharacters }: ResourceSettings, clean: ListContext['clean']) {
  let used = 2;
  const form = format === 'json' ? writeJson : writeLine;
  const write: typeof form = (row, variables) => form(cleaned(row, clean), variables);
  return {
    write,
    fits(row: ResourceRow): boolean {
      used += write(row).length + 1;
      return used <= pageCharacters;
    },
  };
}

/** URIs are taken as they are: the server knows them by no other name. */
function cleaned(row: ResourceRow, clean: ListContext['clean']): ResourceRow {
  const { name, title, description } = row;
  const said = { name: clean(name), title: title && clean(title), description: description && clean(description) };
  const same = said.name === name && said.title === title && said.description === description;
  return same ? row : (JSON.parse(JSON.stringify({ ...row, ...said })) as ResourceRow);
}

/** One that is too long goes without what is not needed to read it. */
function writeJson(row: ResourceRow, variables?: Readonly<Record<string, readonly string[]>>): string {
  const { mcpServer, uri, uriTemplate, mimeType, annotations, name, title, description, ...rest } = row;
  const told = { title: title && cut(title), description: description && cut(description) };
  const whole = JSON.stringify({
    mcpServer,
    uri,
    uriTemplate,
    name: cut(name),
    description: told.description,
    mimeType,
    title: told.title,
    ...rest,
    annotations,
    variables,
  });
  return whole.length <= MAX_ROW ? whole : JSON.stringify({ mcpServer, uri, uriTemplate, name: cut(name) });
}

function writeLine(row: ResourceRow, variables?: Readonly<Record<string, readonly string[]>>): string {
  const { mcpServer, uri, uriTemplate, name, mimeType, description } = row;
  const type = mimeType === undefined ? '' : ` (${mimeType})`;
  const note = description === undefined ? '' : `: ${cut(description)}`;
  const some = Object.entries(variables ?? {}).filter(([, values]) => values.length > 0);
  const values = some.map(([variable, each]) => ` [${variable}: ${each.join(', ')}]`).join('');
  return `${mcpServer} ${uri ?? uriTemplate} — ${cut(name)}${cut(type)}${note}${cut(values)}`.replace(/[\r\n]+/g, ' ');
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** Nothing where all there is stands there already. */
function footer(
  { rows, start, total: found, nextCursor }: Page,
  query: string | undefined,
  all: number,
  { names }: ResourceSettings,
) {
  const of = query === undefined ? `${found}` : `${found} that fit the query, of ${all}`;
  if (found === 0) {
    if (query === undefined) return ['There are no resources.'];
    return [`Nothing fits the query, of ${all} resources. Try other words, or leave "query" out to see them all.`];
  }
  const range = rows.length === 0 ? 'There are no more rows' : `Rows ${start + 1} to ${start + rows.length}`;
  if (nextCursor !== undefined)
    return [`${range} of ${of}. For the next ones call ${names.list} with "cursor": ${JSON.stringify(nextCursor)}`];
  return start === 0 && query === undefined ? [] : [`${range} of ${of}. There are no more.`];
}

const total = (sets: readonly (readonly ResourceRow[])[]): number => sets.reduce((sum, { length }) => sum + length, 0);

function problem({ server, catalogue, error }: Listed): string {
  const message = McpToolSetError.is(error) ? error.message : `MCP server "${server}" failed.`;
  return catalogue === undefined ? `Not listed: ${message}` : `An older list stands in for a new one: ${message}`;
}
