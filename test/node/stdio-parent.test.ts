/** The end of this process, with children that would not go by themselves. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { fixture, runs, until } from './support.ts';

interface Script {
  /** Pids of the server and of its helper. */
  readonly children: number[];
  readonly lines: string[];
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  kill(signal: NodeJS.Signals): void;
}

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (runs(pid)) process.kill(pid, 'SIGKILL');
});

/** Runs a user's script until it has called its tool. */
async function run(end: string): Promise<Script> {
  const child = spawn(process.execPath, ['--import', 'tsx', fixture('script.mjs'), end], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines: string[] = [];
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(line));
  await until(() => lines.length > 0, 15_000);
  const children = JSON.parse(lines[0] ?? '[]');
  started.push(child.pid ?? 0, ...children);
  return { children, lines, ended, kill: (signal) => void child.kill(signal) };
}

async function expectGone({ children }: Script): Promise<void> {
  expect(children).toHaveLength(2);
  await until(() => !children.some(runs));
}

describe('a script that does not close', () => {
  it.each([
    ['forgets to', '', 0],
    ['exits', 'exit', 3],
    ['throws', 'throw', 1],
  ])('and %s ends by itself, and its children with it', async (_, end, code) => {
    const script = await run(end);
    expect(await script.ended).toEqual({ code, signal: null });
    await expectGone(script);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
    'A10 and gets %s ends of that signal, and its children with it',
    async (signal) => {
      const script = await run('wait');
      expect(script.children.every(runs)).toBe(true);
      script.kill(signal);
      expect(await script.ended).toEqual({ code: null, signal });
      await expectGone(script);
    },
  );

  it('and shares the signal with a package that waits to be alone ends of it all the same', async () => {
    const script = await run('polite');
    script.kill('SIGTERM');
    expect(await script.ended).toEqual({ code: null, signal: 'SIGTERM' });
    await expectGone(script);
  });

  it('and handles the signal itself keeps its children until it exits', async () => {
    const script = await run('handle');
    script.kill('SIGTERM');
    expect(await script.ended).toEqual({ code: 0, signal: null });
    expect(script.lines[1]).toBe('still here');
    await expectGone(script);
  });
});
