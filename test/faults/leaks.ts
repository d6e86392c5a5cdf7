/** A census of what a process holds, taken before and after: what is more afterwards has leaked. */

import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import type { FaultState } from './fault.ts';

export interface Census {
  /** Timers, sockets, pipes and processes that keep this process alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Processes that this one has started, where they were asked for. */
  readonly children: readonly number[];
}

/** Sockets of fetch's pool close a moment after their server. */
const PATIENCE = 5_000;
const STEP = 10;

export function takeCensus(withChildren = false): Census {
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { resources, children: withChildren ? children() : [] };
}

/** Waits until nothing more is held than before; fails with what is. */
export async function expectNoMoreThan(before: Census, withChildren = false): Promise<void> {
  await eventually(() => {
    const now = takeCensus(withChildren);
    const more = Object.entries(now.resources).filter(([kind, count]) => count > (before.resources[kind] ?? 0));
    expect(Object.fromEntries(more), 'resources that leaked').toEqual({});
    expect(
      now.children.filter((pid) => !before.children.includes(pid)),
      'processes that leaked',
    ).toEqual([]);
  });
}

/** No reply is still being waited for, and no session is left unless the server would not end it. */
export async function expectQuiet(state: FaultState, keepsSessions = false): Promise<void> {
  await eventually(() => {
    expect(state.open.size, 'replies that are still open').toBe(0);
    if (!keepsSessions) expect([...state.sessions], 'sessions that were not ended').toEqual([]);
  });
}

export function expectNoListeners(signal: AbortSignal): void {
  expect(getEventListeners(signal, 'abort'), 'abort listeners that were not taken back').toHaveLength(0);
}

/** Collects what nobody handled; `end` fails if there was anything. */
export function watchRejections(): { end(): void } {
  const unhandled: unknown[] = [];
  const collect = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', collect);
  process.on('uncaughtExceptionMonitor', collect);
  return {
    end() {
      process.off('unhandledRejection', collect);
      process.off('uncaughtExceptionMonitor', collect);
      expect(unhandled, 'rejections that nobody handled').toEqual([]);
    },
  };
}

/** Retries an assertion until it holds, at most so long. */
async function eventually(assertion: () => void): Promise<void> {
  for (let waited = 0; ; waited += STEP) {
    try {
      return assertion();
    } catch (error) {
      if (waited >= PATIENCE) throw error;
      await new Promise((resolve) => setTimeout(resolve, STEP));
    }
  }
}

/** Zombies are gone: their parent has only not asked yet. */
function children(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, parent, stat, name]) => Number(parent) === process.pid && !stat?.startsWith('Z') && name !== 'ps')
    .map(([pid]) => Number(pid));
}
