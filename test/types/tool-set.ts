/** Compiles, or does not, as a user's code would: checked against ai 7 with the project, and against ai 6 by `ai6/tsconfig.json`. */

import { generateText, type LanguageModel, streamText, ToolLoopAgent, type ToolSet, tool } from 'ai';
import * as z from 'zod';
import {
  type CallToolResult,
  closeToolSet,
  createMcpToolProvider,
  createMcpToolSet,
  inspectToolSet,
  type McpMiddleware,
  type McpToolProvider,
  type McpToolSet,
  type McpToolSetOptions,
  type ToolDefinition,
  toParts,
  wrapToolSet,
} from '../../src/index.ts';
import { rateLimit, readOnly } from '../../src/middleware/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { loadMcpConfig, stdio } from '../../src/node/index.ts';

declare const model: LanguageModel;
declare const tools: McpToolSet;
declare const provider: McpToolProvider;
const prompt = 'What is new?';
const servers = { docs: { url: 'https://docs.example.com/mcp' } };
const own = tool({ description: 'The time', inputSchema: z.object({}), execute: async () => '12:00' });

/** The record is what `tools` takes, alone and with others. */
export async function record(): Promise<void> {
  const set: ToolSet = tools;
  await generateText({ model, tools, prompt });
  streamText({ model, tools, prompt });
  await new ToolLoopAgent({ model, tools }).generate({ prompt });
  await generateText({ model, tools: { ...tools, own }, prompt });
  streamText({ model, tools: { ...tools, own }, prompt });
  new ToolLoopAgent({ model, tools: { ...tools, own } });
  await generateText({ model, tools: await provider.tools({ principal: { id: 'ada' } }), prompt });
  await generateText({ model, tools: set, prompt });
  await closeToolSet({ ...tools, own });
  const state: 'connected' | 'failed' | 'disabled' | 'needs_auth' | undefined = inspectToolSet(tools).servers.docs?.state;
  await using owned = await createMcpToolSet({ servers });
  await generateText({ model, tools: owned, prompt });
  void state;
}

/** Prompts and resources are what `messages` takes. */
export async function prompts(): Promise<void> {
  for await (const { server, name, arguments: takes } of provider.prompts.list({ principal: { id: 'ada' } })) {
    const required: boolean | undefined = takes?.[0]?.required;
    const messages = await provider.prompts.get({
      server,
      name,
      arguments: { city: 'Ulm', days: 3, wet: true, none: undefined },
    });
    await generateText({ model, messages });
    await generateText({ model, messages: [...messages, { role: 'user', content: toParts([{ uri: 'a:b', text: 'x' }]) }] });
    const values: readonly string[] = await provider.prompts.complete({ server, name, argument: 'city', value: '' });
    // @ts-expect-error a value that is no text
    await provider.prompts.get({ server, name, arguments: { city: {} } });
    void [required, values];
  }
}

/** A wrapped record keeps the types of its tools. */
export async function wrapped(): Promise<void> {
  const { weather } = await wrapToolSet({ tools: { weather: own }, middleware: [rateLimit({ limit: 1, interval: 1_000 })] });
  const same: typeof own = weather;
  await generateText({ model, tools: { weather: same, ...tools }, prompt });
  await wrapToolSet({ tools, middleware: [], annotate: (name) => ({ readOnlyHint: name.startsWith('get') }) });
}

/** Options: what is there is accepted, what is not is refused by name. */
export async function options(): Promise<void> {
  const all: McpToolSetOptions = {
    servers: {
      docs: { url: new URL('https://docs.example.com/mcp'), headers: async ({ server }) => ({ 'x-server': server }) },
      files: stdio({ command: 'npx', args: ['-y', 'some-server'], cwd: new URL('file:///srv') }),
      ...(await loadMcpConfig('mcp.json')),
    },
    middleware: [readOnly(), rateLimit({ limit: 10, interval: 1_000 }), tracing()],
    toolName: ({ server, originalName }) => `${server}.${originalName}`,
    filter: ({ annotations }) => annotations?.destructiveHint !== true,
    resources: { listName: 'find' },
    prompts: { getName: 'use' },
    timeouts: { connect: 1_000 },
    mapResult: (result: CallToolResult) => ({ ...result, isError: false }),
    signal: AbortSignal.timeout(1_000),
  };
  createMcpToolProvider({ servers: {}, mapTool: (definition: ToolDefinition) => ({ ...definition, description: 'x' }) });

  // @ts-expect-error an option that does not exist
  await createMcpToolSet({ servers, middlewares: [] });
  // @ts-expect-error an option of a server that does not exist
  await createMcpToolSet({ servers: { docs: { url: 'https://docs.example.com/mcp', header: {} } } });
  // @ts-expect-error a value of the wrong type
  await createMcpToolSet({ servers, toolName: 'short' });
  // @ts-expect-error a provider is not ended by a signal
  createMcpToolProvider({ servers, signal: AbortSignal.timeout(1) });
  // @ts-expect-error a limit has an interval
  rateLimit({ limit: 1 });
  // @ts-expect-error an option that does not exist
  readOnly({ allowed: [] });
  // @ts-expect-error an option that does not exist
  tracing({ recordInput: true });
  // @ts-expect-error a command is needed
  stdio({ args: [] });
  // @ts-expect-error tools of the AI SDK, nothing else
  await wrapToolSet({ tools: { weather: 1 }, middleware: [] });
  void all;
}

/** A middleware of one's own needs no type arguments. */
export const stopwatch: McpMiddleware = {
  name: 'stopwatch',
  list: async (definitions, next) => (await next(definitions)).filter(({ kind }) => kind !== 'prompt'),
  call: async (call, next) => {
    const { content, ...rest } = await next({ ...call, input: { ...call.input, verbose: true } });
    return { ...rest, content: [...content, { type: 'text', text: call.tool.originalName }] };
  },
  request: async (request, next) => {
    const result = await next({ ...request, headers: { 'x-request': request.method } });
    if (request.peer.era === 'modern') return { ...result, late: true };
    return result;
  },
};

export const careless: McpMiddleware = {
  name: 'careless',
  call: async (call, next) => {
    // @ts-expect-error inputs are immutable: hand on a changed copy
    call.input.verbose = true;
    return next(call);
  },
  // @ts-expect-error there is no such hook
  response: async (result: unknown) => result,
};
