/** What one server offers as prompts, page by page. */

import { eachPage } from '../connection/pages.ts';
import { McpToolSetError } from '../errors.ts';
import { isRecord } from '../lib/content/json.ts';
import type { McpRequest, SendRequest } from '../types.ts';
import type { PromptMemory } from './memory.ts';

/** One argument of a prompt. Its value is a text. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly [key: string]: unknown;
}

/** One prompt of one server; what else the server says of it is kept. */
export interface PromptRow {
  /** The server's key. */
  readonly server: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly icons?: readonly unknown[];
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

export type Asker = Partial<Pick<McpRequest, 'signal' | 'principal' | 'call'>>;

/** Its prompts, a page at a time as they are asked for. A server that says it has prompts and has no such method has none. */
export async function* promptRows(
  send: SendRequest,
  server: string,
  asker: Asker,
  memory: PromptMemory,
): AsyncGenerator<PromptRow, void, undefined> {
  const keep = memory.begin();
  const rows: PromptRow[] = [];
  try {
    for await (const { prompts } of eachPage(send, { server, method: 'prompts/list', ...asker })) {
      const page = Array.isArray(prompts) ? prompts.flatMap((entry: unknown) => readRow(entry, server) ?? []) : [];
      rows.push(...page);
      yield* page;
    }
  } catch (error) {
    if (!isMissingMethod(error)) throw error;
  }
  keep(rows);
}

/** All of them at once. */
export async function listPrompts(...asked: Parameters<typeof promptRows>): Promise<readonly PromptRow[]> {
  const rows: PromptRow[] = [];
  for await (const row of promptRows(...asked)) rows.push(row);
  return rows;
}

export const isMissingMethod = (error: unknown): boolean => McpToolSetError.is(error) && error.data.code === -32601;

/** What has no name cannot be asked for; a field that is not what it should be is left out. */
function readRow(entry: unknown, server: string): PromptRow | undefined {
  if (!isRecord(entry) || !isText(entry.name)) return undefined;
  const { name, title, description, arguments: given, icons, _meta, ...rest } = entry;
  return {
    ...rest,
    server,
    name: entry.name,
    ...(isText(title) && { title }),
    ...(isText(description) && { description }),
    ...(Array.isArray(given) && { arguments: given.flatMap((argument: unknown) => readArgument(argument) ?? []) }),
    ...(Array.isArray(icons) && { icons }),
    ...(isRecord(_meta) && { _meta }),
  };
}

function readArgument(entry: unknown): PromptArgument | undefined {
  if (!isRecord(entry) || !isText(entry.name)) return undefined;
  const { name, description, required, ...rest } = entry;
  return {
    ...rest,
    name: entry.name,
    ...(isText(description) && { description }),
    ...(typeof required === 'boolean' && { required }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
