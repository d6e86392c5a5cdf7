/** Who is measured: each connects, lists, and calls `tool_1` of the first server through its own record of tools. */

import { createMCPClient } from '@ai-sdk/mcp';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { closeToolSet, createMcpToolSet, type McpMiddleware, type McpToolSetOptions } from 'mcp-tool-set';
import { rateLimit, readOnly } from 'mcp-tool-set/middleware';
import { tracing } from 'mcp-tool-set/tracing';

export type Input = Readonly<Record<string, unknown>>;

export interface Session {
  call(input: Input, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** Connects to all servers and lists their tools. */
  open(urls: readonly string[]): Promise<Session>;
}

export const INPUT: Input = { a: 1, b: 2 };
export const clientInfo = { name: 'bench', version: '1' };
const PINNED = { legacy: '2025-11-25', modern: '2026-07-28' };

/** What the AI SDK hands to `execute`. */
export const callOptions = (abortSignal?: AbortSignal): never =>
  ({ toolCallId: '1', messages: [], context: undefined, ...(abortSignal && { abortSignal }) }) as never;

interface Executable {
  execute?: ((input: never, options: never) => unknown) | undefined;
}

/** The tool's `execute`. A record without the tool would be the fastest of all. */
export function executor(tools: object, name: string): (input: Input, signal?: AbortSignal) => Promise<unknown> {
  const execute = (tools as Record<string, Executable | undefined>)[name]?.execute;
  if (execute === undefined) throw new Error(`${name} is not in the record`);
  return async (input, signal) => execute(input as never, callOptions(signal));
}

export const threeMiddlewares = (): McpMiddleware[] => [readOnly(), rateLimit({ limit: 1_000_000, interval: 1_000 }), tracing()];

export const keyed = <T>(urls: readonly string[], make: (url: string) => T): Record<string, T> =>
  Object.fromEntries(urls.map((url, index) => [`s${index}`, make(url)]));

/** `protocol: 'pinned'` is the revision that the address says. */
export function ours(name: string, options: Partial<McpToolSetOptions> = {}): Subject {
  return {
    name,
    async open(urls) {
      const pin = urls[0]?.includes('/modern/') ? PINNED.modern : PINNED.legacy;
      const protocol = options.protocol === 'pinned' ? { protocol: pin } : {};
      const tools = await createMcpToolSet({ ...options, ...protocol, servers: keyed(urls, (url) => ({ url })) });
      return { call: executor(tools, 's0_tool_1'), close: () => closeToolSet(tools) };
    },
  };
}

export const sdkV1: Subject = {
  name: 'SDK client 1.x',
  async open(urls) {
    const clients = await Promise.all(
      urls.map(async (url) => {
        const client = new ClientV1(clientInfo);
        await client.connect(new TransportV1(new URL(url)) as Transport);
        await client.listTools();
        return client;
      }),
    );
    return {
      call: (input, signal) => clients[0]!.callTool({ name: 'tool_1', arguments: input }, undefined, signal && { signal }),
      close: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  },
};

export const sdkV2: Subject = {
  name: 'SDK client 2.x',
  async open(urls) {
    const clients = await Promise.all(
      urls.map(async (url) => {
        const client = new ClientV2(clientInfo);
        await client.connect(new TransportV2(new URL(url)));
        await client.listTools();
        return client;
      }),
    );
    return {
      call: (input, signal) => clients[0]!.callTool({ name: 'tool_1', arguments: input }, signal && { signal }),
      close: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  },
};

export const aiSdk: Subject = {
  name: '@ai-sdk/mcp',
  async open(urls) {
    const clients = await Promise.all(urls.map((url) => createMCPClient({ transport: { type: 'http', url } })));
    const [tools] = await Promise.all(clients.map((client) => client.tools()));
    return {
      call: executor(tools ?? {}, 'tool_1'),
      close: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  },
};
