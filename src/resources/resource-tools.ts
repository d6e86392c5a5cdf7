/** The pair of tools with which a model finds and reads what the servers offer: `list_resources` and `get_resource`. */

import { McpToolSetError } from '../errors.ts';
import { type InvisibleChoice, stripInvisible } from '../lib/content/invisible.ts';
import type { CallToolResult, JsonSchema, ToolCall, ToolDefinition } from '../types.ts';
import { getResource } from './get-tool.ts';
import { type ListContext, listResources } from './list-tool.ts';
import { listServers } from './listed.ts';
import { type ResourceSettings, type ResourceToolsOptions, readSettings } from './options.ts';
import type { PresentedTool, PresenterContext } from './presenter.ts';
import { readResource } from './read.ts';
import type { RowSearches } from './search.ts';
import type { ResourceReach } from './source.ts';

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export interface ResourceToolsContext {
  readonly reach: ResourceReach;
  readonly searchOf: RowSearches;
  /** Whether names and descriptions may hold what nobody sees. */
  readonly invisible?: InvisibleChoice | undefined;
}

/** The two definitions; they span servers, so their own `server` is `*`. */
export function resourceToolDefinitions(
  options: ResourceToolsOptions,
  { reach, searchOf, invisible }: ResourceToolsContext,
): readonly [ToolDefinition, ToolDefinition] {
  const settings = settingsOf(options);
  const context: ListContext = { reach, searchOf, settings, clean: invisible === 'keep' ? (text) => text : stripInvisible };
  const standard = { list: standardList(context), get: standardGet(context) };
  const { presenter } = options;
  if (presenter === undefined) return [toDefinition(standard.list, 'list_resources'), toDefinition(standard.get, 'get_resource')];
  const shared = presenterContext(reach);
  return [
    toDefinition(checked(presenter.list({ ...shared, standard: standard.list }), 'list'), 'list_resources'),
    toDefinition(checked(presenter.get({ ...shared, standard: standard.get }), 'get'), 'get_resource'),
  ];
}

/** The same settings for the same options, so that what is worked out by them is not worked out anew for each record. */
const read = new WeakMap<ResourceToolsOptions, ResourceSettings>();
function settingsOf(options: ResourceToolsOptions): ResourceSettings {
  const settings = read.get(options) ?? readSettings(options);
  read.set(options, settings);
  return settings;
}

function standardList(context: ListContext): PresentedTool {
  const { names, descriptions, serverArgument, format } = context.settings;
  return {
    name: names.list,
    description: descriptions.list,
    inputSchema: argumentsOf({
      [serverArgument.list]: { type: 'string', description: 'Only the resources of this MCP server. Default: of every one.' },
      query: { type: 'string', description: 'Words to find: only what fits is listed, the best first. Default: everything.' },
      cursor: { type: 'string', description: 'Where to go on, as the last answer says.' },
    }),
    run: forgiving(format, (call) => listResources(call, context)),
  };
}

function standardGet(context: ListContext): PresentedTool {
  const { names, descriptions, serverArgument, format } = context.settings;
  return {
    name: names.get,
    description: descriptions.get,
    inputSchema: argumentsOf(
      {
        [serverArgument.get]: { type: 'string', description: descriptions.server },
        uri: { type: 'string', description: descriptions.uri },
        variables: {
          type: 'object',
          description: 'Where "uri" is a uriTemplate: a value for each of its variables.',
          additionalProperties: { type: 'string' },
        },
        offset: { type: 'integer', minimum: 0, description: 'Characters of a long text to leave out, as the last answer says.' },
        limit: { type: 'integer', minimum: 1, description: 'Characters of a long text to give at most.' },
      },
      ['uri'],
    ),
    run: forgiving(format, (call) => getResource(call, context)),
  };
}

function argumentsOf(properties: Readonly<Record<string, object>>, required?: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required && { required }), additionalProperties: false };
}

type Run = (call: ToolCall) => Promise<CallToolResult>;

/** In the form of lines an error is a result, which the model reads as one. */
function forgiving(format: ResourceSettings['format'], run: Run): Run {
  if (format === 'json') return run;
  return async (call) => {
    try {
      return await run(call);
    } catch (error) {
      if (call.signal?.aborted || !McpToolSetError.is(error) || error.code === 'closed') throw error;
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  };
}

function presenterContext(reach: ResourceReach): Omit<PresenterContext, 'standard'> {
  return {
    servers: reach.servers,
    async rows(server, call) {
      const [listed] = await listServers(reach, [server], { ...call, call });
      if (listed?.catalogue === undefined) throw listed?.error;
      return listed.catalogue.rows;
    },
    async read(server, uri, call) {
      const caller = { ...call, call };
      return readResource(await reach.find(server, caller), { uri }, caller);
    },
  };
}

function toDefinition(tool: PresentedTool, originalName: string): ToolDefinition {
  const { name, title, description, inputSchema, annotations = READ_ONLY } = tool;
  return {
    server: '*',
    kind: 'resource',
    originalName,
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    annotations,
    run: (call) => tool.run(call),
  };
}

function checked(tool: unknown, which: string): PresentedTool {
  const { name, inputSchema, run } = (tool ?? {}) as Partial<PresentedTool>;
  if (typeof name === 'string' && name !== '' && typeof inputSchema === 'object' && typeof run === 'function')
    return tool as PresentedTool;
  throw new McpToolSetError(
    'config_invalid',
    `\`resources.presenter.${which}\` gave no tool. Return { name, description, inputSchema, run }, or a changed copy of the \`standard\` one.`,
  );
}
