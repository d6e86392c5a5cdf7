/** One subject of the heap measure, run by `heap.ts` with the garbage collector at hand. */

import { fileURLToPath } from 'node:url';
import { floor } from './floor.ts';
import { lanes, median } from './measure.ts';
import { aiSdk, INPUT, ours, type Subject, sdkV1, sdkV2, threeMiddlewares } from './subjects.ts';

const LAPS = 8;
const LAP = 2_500;
const WARM_UP = 10_000;
const CONCURRENCY = 16;

const three = ours('', { middleware: threeMiddlewares() });

export const HEAP_SUBJECTS: Readonly<Record<string, { readonly subject: Subject; readonly shared: boolean }>> = {
  'floor (bare fetch)': { subject: floor, shared: false },
  'mcp-tool-set, three middlewares': { subject: three, shared: false },
  'mcp-tool-set, one shared AbortSignal': { subject: three, shared: true },
  'SDK client 1.x, one shared AbortSignal': { subject: sdkV1, shared: true },
  'SDK client 2.x, one shared AbortSignal': { subject: sdkV2, shared: true },
  '@ai-sdk/mcp': { subject: aiSdk, shared: false },
  '@ai-sdk/mcp, one shared AbortSignal': { subject: aiSdk, shared: true },
};

async function settledHeap(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

async function run(url = '', name = ''): Promise<number> {
  const entry = HEAP_SUBJECTS[name];
  if (entry === undefined) throw new Error(`there is no subject "${name}"`);
  const session = await entry.subject.open([url]);
  const signal = entry.shared ? new AbortController().signal : undefined;
  const call = (): Promise<unknown> => session.call(INPUT, signal);
  await lanes(call, WARM_UP, CONCURRENCY);
  const heaps = [await settledHeap()];
  for (let lap = 0; lap < LAPS; lap++) {
    await lanes(call, LAP, CONCURRENCY);
    heaps.push(await settledHeap());
  }
  await session.close();
  return slope(heaps) / LAP;
}

/** The median of what every two of them say: buffers come and go by 100 kB, which moves any single difference. */
function slope(values: readonly number[]): number {
  return median(values.flatMap((later, j) => values.slice(0, j).map((earlier, i) => (later - earlier) / (j - i))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit());
  process.send?.(await run(...process.argv.slice(2)));
  process.disconnect?.();
}
