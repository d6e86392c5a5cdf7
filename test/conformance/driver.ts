/** The client that the official conformance suite tests: a tool set on the suite's server, used as an application would use it. */

import { asSchema } from 'ai';
import { closeToolSet, createMcpToolSet, type McpToolSet } from '../../src/index.ts';

/** What the suite gives: its server's address as the last argument, the scenario's name, and calls to make where they matter. */
const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const { toolCalls }: { toolCalls?: { name: string; arguments: object }[] } = JSON.parse(
  process.env.MCP_CONFORMANCE_CONTEXT ?? '{}',
);
/** Set by the test. The suite's own variable says what its server speaks, which the client has to find out. */
const protocol = process.env.PROTOCOL ?? 'auto';

/** What the scenarios' own tools want; every other one takes nothing. */
const INPUTS: Readonly<Record<string, (tools: McpToolSet) => object>> = {
  add_numbers: () => ({ a: 5, b: 3 }),
  valid_tool: () => ({ region: 'us-west1' }),
  json_schema_2020_12_tool: () => ({ contactMethod: 'phone', phone: '1' }),
  json_schema_echo: (tools) => ({ schema: asSchema(tools.json_schema_2020_12_tool?.inputSchema as never).jsonSchema }),
};

/** Its server lists a tool and answers no call. */
const LIST_ONLY = new Set(['json-schema-ref-no-deref']);

/** Scenarios whose server asks something, or looks at what may be asked. */
const ASKING = new Set(['elicitation-sep1034-client-defaults', 'sep-2322-client-request-state', 'request-metadata']);
const handlers = {
  // The user accepts the form as it is: its defaults are the library's to fill in.
  elicitation: () => ({ action: 'accept' as const, content: {} }),
  sampling: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'yes' }, model: 'none' }),
  roots: () => [{ uri: 'file:///project' }],
};

const tools = await createMcpToolSet({
  servers: { suite: { url, required: true } },
  toolName: 'original',
  // One scenario asks whether a schema survives; for a model's provider it would be made acceptable first.
  schema: 'as-is',
  protocol,
  onWarning: false,
  // What hangs is to fail here, with its reason, before the suite loses patience.
  timeouts: { connect: 5_000, request: 5_000 },
  ...(ASKING.has(scenario) && { handlers }),
});
try {
  const calls = toolCalls ?? (LIST_ONLY.has(scenario) ? [] : everyTool());
  // At once: what one call is asked must not get into another.
  await Promise.all(calls.map(({ name, arguments: input }) => execute(name, input)));
  if (tools.list_resources !== undefined) await readResources();
} finally {
  await closeToolSet(tools);
}

function everyTool(): { name: string; arguments: object }[] {
  const names = Object.keys(tools).filter((name) => name !== 'list_resources' && name !== 'get_resource');
  return names.map((name) => ({ name, arguments: INPUTS[name]?.(tools) ?? {} }));
}

async function readResources(): Promise<void> {
  const { content } = (await execute('list_resources', {})) as { content: [{ text: string }] };
  const rows = JSON.parse(content[0].text) as { mcpServer: string; uri: string }[];
  // The suite's resources have no contents, which is an error to the model; it looks at the request alone.
  await Promise.allSettled(rows.map(({ mcpServer, uri }) => execute('get_resource', { mcpServer, uri })));
}

async function execute(name: string, input: object): Promise<unknown> {
  return tools[name]?.execute?.(input as never, { toolCallId: name, messages: [] } as never);
}
