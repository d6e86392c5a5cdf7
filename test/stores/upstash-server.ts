/** A server that speaks Upstash's REST protocol, on top of the real Redis: what `@upstash/redis` needs of it. */

import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { json, type Listening, listen } from '../support/listen.ts';
import { ioredis } from './redis.ts';
import { TOKEN } from './upstash-client.ts';

export interface UpstashServer extends Listening {
  /** How many commands came. */
  readonly commands: () => number;
  /** As Upstash when it is down. */
  broken: boolean;
  /** Milliseconds before each answer. */
  delay: number;
}

export async function upstashServer(): Promise<UpstashServer> {
  const redis = ioredis();
  const scripts = new Map<string, string>();
  let commands = 0;
  const server = await listen(async ({ path, headers, body }, response) => {
    if (extra.delay > 0) await new Promise((resolve) => setTimeout(resolve, extra.delay));
    if (extra.broken) return json(response, { error: 'ERR the database is down' }, 500);
    if (headers.authorization !== `Bearer ${TOKEN}`) return json(response, { error: 'Unauthorized' }, 401);
    const input = JSON.parse(body) as string[] & string[][];
    const many = path.endsWith('/pipeline');
    const replies = [];
    for (const command of many ? (input as string[][]) : [input as string[]]) {
      commands++;
      replies.push(await reply(redis, scripts, command));
    }
    return many ? json(response, replies) : json(response, replies[0], replies[0]?.error === undefined ? 200 : 400);
  });
  const extra = { delay: 0, broken: false, commands: () => commands };
  onTestFinished(() => server.close());
  return Object.assign(extra, server);
}

interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

async function reply(redis: Redis, scripts: Map<string, string>, [name = '', ...args]: readonly string[]): Promise<Reply> {
  try {
    const [command, first, ...rest] = [name.toLowerCase(), ...args.map(String)];
    if (command === 'evalsha' && scripts.has(first ?? ''))
      return { result: encode(await redis.call('eval', scripts.get(first ?? '')!, ...rest)) };
    if (command !== 'eval') return { result: encode(await redis.call(command ?? '', ...args.map(String))) };
    // Their first line has a flag that only Upstash knows.
    const script = (first ?? '').replace(/^#!lua .*\n/, '');
    scripts.set(
      createHash('sha1')
        .update(first ?? '')
        .digest('hex'),
      script,
    );
    return { result: encode(await redis.call('eval', script, ...rest)) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Texts travel as base64, which the client asks for. */
function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  return typeof value === 'string' ? Buffer.from(value).toString('base64') : value;
}
