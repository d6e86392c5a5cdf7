/** What stays on the heap after 20,000 calls, for each of them; each subject in a process of its own. */

import { fork } from 'node:child_process';
import { HEAP_SUBJECTS } from './heap-child.ts';
import type { Bench } from './index.ts';
import { judge } from './measure.ts';

/** Bytes over the floor of the same run: `fetch` itself has buffers that come and go. */
const LIMIT = 2;

export async function heap({ servers }: Bench): Promise<void> {
  console.log('\nheap after 20,000 calls over HTTP, 16 at a time, for each call');
  let base: number | undefined;
  for (const name of Object.keys(HEAP_SUBJECTS)) {
    const bytes = await inChild(servers.url(), name);
    base ??= bytes;
    const target = name.startsWith('mcp-tool-set') ? LIMIT : undefined;
    console.log(
      `  ${name.padEnd(40)} ${bytes.toFixed(1).padStart(8)} B${judge(bytes - base, target, target && `${target} over the floor`)}`,
    );
  }
}

function inChild(url: string, name: string): Promise<number> {
  const child = fork(new URL('./heap-child.ts', import.meta.url), [url, name], {
    // Code that V8 throws away when it has not run for a while would hide what stays.
    execArgv: ['--expose-gc', '--no-flush-bytecode', '--no-warnings', '--import', 'tsx'],
    env: { ...process.env, TSX_TSCONFIG_PATH: new URL('./tsconfig.json', import.meta.url).pathname },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (bytes) => resolve(bytes as number));
    child.once('exit', (code) => reject(new Error(`the process of ${name} ended with ${code}`)));
  });
}
