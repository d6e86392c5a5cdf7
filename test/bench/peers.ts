/** The subjects that are frameworks of their own, from this folder's package. One that cannot be had is said so, with the reason. */

import { type Input, keyed, type Subject } from './subjects.ts';

/** Loaded by name, so that the rest of the repository can be checked without them. */
const load = async <T>(name: string): Promise<T> => (await import(name)) as T;

interface LangChain {
  readonly MultiServerMCPClient: new (
    config: object,
  ) => { getTools(): Promise<{ name: string; invoke(input: Input): Promise<unknown> }[]>; close(): Promise<void> };
}

async function langchain(): Promise<Subject> {
  const { MultiServerMCPClient } = await load<LangChain>('@langchain/mcp-adapters');
  return {
    name: '@langchain/mcp-adapters',
    async open(urls) {
      const client = new MultiServerMCPClient({
        mcpServers: keyed(urls, (url) => ({ transport: 'http', url, automaticSSEFallback: false })),
      });
      const tools = await client.getTools();
      const tool = tools.find(({ name }) => name.endsWith('tool_1'));
      return { call: async (input) => tool!.invoke(input), close: () => client.close() };
    },
  };
}

interface Mastra {
  readonly MCPClient: new (
    options: object,
  ) => {
    listTools(): Promise<Record<string, { execute(input: Input, context: object): Promise<unknown> }>>;
    disconnect(): Promise<void>;
  };
}

let mastraClients = 0;

async function mastra(): Promise<Subject> {
  const { MCPClient } = await load<Mastra>('@mastra/mcp');
  return {
    name: '@mastra/mcp',
    async open(urls) {
      const client = new MCPClient({ id: `bench-${mastraClients++}`, servers: keyed(urls, (url) => ({ url: new URL(url) })) });
      const tool = (await client.listTools()).s0_tool_1;
      return { call: async (input) => tool!.execute(input, {}), close: () => client.disconnect() };
    },
  };
}

interface OpenAiServer {
  connect(): Promise<void>;
  close(): Promise<void>;
}

interface OpenAi {
  readonly MCPServerStreamableHttp: new (options: object) => OpenAiServer;
  readonly RunContext: new () => object;
  readonly getAllMcpTools: (
    options: object,
  ) => Promise<{ name: string; invoke(context: object, input: string): Promise<unknown> }[]>;
  readonly setTracingDisabled: (disabled: boolean) => void;
}

async function openai(): Promise<Subject> {
  const { MCPServerStreamableHttp, RunContext, getAllMcpTools, setTracingDisabled } = await load<OpenAi>('@openai/agents');
  setTracingDisabled(true);
  return {
    name: '@openai/agents',
    async open(urls) {
      const mcpServers = urls.map((url, index) => new MCPServerStreamableHttp({ url, name: `s${index}`, cacheToolsList: true }));
      await Promise.all(mcpServers.map((server) => server.connect()));
      const runContext = new RunContext();
      const tools = await getAllMcpTools({ mcpServers, runContext, includeServerInToolNames: true });
      const tool = tools.find(({ name }) => name.endsWith('tool_1'));
      return {
        call: async (input) => tool!.invoke(runContext, JSON.stringify(input)),
        close: async () => void (await Promise.all(mcpServers.map((server) => server.close()))),
      };
    },
  };
}

/** Version 2.5.2 has no client in it: it names one that the registry the lock file was made from does not hold. */
async function mcpUse(): Promise<Subject> {
  throw new Error(
    '2.5.2 is a server framework; its client is a package of its own, @mcp-use/client, which could not be installed',
  );
}

export interface Peers {
  readonly subjects: readonly Subject[];
  /** Name and reason of those that are left out. */
  readonly missing: readonly (readonly [name: string, reason: string])[];
}

export async function loadPeers(): Promise<Peers> {
  const loaders = { '@langchain/mcp-adapters': langchain, '@mastra/mcp': mastra, '@openai/agents': openai, 'mcp-use': mcpUse };
  const subjects: Subject[] = [];
  const missing: [string, string][] = [];
  for (const [name, loader] of Object.entries(loaders)) {
    try {
      subjects.push(await loader());
    } catch (error) {
      missing.push([
        name,
        String((error as Error).message)
          .split('\n', 1)[0]!
          .replace(/ imported from .*/, ''),
      ]);
    }
  }
  return { subjects, missing };
}
