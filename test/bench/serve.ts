/** Starts the servers' process, and asks it what arrived. */

import { fork } from 'node:child_process';

export interface Kind {
  readonly era?: 'legacy' | 'modern';
  readonly reply?: 'json' | 'sse';
  /** Milliseconds before each answer. */
  readonly latency?: number;
}

export interface Servers {
  /** The addresses of so many servers, each with a port of its own. */
  urls(count: number, kind?: Kind): string[];
  /** The address of one. */
  url(kind?: Kind): string;
  /** How many requests of each method arrived since it was last asked. */
  counts(): Promise<Record<string, number>>;
  stop(): void;
}

export async function serve(): Promise<Servers> {
  const child = fork(new URL('./server.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('the servers of the benchmarks have ended'));
      child.once('exit', fail);
      child.once('message', (message) => {
        child.off('exit', fail);
        resolve(message as T);
      });
    });
  const ports = await next<number[]>();
  const urls = (count: number, { era = 'legacy', reply = 'json', latency = 0 }: Kind = {}): string[] =>
    ports.slice(0, count).map((port) => `http://127.0.0.1:${port}/${era}/${reply}/${latency}`);
  return {
    urls,
    url: (kind) => urls(1, kind)[0] ?? '',
    counts() {
      const answer = next<Record<string, number>>();
      child.send('counts');
      return answer;
    },
    stop: () => child.disconnect(),
  };
}
