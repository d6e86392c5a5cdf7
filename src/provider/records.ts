/** Makes the record of one request: from what the servers offer, or from memory where nothing has changed. */

import type { InstructionsOptions, McpToolProvider, McpToolProviderOptions, ToolsOptions } from '../api.ts';
import { checkRequestOptions } from '../config/options.ts';
import { abortedListing, closedError } from '../connection/failure.ts';
import type { Whose } from '../connection/server.ts';
import { abortable } from '../lib/abort.ts';
import { stripInvisible } from '../lib/content/invisible.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { McpWarning } from '../report.ts';
import type { RowSearches } from '../resources/search.ts';
import type { McpToolSet } from '../tools/ai-tool.ts';
import type { Caller } from './caller.ts';
import type { Core } from './core.ts';
import { askServers, type Offer, peekServers, stillThere } from './offers.ts';
import { type Prepared, type PreparedCache, prepare } from './prepared.ts';
import { createRecord } from './record.ts';
import type { SelectionState } from './selection.ts';
import { takeSnapshot } from './snapshot.ts';

export interface RecordsOptions {
  readonly core: Core;
  readonly options: McpToolProviderOptions;
  readonly caller: Caller;
  readonly searchOf: RowSearches;
  readonly selection: SelectionState;
  readonly cache: PreparedCache;
  readonly warn: (warning: McpWarning) => void;
  /** What the report of a record shows as its provider. */
  readonly provider: () => McpToolProvider;
}

export interface Records {
  tools(request?: ToolsOptions): Promise<McpToolSet>;
  /** What the servers of a request offer. At once where nothing has to be asked. */
  offered(request: InstructionsOptions | undefined, whose: Whose): readonly Offer[] | Promise<readonly Offer[]>;
}

export function createRecords({ core, options, caller, searchOf, selection, cache, warn, provider }: RecordsOptions): Records {
  const { routes } = core;

  async function tools(request?: ToolsOptions): Promise<McpToolSet> {
    if (request !== undefined) checkRequestOptions(request);
    if (core.closed) throw closedError();
    const { principal = options.principal } = request ?? {};
    const offers = await offered(request, { principal, handlers: caller.handlersOf(request) });
    const { version } = selection.present;
    const plain = isPlain(request);
    const known = plain ? cache.find(principal?.id, version, offers) : undefined;
    const prepared = known ?? (await build(offers, request));
    if (plain && known === undefined) cache.keep(principal?.id, version, prepared);
    const { run, current } = caller.of(request);
    const { media = options.media, structured = options.structured } = request ?? {};
    const shown = { media, structured, invisible: options.invisible };
    const { schemas } = request ?? {};
    const { mapResult } = options;
    const record = createRecord({ prepared, run, current, principal, mapResult, provider: provider(), shown, schemas });
    for (const name of Object.keys(schemas ?? {})) if (!Object.hasOwn(record, name)) warn(untyped(name, Object.keys(record)));
    return record;
  }

  const offered: Records['offered'] = (request, whose) =>
    peekServers(routes, new Set(request?.servers ?? routes.servers.keys()), whose) ?? ask(request, whose);

  async function ask(request: InstructionsOptions | undefined, whose: Whose): Promise<readonly Offer[]> {
    const { signal } = request ?? {};
    const servers = [...new Set(request?.servers ?? routes.servers.keys())];
    const ready = options.timeouts?.ready;
    const offers = await askServers(routes, servers, { ...whose, signal, ready });
    if (core.closed) throw closedError();
    return stillThere(routes, offers);
  }

  async function build(offers: readonly Offer[], request: ToolsOptions | undefined): Promise<Prepared> {
    for (const offer of offers) report(offer, options.onServerError, warn);
    const having = (capability: string): string[] =>
      offers.filter(({ listing }) => listing?.facts.capabilities[capability] !== undefined).map(({ server }) => server);
    const [readable, prompting] = [having('resources'), having('prompts')];
    const { send } = caller.of(request);
    const { filters, ...renaming } = selection.present;
    const taking = takeSnapshot(offers, {
      ...renaming,
      filters: [filters, request?.filter ?? []].flat(),
      middleware: [...(request?.middleware ?? []), ...(options.middleware ?? [])],
      schema: options.schema,
      invisible: options.invisible,
      maxDescriptionLength: options.maxDescriptionLength,
      resources: options.resources ?? true,
      resourceContext: {
        searchOf,
        invisible: options.invisible,
        reach: { ...caller.of(request).reach, servers: () => readable },
      },
      prompts: options.prompts ?? false,
      promptReach: {
        servers: () => prompting,
        send,
        clean: options.invisible === 'keep' ? (text) => text : stripInvisible,
        async memory(server, { principal, signal }) {
          const whose = { principal, handlers: caller.handlersOf(request) };
          return (await routes.find(server, { method: 'prompts/get', ...whose, signal })).prompts;
        },
      },
    });
    const signal = request?.signal;
    const snapshot = await abortable(taking, signal).catch((error: unknown) => {
      throw signal?.aborted ? abortedListing(error) : error;
    });
    for (const warning of snapshot.warnings) warn(warning);
    return prepare(snapshot, offers);
  }

  return { tools, offered };
}

function untyped(name: string, known: readonly string[]): McpWarning {
  const offered = didYouMean(name, known) || ` There are: ${known.slice(0, 20).join(', ') || 'none'}.`;
  return { kind: 'pattern_unmatched', message: `\`schemas\` names "${name}", and no tool of that name is there.${offered}` };
}

/** What is one request's alone is not worth remembering. */
function isPlain(request: ToolsOptions | undefined): boolean {
  const { servers, filter, middleware, handlers } = request ?? {};
  return servers === undefined && filter === undefined && middleware === undefined && handlers === undefined;
}

/** A server that is required fails the whole; another one costs a warning, and its own tools. */
function report(
  { server, config, listing, error }: Offer,
  onServerError: McpToolProviderOptions['onServerError'],
  warn: (warning: McpWarning) => void,
): void {
  if (error === undefined) return;
  const required = config.required ?? onServerError === 'throw';
  if (required && listing === undefined) throw error;
  const left = listing === undefined ? 'Its tools are left out.' : 'The tools that it last listed stay.';
  warn({ kind: 'server_failed', server, error, message: `${error.message} ${left}` });
}
