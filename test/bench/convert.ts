/** From a server of many tools to a record: time and heap beside `@ai-sdk/mcp`, and the record once more. */

import { fork } from 'node:child_process';
import { createMcpToolProvider } from 'mcp-tool-set';
import { CONVERTERS } from './convert-child.ts';
import type { Bench } from './index.ts';
import { compare, judge, time } from './measure.ts';

const ROUNDS = 7;
const WARM = 100;

export async function convert({ servers }: Bench): Promise<void> {
  for (const count of [1_000, 10_000]) {
    const url = `${servers.url()}/${count}`;
    const contestants = Object.entries(CONVERTERS).map(([name, open]) => ({
      name,
      target: name === 'mcp-tool-set' ? 1 : undefined,
      async sample() {
        let close = async (): Promise<void> => {};
        const milliseconds = await time(async () => {
          ({ close } = await open(url));
        });
        await close();
        return milliseconds;
      },
    }));
    await compare(contestants, { title: `connect, list and convert ${count} tools in pages of 100`, rounds: ROUNDS, unit: 'ms' });
    let base: number | undefined;
    for (const name of Object.keys(CONVERTERS)) {
      const bytes = await inChild(url, name);
      base ??= bytes;
      const target = name === 'mcp-tool-set' ? 1 : undefined;
      console.log(
        `  ${name.padEnd(32)} ${(bytes / 1e6).toFixed(2).padStart(8)} MB of heap ${(bytes / base).toFixed(2)} x${judge(bytes / base, target)}`,
      );
    }
  }
  const provider = createMcpToolProvider({ servers: { s: { url: `${servers.url()}/1000` } } });
  await provider.tools();
  const warm = { name: 'mcp-tool-set', limit: 1, sample: async () => (await time(() => repeat(() => provider.tools()))) / WARM };
  await compare([warm], { title: 'warm tools() of 1000', rounds: ROUNDS, unit: 'ms' });
  await provider.close();
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < WARM; n++) await work();
}

function inChild(url: string, name: string): Promise<number> {
  const child = fork(new URL('./convert-child.ts', import.meta.url), [url, name], {
    execArgv: ['--expose-gc', '--no-warnings', '--import', 'tsx'],
    env: { ...process.env, TSX_TSCONFIG_PATH: new URL('./tsconfig.json', import.meta.url).pathname },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (bytes) => resolve(bytes as number));
    child.once('exit', (code) => reject(new Error(`the process of ${name} ended with ${code}`)));
  });
}
