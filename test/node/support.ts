/** Connecting to a fixture with the SDK's client, and counting processes. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { type StdioOptions, stdio } from '../../src/node/stdio.ts';
import type { StdioTransport } from '../../src/node/stdio-transport.ts';

export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

export interface Connected {
  readonly client: Client;
  readonly transport: StdioTransport;
  /** How often `onclose` came. */
  readonly closes: () => number;
  readonly errors: Error[];
  call(name: string, args?: Record<string, unknown>): Promise<string>;
}

export function makeTransport(options: StdioOptions): StdioTransport {
  return (stdio(options).transport as () => StdioTransport)();
}

/** A client that is not connected yet, on `node <fixture> <args>`. */
export function prepare(name: string, args: readonly string[] = [], options: Partial<StdioOptions> = {}): Connected {
  const transport = makeTransport({ command: process.execPath, args: [fixture(name), ...args], ...options });
  const client = new Client({ name: 'test', version: '1' });
  const errors: Error[] = [];
  let closes = 0;
  client.onclose = () => void closes++;
  client.onerror = (error) => void errors.push(error);
  return {
    client,
    transport,
    errors,
    closes: () => closes,
    async call(tool, input = {}) {
      const { content } = await client.callTool({ name: tool, arguments: input });
      return (content[0] as { text: string }).text;
    },
  };
}

export async function connect(...parameters: Parameters<typeof prepare>): Promise<Connected> {
  const prepared = prepare(...parameters);
  await prepared.client.connect(prepared.transport);
  return prepared;
}

/** Whether the process lives. A zombie that its new parent has not collected yet does not. */
export function runs(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .startsWith('Z');
  } catch {
    return false;
  }
}

/** Everything that lives in a process group. */
export function members(group: number | undefined): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, pgid, stat]) => Number(pgid) === group && !stat?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

/** Waits until the condition holds; fails after `milliseconds`. */
export async function until(condition: () => boolean, milliseconds = 8_000): Promise<void> {
  for (let waited = 0; !condition(); waited += 25) {
    if (waited >= milliseconds) throw new Error(`not true after ${milliseconds} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The error that the promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<Error & { code?: unknown; data?: unknown; status?: unknown }> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not reject');
}
