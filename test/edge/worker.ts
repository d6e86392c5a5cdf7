/** A worker whose requests share one provider in module scope; bundled and run in workerd by the test. */

import { createMcpToolProvider, inspectToolSet, type McpToolSet } from '../../src/index.ts';

/** Put in by the bundler. */
declare const SERVERS: Record<string, { url: string }>;

const provider = createMcpToolProvider({ servers: SERVERS, onWarning: false });
const options = { toolCallId: 'call-1', messages: [] } as never;

async function describe(tools: McpToolSet): Promise<object> {
  const { servers } = inspectToolSet(tools);
  return {
    names: Object.keys(tools),
    states: Object.fromEntries(Object.entries(servers).map(([key, { state, error }]) => [key, error?.message ?? state])),
  };
}

async function use(tools: McpToolSet, server: string, uri: string | undefined): Promise<object> {
  const echo = await tools[`${server}_echo`]?.execute?.({ message: 'hi' }, options);
  const resource = uri === undefined ? undefined : await tools.get_resource?.execute?.({ mcpServer: server, uri }, options);
  return { echo, resource };
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    try {
      if (pathname === '/early') {
        // What a handler does that answers before its tools are there: the runtime ends its I/O with the response.
        void provider.tools();
        return Response.json({ early: true });
      }
      const tools = await provider.tools();
      if (pathname === '/list') return Response.json(await describe(tools));
      return Response.json(await use(tools, searchParams.get('server') ?? '', searchParams.get('uri') ?? undefined));
    } catch (error) {
      return Response.json({ error: String(error), stack: (error as Error).stack }, { status: 500 });
    }
  },
};
