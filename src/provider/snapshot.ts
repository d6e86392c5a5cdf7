/** From what the servers offer to the definitions of one record: filter, name, `list` middleware, sort. */

import { McpToolSetError } from '../errors.ts';
import { type PromptReach, type PromptToolsOptions, promptToolDefinitions } from '../prompts/prompt-tools.ts';
import type { McpWarning, ToolNote } from '../report.ts';
import type { ResourceToolsOptions } from '../resources/options.ts';
import { type ResourceToolsContext, resourceToolDefinitions } from '../resources/resource-tools.ts';
import { renamedCopy } from '../tools/definition.ts';
import { runListChain } from '../tools/list-chain.ts';
import type { Listing } from '../tools/listing.ts';
import { type TextOptions, toModelText } from '../tools/model-text.ts';
import { safeName } from '../tools/names.ts';
import { nameTools, type Renaming } from '../tools/rename.ts';
import { type SchemaProfile, toModelSchema } from '../tools/schema/model.ts';
import { selectTools } from '../tools/select.ts';
import type { JsonSchema, McpMiddleware, ToolDefinition, ToolFilter } from '../types.ts';
import type { Offer } from './offers.ts';

export interface SnapshotOptions extends Renaming, TextOptions {
  readonly filters: readonly ToolFilter[];
  readonly middleware: readonly McpMiddleware[];
  readonly schema: SchemaProfile | undefined;
  readonly resources: boolean | ResourceToolsOptions;
  readonly resourceContext: ResourceToolsContext;
  readonly prompts: boolean | PromptToolsOptions;
  readonly promptReach: PromptReach;
}

export interface Snapshot {
  /** Sorted by name; the same for the same servers, whatever order they answered in. */
  readonly tools: readonly ToolDefinition[];
  /** The arguments of each tool as a model is told of them. */
  readonly schemas: readonly JsonSchema[];
  readonly notes: readonly ToolNote[];
  readonly warnings: readonly McpWarning[];
}

export async function takeSnapshot(offers: readonly Offer[], options: SnapshotOptions): Promise<Snapshot> {
  const { filters, middleware, resources, resourceContext, prompts, promptReach } = options;
  const notes: ToolNote[] = [];
  const warnings: McpWarning[] = [];
  const kept: ToolDefinition[] = [];
  for (const { server, config, listing } of offers) {
    if (listing === undefined) continue;
    const selected = await selectTools([...listing.definitions.values()], config.tools, filters);
    const { instructions } = listing.facts;
    for (const definition of selected.kept)
      kept.push(renamedCopy(definition, { name: definition.name, offered: { definition, instructions } }));
    for (const note of [...listing.dropped, ...selected.notes]) notes.push(note);
    for (const pattern of selected.unmatched) warnings.push(unmatched(server, pattern, listing));
  }
  const offersResources = resources !== false && resourceContext.reach.servers().length > 0;
  const pair = offersResources ? resourceToolDefinitions(resources === true ? DEFAULTS : resources, resourceContext) : [];
  const offersPrompts = prompts !== false && promptReach.servers().length > 0;
  const promptPair = offersPrompts ? promptToolDefinitions(prompts === true ? {} : prompts, promptReach) : [];
  const own = [...pair, ...promptPair];
  const named = nameTools(kept, options, own);
  for (const note of renamed(named, options)) notes.push(note);
  const { tools, hidden } = await runListChain(middleware, [...named, ...own]);
  const usable = forModel(finish(tools), options);
  for (const note of [...hidden, ...usable.notes]) notes.push(note);
  warnings.push(...dropWarnings(notes), ...hiddenWarnings(hidden), ...changeWarnings(usable.notes));
  if (usable.tools.length === 0) warnings.push(noTools(notes));
  return { tools: usable.tools, schemas: usable.schemas, notes, warnings };
}

const DEFAULTS: ResourceToolsOptions = {};

/** A schema that no provider would take costs its own tool. */
function forModel(all: readonly ToolDefinition[], options: SnapshotOptions) {
  const tools: ToolDefinition[] = [];
  const schemas: JsonSchema[] = [];
  const notes: ToolNote[] = [];
  for (const tool of all) {
    const { server, originalName } = tool;
    const note = (what: ToolNote['what'], why: string): void => void notes.push({ server, originalName, what, why });
    const result = toModelSchema(tool.inputSchema, options.schema ?? 'auto');
    if ('problem' in result) {
      note('dropped', result.problem);
      continue;
    }
    const text = toModelText(tool, result.schema, options);
    tools.push(text.tool);
    schemas.push(text.schema);
    if (text.stripped) note('stripped', 'characters that nobody sees were hidden in its description, title or input schema');
    if (text.shortened) note('shortened', `its description is longer than ${options.maxDescriptionLength} characters`);
  }
  return { tools, schemas, notes };
}

/** Middleware may rename and add: what comes out must still be safe and unique. */
function finish(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const named = tools.map((tool) => {
    const name = safeName(tool.name);
    return Object.freeze(name === tool.name ? tool : { ...tool, name });
  });
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const twice = named.find((tool, index) => tool.name === named[index + 1]?.name);
  if (twice === undefined) return Object.freeze(named);
  throw new McpToolSetError(
    'name_conflict',
    `a middleware gave the name "${twice.name}" to two tools. Let it give each its own.`,
  );
}

function renamed(tools: readonly ToolDefinition[], { toolName, mapTool }: Renaming): ToolNote[] {
  if (typeof toolName === 'function' || mapTool !== undefined) return [];
  return tools
    .filter(({ name, server, originalName }) => name !== (toolName === 'original' ? originalName : `${server}_${originalName}`))
    .map(({ name, server, originalName }) => ({ server, originalName, what: 'renamed', why: name }));
}

function unmatched(server: string, pattern: string, { definitions }: Listing): McpWarning {
  const names = [...definitions.keys()].slice(0, 10).join(', ');
  return {
    kind: 'pattern_unmatched',
    server,
    message: `MCP server "${server}": the entry "${pattern}" of \`tools\` matches no tool. It offers: ${names || 'none'}. Entries are original names or globs.`,
  };
}

function dropWarnings(notes: readonly ToolNote[]): McpWarning[] {
  return notes
    .filter(({ what }) => what === 'dropped')
    .map(({ server, originalName, why }) => ({
      kind: 'tool_dropped',
      server,
      message: `MCP server "${server}", tool "${originalName}": left out: ${why}`,
    }));
}

function hiddenWarnings(hidden: readonly ToolNote[]): McpWarning[] {
  return [...new Set(hidden.map(({ why }) => why))].map((why) => {
    const those = hidden.filter((note) => note.why === why);
    const names = those.map(({ server, originalName }) => `${server}/${originalName}`).sort();
    const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
    return { kind: 'tools_hidden', message: `${names.length} tools were hidden ${why}: ${shown}` };
  });
}

/** What was changed of what a model reads, in a line for each kind. */
function changeWarnings(notes: readonly ToolNote[]): McpWarning[] {
  const of = (what: ToolNote['what'], kind: McpWarning['kind'], text: string): McpWarning[] => {
    const names = notes.filter((note) => note.what === what).map(({ server, originalName }) => `${server}/${originalName}`);
    const shown = names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');
    return names.length === 0 ? [] : [{ kind, message: `${text}: ${shown}` }];
  };
  return [
    ...of('stripped', 'hidden_text', 'characters that nobody sees were stripped from what these tools say of themselves'),
    ...of('shortened', 'description_cut', 'the descriptions of these tools were cut to maxDescriptionLength'),
  ];
}

function noTools(notes: readonly ToolNote[]): McpWarning {
  const why = notes.length > 0 ? 'every one was dropped, filtered or hidden' : 'no server offered any';
  return { kind: 'no_tools', message: `the tool set is empty: ${why}. See inspectToolSet(tools).` };
}
