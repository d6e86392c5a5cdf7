/** Clients and transports of the official SDK's 1.x line plug in as they are: as ready instances, which stay yours, or as factories. */

import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type CallToolResult, closeToolSet, createMcpToolSet, inspectToolSet, type McpToolSet } from 'mcp-tool-set';
import { startEverything } from './demo/servers.ts';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'mcp-tool-set-sdk-')));
const note = join(folder, 'note.txt');
await writeFile(note, 'The kettle is on.');
const everything = await startEverything();

const overHttp = () => new StreamableHTTPClientTransport(new URL(everything.url));
const overStdio = () => new StdioClientTransport({ command: 'npx', args: ['mcp-server-filesystem', folder], stderr: 'ignore' });
async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'official-sdk-example', version: '1.0.0' });
  // The SDK's own classes do not fit its own interface under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

const myClient = await connect(overStdio());
const myTransport = overHttp();
let ownedClient: Client | undefined;
let ownedTransport: StdioClientTransport | undefined;
try {
  const tools = await createMcpToolSet({
    servers: {
      client: { client: myClient },
      transport: { transport: myTransport },
      clientFactory: {
        client: async () => {
          ownedClient = await connect(overHttp());
          return ownedClient;
        },
      },
      transportFactory: {
        transport: () => {
          ownedTransport = overStdio();
          return ownedTransport;
        },
      },
    },
  });

  try {
    const { servers } = inspectToolSet(tools);
    for (const [server, { state, error, tools: count }] of Object.entries(servers)) {
      assert.equal(state, 'connected', error?.message);
      assert.ok(count > 5, `${server} lists its tools`);
      console.log(`${server}: ${count} tools`);
    }
    for (const server of ['client', 'transportFactory']) {
      assert.match(await call(tools, `${server}_read_text_file`, { path: note }), /The kettle is on/);
    }
    for (const server of ['transport', 'clientFactory']) {
      assert.match(await call(tools, `${server}_get-sum`, { a: 17, b: 25 }), /42/);
    }
    await assert.rejects(call(tools, 'client_read_text_file', { path: '/etc/hostname' }), /outside allowed directories/);
    console.log('each of them called, errors included');
  } finally {
    await closeToolSet(tools);
  }

  assert.equal(ownedClient?.transport, undefined, 'what a factory made is closed with the set');
  assert.equal(ownedTransport?.pid, null, 'and so is its child process');
  const { tools: stillThere } = await myClient.listTools();
  assert.ok(stillThere.length > 5, 'a ready client is borrowed: it lives on');
  console.log('factories ended with the set, the ready client lives on');
} finally {
  await myClient.close();
  await myTransport.close();
  await everything[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}

/** Calls a tool as the AI SDK does, and gives the text of its result. */
async function call(tools: McpToolSet, name: string, input: object): Promise<string> {
  const tool = tools[name];
  assert.ok(tool?.execute, `there is a tool ${name}`);
  const result = (await tool.execute(input, { toolCallId: name, messages: [], context: {} })) as CallToolResult;
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
