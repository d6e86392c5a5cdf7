/** The pair of tools with which a model finds and reads what the servers offer: `list_resources` and `get_resource`. */

import { McpToolSetError } from '../errors.ts';
import type { CallToolResult, ContentBlock, ResourceContents, SendRequest, ToolCall, ToolDefinition } from '../types.ts';
import { listRows } from './rows.ts';

/** Names and texts of the pair; each has langchain4j's as its default. */
export interface ResourceToolsOptions {
  /** Default `list_resources`. */
  readonly listName?: string | undefined;
  readonly listDescription?: string | undefined;
  /** Default `get_resource`. */
  readonly getName?: string | undefined;
  readonly getDescription?: string | undefined;
  /** Of the argument `mcpServer`. */
  readonly serverDescription?: string | undefined;
  /** Of the argument `uri`. */
  readonly uriDescription?: string | undefined;
}

/** What the pair reaches. */
export interface ResourceReach {
  /** The servers with resources, in the order of the record. Asked at each call. */
  readonly servers: () => readonly string[];
  readonly send: SendRequest;
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

/** The two definitions; they span servers, so their own `server` is `*`. */
export function resourceToolDefinitions(
  options: ResourceToolsOptions,
  reach: ResourceReach,
): readonly [ToolDefinition, ToolDefinition] {
  const {
    listName = 'list_resources',
    listDescription = 'Lists all available resources.',
    getName = 'get_resource',
    getDescription = `Retrieves a resource identified by the MCP server name and the resource URI. The '${listName}' tool should be called before this one to obtain the list.`,
    serverDescription = 'The name of the MCP server to get the resource from.',
    uriDescription = 'The URI of the resource to get.',
  } = options;
  const shared = { server: '*', kind: 'resource', annotations: READ_ONLY } as const;
  return [
    {
      ...shared,
      name: listName,
      originalName: 'list_resources',
      description: listDescription,
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      run: (call) => listResources(call, reach),
    },
    {
      ...shared,
      name: getName,
      originalName: 'get_resource',
      description: getDescription,
      inputSchema: {
        type: 'object',
        properties: {
          mcpServer: { type: 'string', description: serverDescription },
          uri: { type: 'string', description: uriDescription },
        },
        required: ['mcpServer', 'uri'],
        additionalProperties: false,
      },
      run: (call) => getResource(call, reach, listName),
    },
  ];
}

/** A JSON array of rows, and after it one line for each server whose rows are missing. Fails only when every server does. */
async function listResources(call: ToolCall, { servers, send }: ResourceReach): Promise<CallToolResult> {
  const names = servers();
  const { signal, principal } = call;
  const listed = await Promise.allSettled(names.map((server) => listRows(send, server, { signal, principal, call })));
  const rows = listed.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = listed.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (failed.length > 0 && failed.length === names.length) throw failed[0];
  const content: ContentBlock[] = [{ type: 'text', text: JSON.stringify(rows) }];
  for (const error of failed)
    content.push({ type: 'text', text: `Not listed: ${McpToolSetError.is(error) ? error.message : 'a server failed.'}` });
  return { content };
}

async function getResource(call: ToolCall, { servers, send }: ResourceReach, listName: string): Promise<CallToolResult> {
  const { mcpServer, uri } = call.input;
  const known = servers();
  for (const [name, value] of Object.entries({ mcpServer, uri })) {
    if (typeof value === 'string' && value !== '') continue;
    throw new McpToolSetError(
      'invalid_arguments',
      `the argument "${name}" is missing or not a text. Take it from a row of ${listName}.`,
    );
  }
  const server = mcpServer as string;
  if (!known.includes(server)) {
    throw new McpToolSetError(
      'invalid_arguments',
      `there is no MCP server of that name with resources. Connected: ${known.map((each) => `"${each}"`).join(', ') || 'none'}.`,
    );
  }
  const { signal, principal } = call;
  const { contents } = await send({ method: 'resources/read', server, params: { uri }, signal, principal, call, peer: {} });
  if (!Array.isArray(contents) || contents.length === 0) {
    throw new McpToolSetError('bad_response', `the server has nothing at that URI. See ${listName} for what there is.`, {
      server,
    });
  }
  return { content: contents.flatMap((each: unknown) => toBlock(each, contents.length === 1) ?? []) };
}

/** A single text stands for itself; of several, each keeps its URI. */
function toBlock(contents: unknown, alone: boolean): ContentBlock | undefined {
  if (typeof contents !== 'object' || contents === null) return undefined;
  const resource = contents as ResourceContents;
  return alone && 'text' in resource && typeof resource.text === 'string'
    ? { type: 'text', text: resource.text }
    : { type: 'resource', resource };
}
