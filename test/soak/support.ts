/** What stays behind: the heap after a collection, and calling a tool of a record. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { McpToolSet } from '../../src/index.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Bytes in use once nothing more can be collected. Timers and closing sockets get their turns in between. */
export async function heap(): Promise<number> {
  for (let n = 0; n < 5; n++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    gc();
  }
  return process.memoryUsage().heapUsed;
}

const LAPS = 3;

/**
 * Bytes that stay for each piece of work, done in four laps, the first of which is to warm up. What leaks does so in every lap; what
 * the runtime still compiles and caches does not: so the least of them counts.
 */
export async function growth(lap: () => Promise<unknown>, times: number): Promise<number> {
  await lap();
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < LAPS; n++) {
    const before = await heap();
    await lap();
    least = Math.min(least, ((await heap()) - before) / times);
  }
  return least;
}

export async function call(tools: McpToolSet, name: string, abortSignal?: AbortSignal): Promise<string> {
  const options = { toolCallId: '1', messages: [], context: undefined, ...(abortSignal && { abortSignal }) } as never;
  const execute = tools[name]?.execute;
  if (execute === undefined) throw new Error(`${name} is not in the record`);
  const result: unknown = await execute({}, options);
  return (result as { content: { text: string }[] }).content[0]?.text ?? '';
}

/** Works through the numbers below `count`, so many at a time. */
export async function each(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
