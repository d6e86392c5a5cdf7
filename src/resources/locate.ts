/** Which server has what a model asks for, and whether any has it at all. */

import { McpToolSetError } from '../errors.ts';
import type { ListContext } from './list-tool.ts';
import { type Listed, listAnew, listServers } from './listed.ts';
import type { ResourceSettings } from './options.ts';
import { placeOf, type ResourceRow } from './row.ts';
import type { ResourceCaller, ResourceSource } from './source.ts';
import { bracesIn, readTemplate } from './templates.ts';
import { visibleRows } from './visible.ts';
import { wrong } from './wish.ts';

export interface Wanted {
  /** Absent: whichever server has it. */
  readonly server: string | undefined;
  /** A URI, or a template beside its variables. */
  readonly uri: string;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

export interface Found {
  readonly source: ResourceSource;
  /** As the server wants it: expanded and encoded. */
  readonly uri: string;
}

/** Throws `invalid_arguments` for what nobody has, with the nearest that there is, and `unavailable` and its like where the server cannot be asked. */
export async function locate(wanted: Wanted, context: ListContext, caller: ResourceCaller): Promise<Found> {
  const { reach, settings } = context;
  const servers = wanted.server === undefined ? reach.servers() : [wanted.server];
  let listed = await listServers(reach, servers, caller);
  let found = findAll(listed, wanted, context);
  if (found.length === 0 && settings.strict) {
    // It may be newer than the list.
    listed = await Promise.all(listed.map((each) => listAnew(each, caller)));
    found = findAll(listed, wanted, context);
  }
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) throw severalHave(found, settings.serverArgument.get);
  const only = listed.length === 1 ? listed[0] : undefined;
  const uri = resolved(wanted);
  if (only !== undefined && (only.catalogue === undefined || !settings.strict)) {
    if (only.source === undefined) throw only.error;
    // What is not listed is shown to the filter as far as it is known.
    if (settings.allows({ mcpServer: only.server, uri, name: uri })) return { source: only.source, uri };
  }
  const failed = listed.find(({ catalogue }) => catalogue === undefined)?.error;
  throw await unknownUri(uri, listed, context, failed);
}

/** Braces may be part of a URI that is listed; of any other they are what is left of a template. */
function findAll(listed: readonly Listed[], wanted: Wanted, { settings }: ListContext): readonly Found[] {
  const listing = listed.flatMap((each) => listedBy(each, wanted.uri) ?? []);
  const whole = listing.length > 0 ? wanted.uri : resolved(wanted);
  const known = whole === wanted.uri ? listing : listed.flatMap((each) => listedBy(each, whole) ?? []);
  if (known.length > 0) return known.flatMap(({ row, ...found }) => (settings.allows(row) ? found : []));
  return listed.flatMap((each) => ofTemplate(each, whole, settings) ?? []);
}

function listedBy({ source, catalogue }: Listed, uri: string): (Found & { readonly row: ResourceRow }) | undefined {
  const row = catalogue?.byUri.get(uri) ?? source?.memory.linked(uri);
  return source === undefined || row === undefined ? undefined : { source, uri, row };
}

/** Making a matcher takes its time, and a server may list any number of templates: the rest go by how they begin. */
const MAX_MATCHED = 20;

function ofTemplate({ source, catalogue }: Listed, uri: string, { allows }: ResourceSettings): Found | undefined {
  if (source === undefined) return undefined;
  for (const [index, template] of (catalogue?.templates ?? []).entries()) {
    const { match, prefix } = readTemplate(template.uriTemplate ?? '');
    const isOf = index < MAX_MATCHED ? match : (form: string) => (form.startsWith(prefix) ? {} : undefined);
    const form = [uri, encoded(uri)].find((each) => isOf(each) !== undefined);
    if (form !== undefined && allows(template)) return { source, uri: form };
  }
  return undefined;
}

const MAX_SHOWN = 200;

/** The URI without braces. Throws where a variable has no value. */
function resolved({ uri, variables }: Wanted): string {
  const braces = bracesIn(uri);
  if (braces.length === 0) return uri;
  const template = readTemplate(uri);
  const missing = template.required.filter((name) => variables?.[name] === undefined || variables[name] === '');
  if (variables === undefined || missing.length > 0) {
    const what = missing.length > 0 ? missing.map((name) => `{${name}}`).join(', ') : braces.join(', ');
    const shown = what.length > MAX_SHOWN ? `${what.slice(0, MAX_SHOWN)}…` : what;
    const example = JSON.stringify(
      Object.fromEntries(
        template.variables
          .filter(({ length }) => length < 50)
          .slice(0, 10)
          .map((name) => [name, '…']),
      ),
    );
    throw wrong('uri', `still has ${shown} in it`, ` Put the values in, or give them as "variables": ${example}`);
  }
  const made = template.expand(variables);
  if (made === undefined) throw wrong('uri', 'is a template that cannot be expanded', ' Put the values in yourself.');
  return made;
}

/** What a URI may not hold, percent-encoded; models write paths as people do. */
function encoded(uri: string): string {
  return uri.replace(/[^!-~]|["<>\\^`{|}]/gu, (character) =>
    /\p{Surrogate}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  );
}

function severalHave(found: readonly Found[], argument: string): McpToolSetError {
  const names = found.map(({ source }) => `"${source.server}"`).join(', ');
  return new McpToolSetError(
    'invalid_arguments',
    `several servers have it: ${names}. Say with "${argument}" which one is meant.`,
  );
}

/** Names the nearest: a model that guessed finds what it meant. */
async function unknownUri(
  uri: string,
  listed: readonly Listed[],
  { settings, searchOf }: ListContext,
  failed: McpToolSetError | undefined,
): Promise<McpToolSetError> {
  const sets = listed.flatMap(({ catalogue }) => (catalogue === undefined ? [] : [visibleRows(catalogue, settings)]));
  const nearest = (await searchOf(sets).find(uri)).slice(0, 3);
  const names = nearest.map((row) => `${placeOf(row)} (${row.mcpServer})`).join(', ');
  const hint = names === '' ? '' : ` The nearest are: ${names}.`;
  const unlisted = failed === undefined ? '' : ` Not asked: ${failed.message}`;
  return wrong(
    'uri',
    'is no resource that a server lists or links to, and no template takes it',
    `${hint} See ${settings.names.list} for what there is.${unlisted}`,
  );
}
