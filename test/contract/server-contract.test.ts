import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe } from 'vitest';
import { stdio } from '../../src/node/stdio.ts';
import { EVERYTHING, startEverything } from '../support/reference.ts';
import { hasSdkV1, sdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { describeServerContract } from './server-contract.ts';

const command = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
const quiet = { ...command, stderr: 'ignore' as const };
const nothing = async (): Promise<void> => {};
const info = { name: 'contract', version: '1.0.0' };

describeServerContract('a url', async () => {
  const server = await startEverything();
  return { config: { url: server.url }, stop: server.stop };
});

describeServerContract('stdio()', async () => ({ config: stdio(command), stop: nothing }));

describeServerContract('a function that makes a 2.x transport', async () => ({
  config: { transport: () => new StdioClientTransport(quiet) },
  stop: nothing,
}));

describeServerContract('a function that makes a 2.x HTTP transport', async () => {
  const server = await startEverything();
  return { config: { transport: () => new StreamableHTTPClientTransport(new URL(server.url)) }, stop: server.stop };
});

describeServerContract('a connected 2.x client', async () => {
  const client = new Client(info);
  await client.connect(new StdioClientTransport(quiet));
  return { config: { client }, stop: () => client.close() };
});

describe.skipIf(!hasSdkV1)(`CARD-03 the 1.x SDK${sdkV1LeftOut}`, () => {
  describeServerContract('a function that makes a connected 1.x client', async () => {
    const { Client, StdioClientTransport } = await sdkV1();
    return {
      config: {
        client: async () => {
          const client = new Client(info);
          await client.connect(new StdioClientTransport(quiet));
          return client;
        },
      },
      stop: nothing,
    };
  });

  describeServerContract('a connected 1.x client', async () => {
    const { Client, StdioClientTransport } = await sdkV1();
    const client = new Client(info);
    await client.connect(new StdioClientTransport(quiet));
    return { config: { client }, stop: () => client.close() };
  });

  describeServerContract('a function that makes a 1.x transport', async () => {
    const { StdioClientTransport } = await sdkV1();
    return { config: { transport: () => new StdioClientTransport(quiet) }, stop: nothing };
  });

  describeServerContract('a ready 1.x transport', async () => {
    const { StdioClientTransport } = await sdkV1();
    const transport = new StdioClientTransport(quiet);
    return { config: { transport }, stop: () => transport.close() };
  });

  describeServerContract('a function that makes a 1.x HTTP transport', async () => {
    const { StreamableHTTPClientTransport } = await sdkV1();
    const server = await startEverything();
    return { config: { transport: () => new StreamableHTTPClientTransport(new URL(server.url)) }, stop: server.stop };
  });
});
