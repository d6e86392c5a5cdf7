/** The Redis that tests run on: keys of one run have a prefix of their own, and are deleted afterwards. */

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { describe, onTestFinished } from 'vitest';
import { listening } from './tcp-relay.ts';

const { hostname, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
export const REDIS: { host: string; port: number } = { host: hostname, port: Number(port || 6379) };

const isThere = await listening(REDIS);
if (!isThere && process.env.CI) throw new Error(`No Redis on ${REDIS.host}:${REDIS.port}. In CI these tests must run.`);
if (!isThere) {
  console.warn(
    `\n!!! No Redis on ${REDIS.host}:${REDIS.port}: THE TESTS OF THE SHARED RATE LIMIT ARE LEFT OUT. Set REDIS_URL. !!!\n`,
  );
}

/** In CI the Redis must be there; elsewhere these tests say that they are left out. */
export const describeOnRedis: typeof describe.skip = isThere ? describe : describe.skip;

/** A prefix for the keys of one test, which are deleted with it. */
export function freshPrefix(): string {
  const prefix = `mcp-tool-set-test:${randomUUID()}:`;
  onTestFinished(async () => {
    const redis = new Redis(REDIS);
    const keys = await redis.keys(`${prefix}*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });
  return prefix;
}

export function ioredis(options: object = {}): Redis {
  const client = new Redis({ ...REDIS, ...options });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return client;
}

export async function nodeRedis(socket: object = {}) {
  const client = createClient({ socket: { ...REDIS, ...socket } });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  await client.connect();
  return client;
}
