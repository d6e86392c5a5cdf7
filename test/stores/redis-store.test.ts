import type { Cluster } from 'ioredis';
import type { createClientPool, createCluster } from 'redis';
import { describe, expect, test } from 'vitest';
import type { McpToolSetError } from '../../src/errors.ts';
import { rateLimit } from '../../src/middleware/rate-limit.ts';
import { redisStore } from '../../src/stores/index.ts';
import { OK, request } from '../middleware/fake.ts';
import { describeOnRedis, freshPrefix, ioredis, nodeRedis, REDIS } from './redis.ts';
import { relayTo } from './tcp-relay.ts';

const RULE = { limit: 3, interval: 60_000, weight: 1, ahead: 0 } as const;

describe('redisStore()', () => {
  test.each([
    [undefined, 'not missing'],
    [null, 'not null'],
    [{}, 'not an object'],
    ['redis://localhost', 'not a string'],
    [{ eval() {} }, 'must be a client of "ioredis", or of "redis" from version 4 on'],
  ])('says at once that %j is no client', (client, text) => {
    expect(() => redisStore(client as never)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(text) }),
    );
  });

  test('clients of every kind fit its type, which needs none of their packages', () => {
    type Pool = ReturnType<typeof createClientPool>;
    type Nodes = ReturnType<typeof createCluster>;
    const accepted = (cluster: Cluster, pool: Pool, nodes: Nodes) => [redisStore(cluster), redisStore(pool), redisStore(nodes)];
    // @ts-expect-error a client it is not
    expect(() => redisStore({ get: async () => '' })).toThrow();
    expect(accepted).toBeTypeOf('function');
  });

  test('checks its options', () => {
    const client = { eval: async () => [], defineCommand() {} };
    expect(() => redisStore(client, { prefx: 'x' } as never)).toThrow(/prefx: is not known here\. Did you mean "prefix"\?/);
    expect(() => redisStore(client, { prefix: 1 } as never)).toThrow(/prefix: must be a text/);
  });

  test('a reply that is none is a failure', async () => {
    const store = redisStore({ eval: async () => 'OK', defineCommand() {} });
    await expect(store.take('k', RULE)).rejects.toThrow('Redis gave no answer to the script');
  });
});

describeOnRedis('redisStore() on a real Redis', () => {
  test('its keys have the prefix, whatever is in them, and go by themselves', async () => {
    const client = ioredis();
    const prefix = freshPrefix();
    const store = redisStore(client, { prefix });
    for (const key of ['a b', '{x}', 'ü/%*', '', 'x'.repeat(5_000)]) {
      expect(await store.take(key, { ...RULE, interval: 50_000 })).toMatchObject({ allowed: true });
      expect(await store.take(key, { ...RULE, interval: 50_000, burst: 2 })).toMatchObject({ allowed: true });
      const times = await Promise.all([client.pttl(`${prefix}log:${key}`), client.pttl(`${prefix}bucket:${key}`)]);
      expect(times[0]).toBeGreaterThan(45_000);
      expect(times[0]).toBeLessThanOrEqual(50_000);
      // The bucket is empty again after the time of one.
      expect(times[1]).toBeGreaterThan(10_000);
      expect(times[1]).toBeLessThanOrEqual(16_667);
    }
    expect(await client.keys(`${prefix}*`)).toHaveLength(10);
    await store.take('short', { ...RULE, interval: 40.5 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await client.keys(`${prefix}*short`)).toEqual([]);
  });

  test('both packages and a client with a prefix of its own count as one', async () => {
    const prefix = freshPrefix();
    const stores = [
      redisStore(ioredis(), { prefix }),
      redisStore(await nodeRedis(), { prefix }),
      redisStore(ioredis({ keyPrefix: prefix }), { prefix: '' }),
    ];
    const answers = [];
    for (const store of [...stores, ...stores]) answers.push(await store.take('k', RULE));
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false, false]);
  });

  test('a client that reads numbers as texts', async () => {
    const client = (await nodeRedis()).withTypeMapping({ 58: String });
    const store = redisStore(client, { prefix: freshPrefix() });
    expect(await store.take('k', RULE)).toMatchObject({ allowed: true, remaining: 2, retryAfter: 0 });
  });

  test('a limit that is lowered or raised under one name holds at once', async () => {
    const store = redisStore(ioredis(), { prefix: freshPrefix() });
    for (let count = 0; count < 3; count++) await store.take('k', RULE);
    expect(await store.take('k', { ...RULE, limit: 2 })).toMatchObject({ allowed: false, remaining: 0 });
    expect(await store.take('k', { ...RULE, limit: 4 })).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('the client is never closed', async () => {
    const client = ioredis();
    const limits = rateLimit({ ...RULE_ONLY, store: redisStore(client, { prefix: freshPrefix() }) });
    await limits.request?.(request(), async () => OK);
    expect(client.status).toBe('ready');
    expect(await client.ping()).toBe('PONG');
  });

  test.each(['ioredis', 'node-redis'] as const)('when Redis goes down and comes back: %s', async (kind) => {
    const relay = await relayTo(REDIS);
    const address = { host: relay.host, port: relay.port };
    const client =
      kind === 'ioredis'
        ? ioredis({ ...address, retryStrategy: () => 50 })
        : await nodeRedis({ ...address, reconnectStrategy: 50 });
    const told: unknown[] = [];
    const options = { ...RULE_ONLY, maxWait: 0, storeTimeout: 300, store: redisStore(client, { prefix: freshPrefix() }) };
    const onStoreError = (error: unknown) => {
      told.push(error);
      return 'deny' as const;
    };
    const { request: strict } = rateLimit({ ...options, onStoreError });
    const { request: local } = rateLimit({ ...options, name: 'local' });
    const send = (hook: typeof strict) =>
      hook!(request(), async () => OK).then(
        () => 'ok',
        (error: McpToolSetError) => ({ code: error.code, cause: error.cause }),
      );
    expect(await send(strict)).toBe('ok');
    expect(await send(local)).toBe('ok');

    for (const mode of ['silent', 'cut'] as const) {
      relay.mode = mode;
      const start = performance.now();
      expect(await send(strict)).toMatchObject({ code: 'rate_limited', cause: expect.any(Error) });
      // It does not hang, however patient the client is.
      expect(performance.now() - start).toBeLessThan(3_000);
      expect(await send(local)).toBe('ok');
    }
    expect(told.length).toBeGreaterThan(0);
    expect(await send(local)).toBe('ok');
    // Three of its own: no process passes the limit by itself.
    expect(await send(local)).toMatchObject({ code: 'rate_limited', cause: undefined });

    relay.mode = 'open';
    await expect.poll(() => send(strict), { timeout: 10_000, interval: 200 }).toBe('ok');
  });
});

const RULE_ONLY = { limit: 3, interval: 60_000 } as const;
