/** What a record of many tools holds on the heap, measured by `convert.ts` in a process of its own. */

import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { createMcpToolProvider } from 'mcp-tool-set';

interface Opened {
  readonly tools: object;
  close(): Promise<void>;
}

export const CONVERTERS: Readonly<Record<string, (url: string) => Promise<Opened>>> = {
  async '@ai-sdk/mcp'(url) {
    const client = await createMCPClient({ transport: { type: 'http', url } });
    return { tools: await client.tools(), close: () => client.close() };
  },
  async 'mcp-tool-set'(url) {
    const provider = createMcpToolProvider({ servers: { s: { url } } });
    return { tools: await provider.tools(), close: () => provider.close() };
  },
};

async function settledHeap(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

async function run(url = '', name = ''): Promise<number> {
  const open = CONVERTERS[name];
  if (open === undefined) throw new Error(`there is no converter "${name}"`);
  // What is made once whatever the number of tools is not theirs.
  const first = await open(url.replace(/\d+$/, '1'));
  const before = await settledHeap();
  const second = await open(url);
  const after = await settledHeap();
  const count = Object.keys(second.tools).length;
  await Promise.all([first.close(), second.close()]);
  if (count < 1_000) throw new Error(`${name} has ${count} tools`);
  return after - before;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('disconnect', () => process.exit());
  process.send?.(await run(...process.argv.slice(2)));
  process.disconnect?.();
}
