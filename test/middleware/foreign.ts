/** Tools that are not ours, and how the AI SDK calls a tool. */

import { getEventListeners } from 'node:events';
import { createMCPClient } from '@ai-sdk/mcp';
import type { ToolSet } from 'ai';
import { onTestFinished } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';

/** Those of the AI SDK's own connector, of either major. */
export async function connectorTools(url: string): Promise<ToolSet> {
  const client = await createMCPClient({ transport: { type: 'http', url } });
  onTestFinished(() => client.close());
  return (await client.tools()) as unknown as ToolSet;
}

export interface Execution {
  readonly signal?: AbortSignal;
  readonly messages?: readonly unknown[];
  readonly context?: unknown;
}

/** Calls a tool as the AI SDK does. */
export async function execute(
  tools: object,
  name: string,
  input: unknown = {},
  { signal, messages = [], context }: Execution = {},
): Promise<unknown> {
  const tool = (tools as ToolSet)[name];
  if (tool?.execute === undefined) throw new Error(`no tool ${name}`);
  const run = tool.execute.bind(tool) as (input: unknown, options: object) => unknown;
  return run(input, { toolCallId: 'call-1', messages, abortSignal: signal, context });
}

/** What became of it: the code of an error of ours, or the error's name. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'ok',
    (error) => (McpToolSetError.is(error) ? error.code : String(error?.name ?? error)),
  );
}

export const failureOf = (work: Promise<unknown>): Promise<McpToolSetError> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

export const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
