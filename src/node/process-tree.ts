/** A child process with everything it starts: spawned as one group, ended as one group, and never left behind. */

import { type ChildProcessWithoutNullStreams, spawn as nodeSpawn, spawnSync } from 'node:child_process';
import crossSpawn from 'cross-spawn';
import { sleep } from '../lib/abort.ts';

export type Tree = ChildProcessWithoutNullStreams;

const WINDOWS = process.platform === 'win32';
const POLL = 10;
/** How long a dead child's output is waited for, when a helper of it keeps the pipes open. */
const DRAIN = 100;
const GRACE = 500;
const TERMINATION = 1_000;

/** Spawns without a shell; `cross-spawn` finds the `.cmd` shims of Windows. The tree counts as living until `releaseTree`. */
export function spawnTree(
  command: string,
  args: readonly string[],
  options: { readonly env: Record<string, string>; readonly cwd?: string | undefined },
): Tree {
  const child = crossSpawn(command, args, {
    env: options.env,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own, which can be signalled as a whole.
    detached: !WINDOWS,
    windowsHide: true,
  }) as Tree;
  if (child.pid !== undefined) watch(child.pid);
  return child;
}

export function hasExited(child: Tree): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Whether the child exited within `milliseconds`. Asks instead of listening, so nothing is left to release. */
export function exitsWithin(child: Tree, milliseconds: number): Promise<boolean> {
  return becomes(() => hasExited(child), milliseconds);
}

/**
 * Ends the tree: stdin ends, then SIGTERM, then SIGKILL, to the whole group, each only when the one before did not do. Resolves when it is
 * gone, a helper that a child left behind in its group as well, and at most about 2.5 s later.
 */
export async function endTree(child: Tree): Promise<void> {
  child.stdin.end();
  if (await becomes(() => isGone(child), GRACE)) return;
  signalTree(child, 'SIGTERM');
  if (await becomes(() => isGone(child), TERMINATION)) return;
  signalTree(child, 'SIGKILL');
  await becomes(() => isGone(child), TERMINATION);
}

/** Kills what is left of the tree, and lets go of it. */
export function releaseTree(child: Tree): void {
  if (child.pid === undefined) return;
  signalTree(child, 'SIGKILL');
  unwatch(child.pid);
}

/** Sends a signal to the whole group. Whether there was anyone to get it. */
function signalTree(child: Tree, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  if (!WINDOWS) return signalGroup(child.pid, signal);
  if (signal === 0 || hasExited(child)) return !hasExited(child);
  nodeSpawn('taskkill', taskkill(child.pid), { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
  return true;
}

/** Everything that a dead child has written; what a helper still writes is not waited for. */
export async function drained(child: Tree): Promise<void> {
  const timer = new AbortController();
  const closed = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([closed, sleep(DRAIN, timer.signal)]);
  timer.abort();
  // After a busy spell the timer may be first: one more round of the event loop reads what is in the pipes.
  await new Promise((resolve) => setImmediate(resolve));
}

/** Whether the child keeps this process alive. */
export function holdProcess(child: Tree, busy: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    const counted = handle as { ref?(): void; unref?(): void; readonly destroyed?: boolean };
    if (counted.destroyed) continue;
    if (busy) counted.ref?.();
    else counted.unref?.();
  }
}

function isGone(child: Tree): boolean {
  return hasExited(child) && !signalTree(child, 0);
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

async function becomes(condition: () => boolean, milliseconds: number): Promise<boolean> {
  for (let waited = 0; waited < milliseconds; waited += POLL) {
    if (condition()) return true;
    await sleep(POLL);
  }
  return condition();
}

const taskkill = (pid: number): string[] => ['/pid', String(pid), '/T', '/F'];

// ── When this process ends ───────────────────────────────────────────────────────────────────────────────────────────

interface Watch {
  readonly pids: Set<number>;
  stop?: (() => void) | undefined;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
const SIGNAL_EXIT: unique symbol = Symbol.for('signal-exit emitter');
const KEY: unique symbol = Symbol.for('mcp-tool-set.processes');

// One for all copies of this module: a development server loads it again and again, and each copy would add listeners.
const registry = globalThis as { [KEY]?: Watch };
const living: Watch = registry[KEY] ?? { pids: new Set<number>() };
registry[KEY] = living;

function watch(pid: number): void {
  living.pids.add(pid);
  if (living.stop !== undefined) return;
  process.on('exit', killLiving);
  if (!WINDOWS) for (const signal of SIGNALS) process.prependListener(signal, onSignal);
  living.stop = () => {
    process.off('exit', killLiving);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    living.stop = undefined;
  };
}

function unwatch(pid: number): void {
  living.pids.delete(pid);
  if (living.pids.size === 0) living.stop?.();
}

function killLiving(): void {
  for (const pid of living.pids) {
    if (WINDOWS) spawnSync('taskkill', taskkill(pid), { stdio: 'ignore', windowsHide: true });
    else signalGroup(pid, 'SIGKILL');
  }
}

/**
 * A group of its own gets no Ctrl-C from the terminal, and a signal ends Node without `exit`. So where nobody else listens, and the
 * signal is about to end this process, the trees go first and the signal takes its course. Who else listens decides for themselves;
 * this listener comes first, since a `once` listener is gone from the count by the time that it runs.
 */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1 + passiveListeners()) return;
  killLiving();
  living.pids.clear();
  living.stop?.();
  process.kill(process.pid, signal);
}

/** The `signal-exit` package (4 and 3) waits, as this module does, until it is the only listener; so it must not be waited for. */
function passiveListeners(): number {
  const { [SIGNAL_EXIT]: four } = globalThis as { [SIGNAL_EXIT]?: { readonly count?: number } };
  const { __signal_exit_emitter__: three } = process as { __signal_exit_emitter__?: { readonly count?: number } };
  return (four?.count ?? 0) + (three?.count ?? 0);
}
