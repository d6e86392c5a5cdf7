/** Starts several processes that share a limit, all at once, and gathers what became of their calls. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { REDIS } from './redis.ts';

export interface Order {
  readonly engine: 'ioredis' | 'node-redis' | 'rate-limiter-flexible' | 'upstash';
  readonly prefix: string;
  readonly limit: number;
  readonly interval: number;
  /** Of each process. */
  readonly calls: number;
  /** At this pace, whatever becomes of them. */
  readonly perSecond: number;
  readonly maxWait: number;
  readonly redis: { readonly host: string; readonly port: number };
  readonly upstashPort: number;
}

export interface Outcome {
  started: number;
  refused: number;
  /** With anything but an answer that says no. */
  failed: string[];
  /** When each start was counted, in milliseconds on the clock of Redis, where the engine tells. */
  grants: number[];
  /** How often the store was asked. */
  asked: number;
  /** By how many milliseconds timers were late on average: what the machine itself loses. */
  late: number;
}

export async function inProcesses(count: number, order: Omit<Order, 'redis' | 'upstashPort'>, upstashPort = 0): Promise<Outcome> {
  const children = Array.from({ length: count }, () =>
    fork(new URL('./hammer.ts', import.meta.url), { execArgv: ['--import', 'tsx'] }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  await Promise.all(
    children.map((child) => {
      child.send({ ...order, redis: REDIS, upstashPort } satisfies Order);
      return message(child);
    }),
  );
  const outcomes = (await Promise.all(
    children.map((child) => {
      child.send('go');
      return message(child);
    }),
  )) as Outcome[];
  const sum = (pick: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + pick(outcome), 0);
  return {
    started: sum(({ started }) => started),
    refused: sum(({ refused }) => refused),
    asked: sum(({ asked }) => asked),
    late: sum(({ late }) => late) / count,
    failed: outcomes.flatMap(({ failed }) => failed),
    grants: outcomes.flatMap(({ grants }) => grants).sort((a, b) => a - b),
  };
}

async function message(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process ended too early, with ${code}`);
  });
  ended.catch(() => {});
  const [received] = await Promise.race([once(child, 'message'), ended]);
  return received;
}
