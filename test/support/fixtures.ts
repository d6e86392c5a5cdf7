/** Ends what a test started, in reverse order, whether it passed or failed. */

import { onTestFinished } from 'vitest';
import { closeToolSet, createMcpToolSet, type McpToolSet, type McpToolSetOptions } from '../../src/index.ts';
import { type FakeOptions, type FakeServer, startFake } from './fake-server.ts';

export async function fake(options?: FakeOptions): Promise<FakeServer> {
  const server = await startFake(options);
  onTestFinished(() => server.close());
  return server;
}

/** A set that says nothing on the console and is closed with the test. */
export async function toolSet(options: McpToolSetOptions): Promise<McpToolSet> {
  const tools = await createMcpToolSet({ onWarning: false, ...options });
  onTestFinished(() => closeToolSet(tools));
  return tools;
}
