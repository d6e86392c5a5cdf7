/** The recommended order of all of them, and what the reverse order breaks. */

import { context, propagation, trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  approval,
  cache,
  circuitBreaker,
  limitOutput,
  pin,
  rateLimit,
  readOnly,
  retry,
  timeout,
} from '../../src/middleware/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import type { McpMiddleware } from '../../src/types.ts';
import { LONG, type Probe, type Scene, withScene } from './scene.ts';

beforeAll(() => new NodeTracerProvider().register());
afterAll(() => {
  for (const api of [trace, context, propagation]) api.disable();
});

interface Observed extends Scene {
  /** What the last work cost: calls sent, tokens taken, spans ended. */
  cost(work: () => Promise<unknown>): Promise<{ sent: number; tokens: number; spans: number }>;
}

interface Settings {
  /** Milliseconds in which one request may start. Default: ten in a minute. */
  readonly interval?: number;
  /** Milliseconds that `timeout` gives a call. */
  readonly limit?: number;
}

async function inOrder(
  order: 'recommended' | 'reverse',
  play: (scene: Observed) => Promise<void>,
  { interval, limit = 2_000 }: Settings = {},
): Promise<void> {
  const limits = rateLimit(interval === undefined ? { limit: 10, interval: 60_000 } : { limit: 1, interval });
  const all = (probe: Probe): McpMiddleware[] => [
    readOnly({ allow: ['s/save'] }),
    pin({ lock: probe.lock }),
    approval({ always: ['s/guarded'], never: ['s/save'], ask: async () => probe.answer === 'yes' }),
    limitOutput({ maxBytes: 1_000 }),
    cache({ ttl: 60_000 }),
    retry({ attempts: 3, delay: 1 }),
    limits,
    circuitBreaker({ failures: 5 }),
    tracing({ tracer: probe.tracer }),
    timeout({ request: 10_000, tools: { 's/*': probe.limit } }),
  ];
  await withScene(
    (probe) => (order === 'recommended' ? all(probe) : all(probe).reverse()),
    async (scene) => {
      const tally = () => ({ sent: scene.sent(), tokens: limits.usage()[0]?.used ?? 0, spans: scene.spans().length });
      await play({
        ...scene,
        async cost(work) {
          const before = tally();
          await work();
          const after = tally();
          return {
            sent: after.sent - before.sent,
            tokens: after.tokens - before.tokens,
            spans: after.spans - before.spans,
          };
        },
      });
    },
    { limit },
  );
}

const errors = ({ spans }: Scene) => spans().map(({ attributes }) => attributes['error.type']);

/** When the last request began and ended, by its span. */
function lastSpan({ spans }: Scene): { start: number; end: number } {
  const at = ([seconds, nanoseconds]: readonly [number, number] = [0, 0]) => seconds * 1_000 + nanoseconds / 1e6;
  const span = spans().at(-1);
  return { start: at(span?.startTime), end: at(span?.endTime) };
}

describe('the recommended order', () => {
  test('L4J-18 L4J-19 H5 an attempt costs a token and has a span of its own', async () => {
    await inOrder('recommended', async (scene) => {
      scene.behaviour.mood = 'busy';
      const cost = await scene.cost(async () => expect((await scene.call('save')).code).toBe('ok'));
      expect(cost).toEqual({ sent: 2, tokens: 2, spans: 2 });
      expect(errors(scene)).toEqual(['rate_limited', undefined]);
    });
  });

  test('N8 N4 a refusal has neither, and sends nothing', async () => {
    await inOrder('recommended', async (scene) => {
      scene.probe.answer = 'no';
      for (const tool of ['wipe', 'drifted', 'guarded']) {
        const cost = await scene.cost(async () => expect((await scene.call(tool)).code).toBe('not_allowed'));
        expect([tool, cost]).toEqual([tool, { sent: 0, tokens: 0, spans: 0 }]);
      }
    });
  });

  test('N7 an answer from the cache has neither, and what is refused is refused from the cache too', async () => {
    await inOrder('recommended', async (scene) => {
      const ask = async () => expect((await scene.call('guarded')).code).toBe('ok');
      expect(await scene.cost(ask)).toEqual({ sent: 1, tokens: 1, spans: 1 });
      expect(await scene.cost(ask)).toEqual({ sent: 0, tokens: 0, spans: 0 });
      scene.probe.answer = 'no';
      expect((await scene.call('guarded')).code).toBe('not_allowed');
    });
  });

  test('F15 the cache keeps answers whole, so that each is cut by what there is room for', async () => {
    await inOrder('recommended', async (scene) => {
      const [first, second] = [await scene.call('big'), await scene.call('big')];
      expect(scene.sent()).toBe(1);
      for (const { text } of [first, second]) {
        expect(text).toContain('read_more');
        expect(text.length).toBeLessThanOrEqual(1_000);
      }
      const handles = [first, second].map(({ result }) => result?._meta?.['mcp-tool-set/limitOutput']);
      expect(handles).toEqual([
        expect.objectContaining({ characters: LONG.length }),
        expect.objectContaining({ characters: LONG.length }),
      ]);
      expect(handles[0]).not.toEqual(handles[1]);
    });
  });

  test('H1 M3 waiting for a turn is not measured as the server’s time, and does not use up the time-out', async () => {
    const play = async (scene: Observed): Promise<void> => {
      const start = Date.now();
      for (const n of [1, 2]) expect((await scene.call('read', { n })).code).toBe('ok');
      expect(lastSpan(scene).start).toBeGreaterThan(start + 950);
    };
    await inOrder('recommended', play, { interval: 1_000, limit: 600 });
  });
});

describe('the reverse order breaks', () => {
  test('attempts: two of them cost one token and have one span', async () => {
    await inOrder('reverse', async (scene) => {
      scene.behaviour.mood = 'busy';
      const cost = await scene.cost(async () => expect((await scene.call('save')).code).toBe('ok'));
      expect(cost).toEqual({ sent: 2, tokens: 1, spans: 1 });
      expect(errors(scene)).toEqual([undefined]);
    });
  });

  test('refusals: what was answered once is answered from the cache without asking anybody', async () => {
    await inOrder('reverse', async (scene) => {
      expect((await scene.call('guarded')).code).toBe('ok');
      scene.probe.answer = 'no';
      expect((await scene.call('guarded')).code).toBe('ok');
    });
  });

  test('waiting: it counts as the server’s time', async () => {
    const play = async (scene: Observed): Promise<void> => {
      const start = Date.now();
      for (const n of [1, 2]) expect((await scene.call('read', { n })).code).toBe('ok');
      const { start: began, end } = lastSpan(scene);
      expect(began).toBeLessThan(start + 950);
      expect(end).toBeGreaterThan(start + 950);
    };
    await inOrder('reverse', play, { interval: 1_000 });
  });

  test('waiting: a time-out that leaves too little for it fails the call', async () => {
    const play = async (scene: Observed): Promise<void> => {
      expect((await scene.call('read', { n: 1 })).code).toBe('ok');
      expect((await scene.call('read', { n: 2 })).code).toBe('rate_limited');
    };
    await inOrder('reverse', play, { interval: 3_000, limit: 1_000 });
  });
});
