/** Servers with much to read, and what a model would get of it. */

import type { McpToolSet } from '../../src/index.ts';
import type { FakeServer } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';
import { json, type Received } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';

export interface Shelf {
  /** As entries of `resources/list`; may be changed while the server runs. */
  resources: object[];
  templates?: object[];
  pageSize?: number;
  capabilities?: object;
  /** Milliseconds before each answer. */
  delay?: number;
  /** The result of `resources/read`. */
  read?: (uri: string) => object;
  /** Answers before anything else does. */
  answer?: (received: Received) => object | undefined;
  tools?: Parameters<typeof fake>[0] extends infer Options
    ? NonNullable<Options> extends { tools?: infer Tools }
      ? Tools
      : never
    : never;
}

/** A server whose lists come in pages. */
export async function shelf(options: Shelf): Promise<FakeServer> {
  return fake({
    resources: [],
    ...(options.tools && { tools: options.tools }),
    capabilities: { resources: {}, tools: {}, ...options.capabilities },
    async intercept(received, response) {
      const { id, method, params } = received.message;
      if (id === undefined || method === undefined) return false;
      if (options.delay !== undefined && method !== 'initialize')
        await new Promise((resolve) => setTimeout(resolve, options.delay));
      const result =
        options.answer?.(received) ?? answerOf(method, params as { cursor?: string; uri?: string } | undefined, options);
      if (result === undefined) return false;
      json(response, { jsonrpc: '2.0', id, ...('error' in result ? result : { result }) });
      return true;
    },
  });
}

function answerOf(method: string, params: { cursor?: string; uri?: string } | undefined, options: Shelf): object | undefined {
  const { resources, templates = [], pageSize = 100, read } = options;
  if (method === 'resources/templates/list') return { resourceTemplates: templates };
  if (method === 'resources/read' && read !== undefined) return read(String(params?.uri));
  if (method !== 'resources/list') return undefined;
  const start = Number(params?.cursor ?? 0);
  const end = start + pageSize;
  return { resources: resources.slice(start, end), ...(end < resources.length && { nextCursor: String(end) }) };
}

export function documents(count: number): { uri: string; name: string; description: string; mimeType: string }[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(5, '0');
    return {
      uri: `docs://archive/${number}`,
      name: `document-${number}`,
      description: `Entry number ${index} of the archive.`,
      mimeType: 'text/plain',
    };
  });
}

interface Result {
  content: { type: string; text: string; resource?: { uri: string; text?: string } }[];
  isError?: boolean;
  _meta?: Record<string, unknown>;
}

/** Calls a tool of the record as the AI SDK would. */
export async function run(
  tools: McpToolSet | Readonly<Record<string, McpToolSet[string]>>,
  name: string,
  input: object,
): Promise<Result> {
  return (await tools[name]?.execute?.(input, executeOptions())) as Result;
}

export async function texts(...call: Parameters<typeof run>): Promise<string[]> {
  return (await run(...call)).content.map(({ text, resource }) => text ?? resource?.text);
}

/** One page of rows, and what is said after it. */
export async function page(tools: McpToolSet, input: object = {}): Promise<{ rows: Record<string, unknown>[]; notes: string[] }> {
  const [first = '', ...notes] = await texts(tools, 'list_resources', input);
  return { rows: JSON.parse(first), notes };
}

/** The cursor of the next page, out of the text that names it. */
export function cursorOf(notes: readonly string[]): string | undefined {
  const found = notes.map((note) => /"cursor": (".*")$/.exec(note)?.[1]).find((each) => each !== undefined);
  return found === undefined ? undefined : JSON.parse(found);
}
