/** What one server offers to read, as rows for the model. */

import { listAll } from '../connection/pages.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpRequest, SendRequest } from '../types.ts';

/**
 * One resource (`uri`) or template (`uriTemplate`). Keys and their order are those of langchain4j's resources-as-tools, with what
 * else the server says after them; what it does not say is left out.
 */
export interface ResourceRow {
  readonly mcpServer: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly title?: string;
  /** Bytes. */
  readonly size?: number;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

type Caller = Partial<Pick<McpRequest, 'signal' | 'principal' | 'call'>>;

/** Resources, then templates. A server that has one of the two methods only is no failure. */
export async function listRows(send: SendRequest, server: string, caller: Caller): Promise<ResourceRow[]> {
  const [resources, templates] = await Promise.allSettled([
    listAll(send, { server, method: 'resources/list', ...caller }, 'resources'),
    listAll(send, { server, method: 'resources/templates/list', ...caller }, 'resourceTemplates'),
  ]);
  const failed = [resources, templates].filter((each) => each.status === 'rejected').map((each): unknown => each.reason);
  const serious = failed.find((error) => !isMissingMethod(error));
  if (serious !== undefined) throw serious;
  if (failed.length === 2) throw failed[0];
  const found = [resources, templates].flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  return found.flatMap((entry) => readRow(entry, server) ?? []);
}

/** Reads an entry leniently: what has no URI cannot be read and is no row; what has no name goes by its URI. */
function readRow(entry: unknown, mcpServer: string): ResourceRow | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { uri, uriTemplate, name, description, mimeType, title, size, annotations } = entry as Record<string, unknown>;
  const place = text(uri) ?? text(uriTemplate);
  if (place === undefined) return undefined;
  const row = {
    mcpServer,
    uri: text(uri),
    uriTemplate: text(uriTemplate),
    name: text(name) ?? place,
    description: text(description),
    mimeType: text(mimeType),
    title: text(title),
    size: typeof size === 'number' ? size : undefined,
    annotations: typeof annotations === 'object' && annotations !== null ? annotations : undefined,
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as unknown as ResourceRow;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const isMissingMethod = (error: unknown): boolean => McpToolSetError.is(error) && error.data.code === -32601;
