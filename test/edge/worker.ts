/** A worker whose requests share one provider in module scope; the test bundles it and runs it in workerd. */

import { createMcpToolProvider, inspectToolSet, type McpToolSet } from '../../src/index.ts';

/** Both are put in by the bundler. */
declare const SERVERS: Record<string, { url: string }>;
/** Told of what a request has begun; its answer is waited for. */
declare const BOARD: string;

const provider = createMcpToolProvider({ servers: SERVERS, onWarning: false });
const options = { toolCallId: 'call-1', messages: [] } as never;

async function list(): Promise<object> {
  const pending = provider.tools();
  await fetch(`${BOARD}/list`);
  const tools = await pending;
  const servers = Object.entries(inspectToolSet(tools).servers);
  return {
    names: Object.keys(tools),
    states: Object.fromEntries(servers.map(([key, { state, error }]) => [key, error?.message ?? state])),
  };
}

/** Answers before its tools are there; the runtime ends what it has under way. */
async function leave(): Promise<object> {
  void provider.tools().catch(() => {});
  await fetch(`${BOARD}/leave`);
  return { left: true };
}

/** Answers before its call has. */
async function leaveCall(): Promise<object> {
  const tools = await provider.tools();
  void execute(tools, 'slow_echo', { message: 'later' }).catch(() => {});
  await fetch(`${BOARD}/leave-call`);
  return { left: true };
}

async function use(): Promise<object> {
  const tools = await provider.tools();
  return Promise.all([
    execute(tools, 'every_echo', { message: 'hi' }),
    execute(tools, 'slow_echo', { message: 'ho' }),
    execute(tools, 'get_resource', { mcpServer: 'every', uri: 'demo://resource/dynamic/text/1' }),
  ]);
}

async function close(): Promise<object> {
  await provider.close();
  return { closed: true };
}

async function execute(tools: McpToolSet, name: string, input: object): Promise<unknown> {
  return tools[name]?.execute?.(input, options);
}

const routes: Record<string, (() => Promise<object>) | undefined> = {
  '/list': list,
  '/leave': leave,
  '/leave-call': leaveCall,
  '/use': use,
  '/close': close,
};

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await routes[new URL(request.url).pathname]?.());
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
};
