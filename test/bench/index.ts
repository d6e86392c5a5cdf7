/** What connecting and calling cost, beside a bare fetch and `@ai-sdk/mcp`, taken in turns within one run: read the ratios. */

import { fork } from 'node:child_process';
import { createMCPClient } from '@ai-sdk/mcp';
import { closeToolSet, createMcpToolSet } from 'mcp-tool-set';

const ROUNDS = 15;
const CALLS = 200;
const options = { toolCallId: '1', messages: [], context: undefined } as never;
const versions = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

const child = fork(new URL('./server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
const url = await new Promise<string>((resolve) => child.once('message', (port) => resolve(`http://127.0.0.1:${port}/mcp`)));

let id = 0;
async function bare(method: string, params: object = {}, notification = false): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': 'bench' },
    body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(!notification && { id: ++id }) }),
  });
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function bareConnect(): Promise<void> {
  await bare('initialize', versions);
  await Promise.all([bare('notifications/initialized', {}, true), bare('tools/list')]);
  await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'bench' } });
}

async function ourConnect(protocol: string): Promise<void> {
  await closeToolSet(await createMcpToolSet({ servers: { s: { url, protocol } } }));
}

async function theirConnect(): Promise<void> {
  const client = await createMCPClient({ transport: { type: 'http', url } });
  await client.tools();
  await client.close();
}

type Subjects = Record<string, () => Promise<unknown>>;

/** Milliseconds of each subject in each round, the subjects in turns so that the machine's mood hits all alike. */
async function measure(subjects: Subjects, rounds: number): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = -2; round < rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      const start = performance.now();
      await run();
      if (round >= 0) times[name] = [...(times[name] ?? []), performance.now() - start];
    }
  }
  return times;
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function print(title: string, times: Record<string, number[]>, divisor = 1): void {
  const [, base = []] = Object.entries(times)[0] ?? [];
  console.log(`\n${title}`);
  for (const [name, values] of Object.entries(times)) {
    const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)));
    console.log(`  ${name.padEnd(28)} ${(median(values) / divisor).toFixed(3).padStart(9)} ms   ${ratio.toFixed(2)}x`);
  }
}

const many = (call: () => Promise<unknown>, concurrency: number) => async () => {
  const lane = async (): Promise<void> => {
    for (let n = 0; n < CALLS / concurrency; n++) await call();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
};

const tools = await createMcpToolSet({ servers: { s: { url } } });
const client = await createMCPClient({ transport: { type: 'http', url } });
const theirs = await client.tools();
const input = { a: 1, b: 2 };
const calls = {
  'bare fetch': () => bare('tools/call', { name: 'tool_1', arguments: input }),
  'mcp-tool-set': async () => tools.s_tool_1?.execute?.(input, options),
  '@ai-sdk/mcp': async () => theirs.tool_1?.execute?.(input, options),
};

print(
  'connect, list 20 tools, close (legacy server)',
  await measure(
    {
      'bare fetch (2 round trips)': bareConnect,
      'mcp-tool-set, era pinned': () => ourConnect('2025-11-25'),
      'mcp-tool-set, era probed': () => ourConnect('auto'),
      '@ai-sdk/mcp': theirConnect,
    },
    ROUNDS,
  ),
);
for (const concurrency of [1, 16]) {
  const lanes = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, many(call, concurrency)]));
  print(`one tool call, ${concurrency} at a time`, await measure(lanes, ROUNDS), CALLS);
}

await closeToolSet(tools);
await client.close();
child.disconnect();
