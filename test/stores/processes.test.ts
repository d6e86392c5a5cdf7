import { expect, test } from 'vitest';
import { inProcesses } from './processes.ts';
import { describeOnRedis, freshPrefix } from './redis.ts';
import { upstashServer } from './upstash-server.ts';

const CALLS = 10_000;

describeOnRedis('M4 four processes share one limit', () => {
  test.each(['ioredis', 'node-redis'] as const)(
    'M4 10,000 calls at once on %s: exactly the limit starts',
    async (engine) => {
      const limit = 5_000;
      const rule = { limit, interval: 600_000, calls: CALLS / 4, perSecond: 2_500, maxWait: 0 };
      const { started, refused, failed, grants } = await inProcesses(4, { engine, prefix: freshPrefix(), ...rule });
      expect(failed).toEqual([]);
      expect(started).toBe(limit);
      expect(refused).toBe(CALLS - limit);
      expect(grants).toHaveLength(limit);
    },
    60_000,
  );

  test('M4 10,000 calls that wait: never above the limit in any interval, and within 2 % of it', async () => {
    const [limit, interval] = [3_000, 3_000];
    const rule = { limit, interval, calls: CALLS / 4, perSecond: 360, maxWait: 20_000 };
    const { started, failed, grants, asked, late } = await inProcesses(4, { engine: 'ioredis', prefix: freshPrefix(), ...rule });
    expect(failed).toEqual([]);
    expect(started).toBe(CALLS);
    expect(grants).toHaveLength(CALLS);
    // On the clock of Redis, to the microsecond that doubles of milliseconds since 1970 hold.
    const gaps = grants.slice(limit).map((at, index) => at - grants[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(interval - 0.01);
    // Each start waits for the end of the one `limit` places before it; what it comes later than that is lost.
    const lost = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length / interval - 1;
    console.log(`lost ${(lost * 100).toFixed(2)} % with timers ${late.toFixed(0)} ms late; the store was asked ${asked} times`);
    // Beyond the 2 %, only what a busy machine is late: in its timers, and in the answers that they wait for.
    expect(lost).toBeLessThan(0.02 + (2 * late) / interval);
  }, 60_000);

  test.each(['rate-limiter-flexible', 'upstash'] as const)(
    'M4 an engine of its own: %s never lets more than its limit start',
    async (engine) => {
      const rule = { limit: 100, interval: 600_000, calls: 100, perSecond: 1_000, maxWait: 0 };
      const { port } = await upstashServer();
      const { started, refused, failed } = await inProcesses(4, { engine, prefix: freshPrefix(), ...rule }, port);
      expect(failed).toEqual([]);
      expect({ started, refused }).toEqual({ started: 100, refused: 300 });
    },
    60_000,
  );
});
