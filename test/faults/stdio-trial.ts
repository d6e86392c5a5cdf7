/** One attempt at a misbehaving child process: no process of it may be left, whatever it does. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { closeToolSet, createMcpToolSet, type McpToolSet, type McpToolSetOptions, type McpWarning } from '../../src/index.ts';
import { type StdioOptions, stdio } from '../../src/node/stdio.ts';
import { executeOptions } from '../support/model.ts';
import { WRITE } from './http-server.ts';
import { expectNoListeners, expectNoMoreThan, takeCensus, watchRejections } from './leaks.ts';
import { AMPLE, find, outcome } from './trial.ts';

export type StdioSwitch =
  | 'asks-ping'
  | 'asks-unknown'
  | 'banner'
  | 'batch'
  | 'closes-stdout'
  | 'color'
  | 'crlf'
  | 'deaf-after-list'
  | 'endless-line'
  | 'exits-after-initialize'
  | 'exits-at-once'
  | 'exits-in-call'
  | 'exits-in-first-call'
  | 'exits-in-list'
  | 'grandchild'
  | 'grandchild-in-crash'
  | 'ignores-sigterm'
  | 'killed-in-call'
  | 'noise-between'
  | 'one-byte-at-a-time'
  | 'silent'
  | 'silent-in-call'
  | 'slow-start'
  | 'stays-after-stdin'
  | 'stderr-crash'
  | 'stderr-flood'
  | 'string-id'
  | 'two-replies';

export interface StdioTrial {
  readonly warnings: McpWarning[];
  readonly caller: AbortController;
  /** The child, for a provider of the test's own. */
  readonly child: StdioOptions;
  set(options?: Partial<McpToolSetOptions>, child?: Partial<StdioOptions>): Promise<McpToolSet>;
  call(tools: McpToolSet, input?: unknown): Promise<string>;
  /** What the child has logged, of one kind: `start`, `run`, `pid`, `answer`, or a method. */
  logged(kind: string): string[];
}

const SERVER = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url));

/** The command of a server with switches on. */
function stdioFaults(log: string, switches: readonly StdioSwitch[]): StdioOptions {
  return { command: process.execPath, args: [SERVER, log, ...switches] };
}

export async function stdioTrial(switches: readonly StdioSwitch[], work: (trial: StdioTrial) => Promise<void>): Promise<void> {
  const before = takeCensus(true);
  const rejections = watchRejections();
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const sets: McpToolSet[] = [];
  const caller = new AbortController();
  const logged = (kind: string): string[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line === kind || line.startsWith(`${kind}:`));
  try {
    const warnings: McpWarning[] = [];
    await work({
      warnings,
      caller,
      child: stdioFaults(log, switches),
      logged,
      async set(options = {}, child = {}) {
        const s = stdio({ ...stdioFaults(log, switches), ...child });
        const onWarning = (warning: McpWarning): void => void warnings.push(warning);
        const tools = await createMcpToolSet({ servers: { s }, timeouts: AMPLE, onWarning, ...options });
        sets.push(tools);
        return tools;
      },
      call: (tools, input = {}) => outcome(async () => find(tools, WRITE).execute?.(input, executeOptions(caller.signal))),
    });
    await Promise.all(sets.map(closeToolSet));
    expectNoListeners(caller.signal);
    await expectNoMoreThan(before, true);
    for (const helper of logged('pid')) expect(runs(Number(helper.slice(4))), 'a helper that was left behind').toBe(false);
  } finally {
    await Promise.allSettled(sets.map(closeToolSet));
    rmSync(folder, { recursive: true });
    rejections.end();
  }
}

/** Whether the process lives. A zombie does not. */
function runs(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .startsWith('Z');
  } catch {
    return false;
  }
}
