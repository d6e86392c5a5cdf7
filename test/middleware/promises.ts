/** What each middleware promises, as checks that must hold whatever stands before or behind it. */

import { expect } from 'vitest';
import {
  approval,
  cache,
  circuitBreaker,
  limitOutput,
  log,
  meta,
  pin,
  rateLimit,
  readOnly,
  retry,
  timeout,
} from '../../src/middleware/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import type { McpMiddleware } from '../../src/types.ts';
import { type Probe, type Scene, until } from './scene.ts';

export type Name = keyof typeof MAKERS;
/** `well`: nothing is wrong. `aborted`: the caller ends calls under way. `late`: the server never answers. `failing`: it breaks down. */
export type Condition = 'well' | 'aborted' | 'late' | 'failing';
/** Whether one of them is listed before the middleware in question. */
type Outside = (other: Name) => boolean;
type Check = (scene: Scene, outside: Outside, inside: Outside) => Promise<void>;

const LIMIT = 6;
const FAILURES = 2;
const ATTEMPTS = 3;
const MAX_BYTES = 1_000;
const TENANT = { 'com.example/tenant': 't1' };

/** Set up so that each has work of its own and none stands in the way of another's. */
export const MAKERS = {
  readOnly: () => readOnly({ allow: ['s/save'] }),
  pin: ({ lock }: Probe) => pin({ lock }),
  approval: (probe: Probe) => approval({ always: ['s/guarded'], never: ['s/save', 's/wipe'], timeout: 100, ask: askOf(probe) }),
  limitOutput: () => limitOutput({ maxBytes: MAX_BYTES }),
  cache: () => cache({ ttl: 60_000 }),
  retry: () => retry({ attempts: ATTEMPTS, delay: 1, budget: 10_000, trust: ['s'] }),
  rateLimit: () => rateLimit({ limit: LIMIT, interval: 60_000 }),
  circuitBreaker: () => circuitBreaker({ failures: FAILURES }),
  tracing: ({ tracer }: Probe) => tracing({ tracer }),
  timeout: ({ limit }: Probe) => timeout({ request: 10_000, tools: { 's/*': limit } }),
  log: ({ events }: Probe) => log((event) => events.push(event)),
  meta: () => meta(TENANT),
} satisfies Record<string, (probe: Probe) => McpMiddleware>;

function askOf(probe: Probe) {
  return async ({ tool }: { tool: { originalName: string } }): Promise<boolean> => {
    probe.asked.push([tool.originalName, probe.sent()]);
    if (probe.answer === 'throws') throw new Error('nobody is there');
    return probe.answer === 'never' ? new Promise(() => {}) : probe.answer === 'yes';
  };
}

interface Promised extends Record<Condition, Check> {
  /** The row or fault that it answers. */
  readonly id: string;
  readonly says: string;
}

/** The one tool that it refuses stays refused, and nothing is sent, whatever befalls the others. */
function refuses(tool: string, id: string, says: string): Promised {
  const refused = async (scene: Scene): Promise<void> => {
    const { code, text } = await scene.call(tool);
    expect([code, text]).toEqual(['not_allowed', expect.stringContaining('Nothing was sent')]);
    expect(scene.sent(tool)).toBe(0);
  };
  return {
    id,
    says,
    async well(scene) {
      expect(Object.keys(await scene.provider.tools())).toEqual(expect.not.arrayContaining([`s_${tool}`]));
      await refused(scene);
      expect((await scene.call('read')).code).toBe('ok');
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.abort('read', () => scene.sent('read') > 0)).code).toBe('aborted');
      await refused(scene);
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.call('read')).code).not.toBe('ok');
      await refused(scene);
    },
    async failing(scene) {
      scene.behaviour.mood = 'fails';
      expect((await scene.call('read')).code).not.toBe('ok');
      await refused(scene);
    },
  };
}

const failedWith = (code: string, says: RegExp) => ({ code, text: expect.stringMatching(says) });
const repeat = <T>(times: number, work: (index: number) => T): T[] => Array.from({ length: times }, (_, index) => work(index));

export const PROMISES: Record<Name, Promised> = {
  readOnly: refuses('wipe', 'N8', 'a write is refused and nothing is sent'),

  pin: refuses('drifted', 'N4', 'a drifted tool is refused and nothing is sent'),

  approval: {
    id: 'N8',
    says: 'asked before, and a refusal sends nothing',
    async well(scene) {
      expect((await scene.call('guarded', { n: 1 })).code).toBe('ok');
      scene.probe.answer = 'no';
      expect(await scene.call('guarded', { n: 2 })).toMatchObject(failedWith('not_allowed', /Nothing was sent/));
      expect(scene.probe.asked).toEqual([
        ['guarded', 0],
        ['guarded', 1],
      ]);
      expect(scene.sent()).toBe(1);
    },
    async aborted(scene) {
      scene.probe.answer = 'never';
      expect((await scene.abort('guarded', () => scene.probe.asked.length > 0)).code).toBe('aborted');
      expect(scene.sent('guarded')).toBe(0);
    },
    async late(scene) {
      scene.probe.answer = 'never';
      expect(await scene.call('guarded')).toMatchObject(failedWith('not_allowed', /within 100 ms/));
      expect(scene.sent('guarded')).toBe(0);
    },
    async failing(scene) {
      scene.probe.answer = 'throws';
      expect((await scene.call('guarded')).code).toBe('not_allowed');
      expect(scene.sent('guarded')).toBe(0);
      scene.behaviour.mood = 'fails';
      scene.probe.answer = 'yes';
      expect((await scene.call('guarded')).code).not.toBe('ok');
      expect(scene.probe.asked).toEqual([
        ['guarded', 0],
        ['guarded', 0],
      ]);
    },
  },

  limitOutput: {
    id: 'F15',
    says: 'output stays within its budget',
    async well(scene) {
      for (const _ of repeat(2, Number)) {
        const { code, text, result } = await scene.call('big');
        expect([code, Buffer.byteLength(text) <= MAX_BYTES, text.includes('read_more')]).toEqual(['ok', true, true]);
        expect(result).not.toHaveProperty('structuredContent');
      }
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.abort('big', () => scene.sent('big') > 0)).code).toBe('aborted');
      scene.behaviour.mood = 'well';
      await this.well(
        scene,
        () => false,
        () => false,
      );
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.call('big')).code).not.toBe('ok');
    },
    async failing(scene) {
      const { text } = await scene.call('bad');
      expect([Buffer.byteLength(text) <= MAX_BYTES, text.includes('read_more')]).toEqual([true, true]);
      scene.behaviour.mood = 'fails';
      expect(Buffer.byteLength((await scene.call('big')).text)).toBeLessThan(MAX_BYTES);
    },
  },

  cache: {
    id: 'N7',
    says: 'a second read sends nothing, a failure is not kept',
    async well(scene) {
      const first = await scene.call('read', { a: 1, b: 2 });
      expect(await scene.call('read', { b: 2, a: 1 })).toEqual(first);
      expect([first.code, scene.sent('read')]).toEqual(['ok', 1]);
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.abort('read', () => scene.sent('read') > 0)).code).toBe('aborted');
      await readAgain(scene);
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.call('read')).code).toBe('timeout');
      await readAgain(scene);
    },
    async failing(scene) {
      scene.behaviour.mood = 'fails';
      expect((await scene.call('read')).code).toBe('http_error');
      await readAgain(scene);
    },
  },

  retry: {
    id: 'H5',
    says: 'what was surely not executed is tried again, a write is never repeated',
    async well(scene) {
      scene.behaviour.mood = 'busy';
      expect((await scene.call('save')).code).toBe('ok');
      expect(scene.sent('save')).toBe(2);
    },
    async aborted(scene, outside) {
      Object.assign(scene.behaviour, { mood: 'busy', busyFor: 5_000 });
      // A wait that a time-out further out would not live to see does not begin.
      const code = outside('timeout') ? 'rate_limited' : 'aborted';
      expect(
        (
          await scene.abort(
            'save',
            after(() => scene.sent('save') > 0, 50),
          )
        ).code,
      ).toBe(code);
      expect(scene.sent('save')).toBe(1);
    },
    async late(scene, outside, inside) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.call('save')).code).toBe('timeout');
      expect(scene.sent('save')).toBe(1);
      expect((await scene.call('read')).code).toBe(inside('circuitBreaker') ? 'unavailable' : 'timeout');
      expect(scene.sent('read')).toBe(outside('timeout') || inside('circuitBreaker') ? 1 : ATTEMPTS);
    },
    async failing(scene, outside, inside) {
      scene.behaviour.mood = 'drops';
      expect((await scene.call('save', { n: 1 })).code).toBe('outcome_unknown');
      scene.behaviour.mood = 'fails';
      expect((await scene.call('save', { n: 2 })).code).toBe('http_error');
      expect(scene.sent('save')).toBe(2);
      expect((await scene.call('read')).code).toBe(
        outside('circuitBreaker') || inside('circuitBreaker') ? 'unavailable' : 'http_error',
      );
    },
  },

  rateLimit: {
    id: 'L4J-19',
    says: 'never above the limit',
    async well(scene) {
      const endings = await Promise.all(repeat(LIMIT + 3, (n) => scene.call('read', { n })));
      expect(endings.map(({ code }) => code).sort()).toEqual([...repeat(LIMIT, () => 'ok'), ...repeat(3, () => 'rate_limited')]);
      expect(scene.sent()).toBe(LIMIT);
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      const full = () => scene.sent() === LIMIT;
      const endings = await Promise.all(repeat(LIMIT + 3, () => scene.abort('save', full)));
      expect(endings.map(({ code }) => code).sort()).toEqual([
        ...repeat(LIMIT, () => 'aborted'),
        ...repeat(3, () => 'rate_limited'),
      ]);
      expect(scene.sent()).toBe(LIMIT);
    },
    async late(scene, _, inside) {
      scene.behaviour.mood = 'hangs';
      await keepsTo(scene, inside('retry') ? LIMIT * ATTEMPTS : LIMIT);
    },
    async failing(scene, _, inside) {
      scene.behaviour.mood = 'fails';
      // Attempts of a retry that is further in are one request to it.
      await keepsTo(scene, inside('retry') ? LIMIT * ATTEMPTS : LIMIT);
    },
  },

  circuitBreaker: {
    id: 'H1',
    says: `opens after ${FAILURES} failures, and sends nothing then`,
    async well(scene) {
      for (const n of repeat(FAILURES + 1, Number)) expect((await scene.call('read', { n })).code).toBe('ok');
      expect((await scene.call('bad')).text).not.toMatch(/left alone/);
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      for (const n of repeat(FAILURES + 1, (index) => index + 1)) {
        expect((await scene.abort('read', () => scene.sent('read') >= n)).code).toBe('aborted');
      }
      scene.behaviour.mood = 'well';
      expect((await scene.call('read')).code).toBe('ok');
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      await opens(scene);
    },
    async failing(scene) {
      scene.behaviour.mood = 'fails';
      await opens(scene);
    },
  },

  tracing: {
    id: 'L4J-18',
    says: 'a span per request',
    async well(scene) {
      expect((await scene.call('read')).code).toBe('ok');
      const [span] = await traced(scene, 1, undefined);
      const { spanId, traceId } = span!.spanContext();
      const { params } = scene.received.find(({ message }) => message.method === 'tools/call')!.message;
      expect(params?._meta).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      await scene.abort('read', () => scene.sent() > 0);
      await traced(scene, 1, 'aborted');
    },
    async late(scene, outside) {
      scene.behaviour.mood = 'hangs';
      await scene.call('read');
      await traced(scene, outside('retry') ? (outside('timeout') ? 1 : ATTEMPTS) : 1, 'timeout');
    },
    async failing(scene, outside) {
      scene.behaviour.mood = 'fails';
      await scene.call('read');
      await traced(scene, outside('retry') ? ATTEMPTS : 1, 'http_error');
    },
  },

  timeout: {
    id: 'H1',
    says: 'ends in time',
    async well(scene) {
      expect((await scene.call('read')).code).toBe('ok');
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      expect((await scene.abort('read', () => scene.sent() > 0)).code).toBe('aborted');
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      const start = performance.now();
      const { code, error } = await scene.call('read');
      expect([code, error?.data]).toEqual(['timeout', { milliseconds: scene.probe.limit }]);
      expect(performance.now() - start).toBeLessThan(5_000);
      await until(() => scene.received.some(({ message }) => message.method === 'notifications/cancelled'));
    },
    async failing(scene) {
      scene.behaviour.mood = 'fails';
      expect(await scene.call('read')).toMatchObject({ code: 'http_error', error: { data: { status: 503 } } });
    },
  },

  log: {
    id: 'L4J-29',
    says: 'one start and one end event',
    async well(scene, outside) {
      for (const tool of ['read', 'read', 'wipe', 'drifted', 'guarded']) {
        if (tool === 'guarded') scene.probe.answer = 'no';
        await scene.call(tool);
      }
      // Whoever is further out keeps from it what it refuses, or answers itself.
      const kept = [outside('cache'), outside('readOnly'), outside('pin'), outside('approval')].filter(Boolean).length;
      expect(paired(scene, 'call')).toHaveLength(5 - kept);
      expect(paired(scene, 'request')).toHaveLength(scene.sent());
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      await scene.abort('read', () => scene.sent() > 0);
      await logged(scene, 1, 'aborted');
    },
    async late(scene, outside) {
      scene.behaviour.mood = 'hangs';
      await scene.call('read');
      await logged(scene, outside('retry') ? ATTEMPTS : 1, 'timeout');
    },
    async failing(scene, outside) {
      scene.behaviour.mood = 'fails';
      await scene.call('read');
      await logged(scene, outside('retry') ? ATTEMPTS : 1, 'http_error');
    },
  },

  meta: {
    id: 'L4J-26',
    says: '_meta is on the wire',
    async well(scene) {
      await scene.call('read');
      tagged(scene, 1);
    },
    async aborted(scene) {
      scene.behaviour.mood = 'hangs';
      await scene.abort('read', () => scene.sent() > 0);
      tagged(scene, 1);
    },
    async late(scene) {
      scene.behaviour.mood = 'hangs';
      await scene.call('read');
      tagged(scene, scene.sent());
    },
    async failing(scene) {
      scene.behaviour.mood = 'fails';
      await scene.call('read');
      tagged(scene, scene.sent());
    },
  },
};

/** Holds so long after something else began to hold. */
function after(begins: () => boolean, milliseconds: number): () => boolean {
  let rest: (() => boolean) | undefined;
  return () => {
    if (rest === undefined && begins()) rest = lasting(milliseconds);
    return rest?.() ?? false;
  };
}

/** Some milliseconds from now. */
function lasting(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() >= end;
}

/** Sent anew once the server is well, and kept from then on. */
async function readAgain(scene: Scene): Promise<void> {
  scene.behaviour.mood = 'well';
  const before = scene.sent('read');
  for (const _ of repeat(2, Number)) expect((await scene.call('read')).code).toBe('ok');
  expect(scene.sent('read')).toBe(before + 1);
}

async function keepsTo(scene: Scene, limit: number): Promise<void> {
  const endings = await Promise.all(repeat(LIMIT + 3, (n) => scene.call('read', { n })));
  expect(endings.map(({ code }) => code)).not.toContain('ok');
  // No less is asked: on a busy machine a time-out may end all of them before one has left.
  expect(scene.sent()).toBeLessThanOrEqual(limit);
}

async function opens(scene: Scene): Promise<void> {
  for (const n of repeat(FAILURES, Number)) expect((await scene.call('read', { n })).code).not.toBe('ok');
  // A time-out that is further out ends the call before those who are at it have heard of it.
  await until(lasting(30));
  const before = scene.sent();
  expect(await scene.call('read', { n: 9 })).toMatchObject({ code: 'unavailable', error: { data: { circuit: 'open' } } });
  expect(scene.sent()).toBe(before);
}

/** A call that is aborted ends before those who are at it have heard of it. */
async function traced(scene: Scene, spans: number, error: string | undefined) {
  await until(() => scene.open() === 0);
  expect(scene.spans().map(({ attributes }) => attributes['error.type'])).toEqual(repeat(spans, () => error));
  return scene.spans();
}

/** Ends of calls to tools, each with a start of its own. */
function paired({ probe }: Scene, kind: 'call' | 'request') {
  const of = (event: string) =>
    probe.events.filter((each) => each.event === event && (kind === 'call' || each.method === 'tools/call'));
  const ends = of(`${kind}_end`);
  expect(of(`${kind}_start`).map(({ tool }) => tool)).toEqual(ends.map(({ tool }) => tool));
  return ends;
}

async function logged(scene: Scene, attempts: number, code: string): Promise<void> {
  const ended = () => scene.probe.events.filter(({ event }) => event.endsWith('_end')).length;
  await until(() => ended() * 2 === scene.probe.events.length);
  expect(paired(scene, 'call')).toHaveLength(1);
  expect(paired(scene, 'request').map((end) => end.code)).toEqual(repeat(attempts, () => code));
}

function tagged({ received }: Scene, calls: number): void {
  const requests = received.filter(({ message }) => message.id !== undefined && message.method !== undefined);
  expect(requests.filter(({ message }) => message.method === 'tools/call')).toHaveLength(calls);
  for (const { message } of requests) expect(message.params?._meta, message.method).toMatchObject(TENANT);
}
