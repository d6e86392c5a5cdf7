/** The pair of tools with which a model finds and reads the servers' prompts: `list_prompts` and `get_prompt`. */

import { McpToolSetError } from '../errors.ts';
import { isRecord } from '../lib/content/json.ts';
import type { CallToolResult, ContentBlock, SendRequest, ToolCall, ToolDefinition } from '../types.ts';
import { askPrompt } from './get.ts';
import type { PromptMemory } from './memory.ts';
import { listPrompts, type PromptRow } from './rows.ts';

/** Names and texts of the pair. */
export interface PromptToolsOptions {
  /** Default `list_prompts`. */
  readonly listName?: string | undefined;
  readonly listDescription?: string | undefined;
  /** Default `get_prompt`. */
  readonly getName?: string | undefined;
  readonly getDescription?: string | undefined;
  /** Of the list's argument `server`. */
  readonly listServerDescription?: string | undefined;
  /** Of the argument `mcpServer`. */
  readonly serverDescription?: string | undefined;
  /** Of the argument `name`. */
  readonly nameDescription?: string | undefined;
  /** Of the argument `arguments`. */
  readonly argumentsDescription?: string | undefined;
}

/** What the pair reaches. */
export interface PromptReach {
  /** The servers with prompts, in the order of the record. Asked at each call. */
  readonly servers: () => readonly string[];
  readonly send: SendRequest;
  /** What is known of a server's prompts, for the caller's own eyes. */
  readonly memory: (server: string, call: ToolCall) => Promise<PromptMemory>;
  /** What of a title or description a model may read; names are taken as they are, since the server knows no other. */
  readonly clean: (text: string) => string;
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
/** Characters of JSON that one list may have; about 10 000 tokens. */
const MAX_LIST = 40_000;
const MAX_ROW = 4_000;

/** The two definitions; they span servers, so their own `server` is `*`. */
export function promptToolDefinitions(
  options: PromptToolsOptions,
  reach: PromptReach,
): readonly [ToolDefinition, ToolDefinition] {
  const {
    listName = 'list_prompts',
    listDescription = 'Lists the prompts that the MCP servers offer: texts prepared for a task, with the arguments that each takes.',
    getName = 'get_prompt',
    getDescription = `Retrieves the messages of a prompt identified by the MCP server name and the prompt's name. The '${listName}' tool should be called before this one to obtain the list.`,
    listServerDescription = 'Lists the prompts of this MCP server only.',
    serverDescription = 'The name of the MCP server to get the prompt from.',
    nameDescription = 'The name of the prompt to get.',
    argumentsDescription = 'The values of its arguments by their names, each a text.',
  } = options;
  const shared = { server: '*', kind: 'prompt', annotations: READ_ONLY } as const;
  return [
    {
      ...shared,
      name: listName,
      originalName: 'list_prompts',
      description: listDescription,
      inputSchema: {
        type: 'object',
        properties: { server: { type: 'string', description: listServerDescription } },
        additionalProperties: false,
      },
      run: (call) => list(call, reach),
    },
    {
      ...shared,
      name: getName,
      originalName: 'get_prompt',
      description: getDescription,
      inputSchema: {
        type: 'object',
        properties: {
          mcpServer: { type: 'string', description: serverDescription },
          name: { type: 'string', description: nameDescription },
          arguments: { type: 'object', description: argumentsDescription, additionalProperties: { type: 'string' } },
        },
        required: ['mcpServer', 'name'],
        additionalProperties: false,
      },
      run: (call) => get(call, reach, listName),
    },
  ];
}

/** A JSON array of rows, and after it a line for what is not in it. Fails only when every server does. */
async function list(call: ToolCall, { servers, send, memory, clean }: PromptReach): Promise<CallToolResult> {
  const { signal, principal, input } = call;
  const only = input.server === undefined || input.server === null ? undefined : knownServer(input.server, servers());
  const names = only === undefined ? servers() : [only];
  const asked = names.map(async (server) => listPrompts(send, server, { signal, principal, call }, await memory(server, call)));
  const listed = await Promise.allSettled(asked);
  const rows = listed.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const failed = listed.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  if (failed.length > 0 && failed.length === names.length) throw failed[0];
  const { text, left } = written(rows, clean);
  const content: ContentBlock[] = [{ type: 'text', text }];
  if (left > 0) {
    const next = only === undefined && names.length > 1 ? ' List the prompts of one server for more.' : '';
    content.push({ type: 'text', text: `Not shown: ${left} more prompts.${next}` });
  }
  for (const error of failed)
    content.push({ type: 'text', text: `Not listed: ${McpToolSetError.is(error) ? error.message : 'a server failed.'}` });
  return { content };
}

/** As many rows as there is room for; one that is too long by itself goes without its descriptions, or with its name alone. */
function written(rows: readonly PromptRow[], clean: PromptReach['clean']): { readonly text: string; readonly left: number } {
  const lines: string[] = [];
  let room = MAX_LIST;
  for (const { server: mcpServer, name, title, description, arguments: all } of rows) {
    const said = { title: title && clean(title), description: description && clean(description) };
    const taken = all?.map((each) => ({
      name: each.name,
      description: each.description && clean(each.description),
      required: each.required,
    }));
    const bare = taken?.map((each) => ({ name: each.name, required: each.required }));
    const line = [
      { mcpServer, name, ...said, arguments: taken },
      { mcpServer, name, arguments: bare },
      { mcpServer, name },
    ]
      .map((row) => JSON.stringify(row))
      .find((each) => each.length <= MAX_ROW);
    room -= (line?.length ?? 0) + 1;
    if (line === undefined) continue;
    if (room < 0) break;
    lines.push(line);
  }
  return { text: `[${lines.join(',')}]`, left: rows.length - lines.length };
}

async function get(call: ToolCall, { servers, send, memory }: PromptReach, listName: string): Promise<CallToolResult> {
  const { signal, principal, input } = call;
  for (const name of ['mcpServer', 'name']) {
    if (typeof input[name] === 'string' && input[name] !== '') continue;
    throw new McpToolSetError(
      'invalid_arguments',
      `the argument "${name}" is missing or not a text. Take it from a row of ${listName}.`,
    );
  }
  const values = input.arguments ?? {};
  if (!isRecord(values)) throw new McpToolSetError('invalid_arguments', 'the argument "arguments" must be an object of texts.');
  const server = knownServer(input.mcpServer, servers());
  const request = { server, name: input.name as string, arguments: values, signal, principal, call };
  const said = await askPrompt(send, request, await memory(server, call));
  const content = said.flatMap(({ role, blocks }): ContentBlock[] => [
    { type: 'text', text: `${role}:` },
    ...blocks.map((block) => (typeof block === 'string' ? { type: 'text' as const, text: block } : (block as ContentBlock))),
  ]);
  return { content: content.length > 0 ? content : [{ type: 'text', text: 'The prompt has no messages.' }] };
}

function knownServer(server: unknown, known: readonly string[]): string {
  if (typeof server === 'string' && known.includes(server)) return server;
  throw new McpToolSetError(
    'invalid_arguments',
    `there is no MCP server of that name with prompts. Connected: ${known.map((each) => `"${each}"`).join(', ') || 'none'}.`,
  );
}
