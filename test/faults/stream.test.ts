import { describe, expect, it } from 'vitest';
import { executeOptions } from '../support/model.ts';
import { WRITE } from './http-server.ts';
import type { StreamSwitch } from './stream-switches.ts';
import { AMPLE, type Expectation, failure, find, outcome, RIGHT, trial, tryCall } from './trial.ts';

type Row = readonly [ids: string, name: StreamSwitch, expected: Expectation];

const LOST = { code: 'outcome_unknown', executed: 1 } as const;
const LATE = { code: 'timeout', executed: 1, request: 300 } as const;
const CAPPED = { code: 'too_large', executed: 1, http: { maxResponseBytes: 256 * 1024 } } as const;

/** Ways to write a reply that must be understood. */
const UNDERSTOOD: readonly (readonly [ids: string, name: StreamSwitch])[] = [
  ['B5', 'sse'],
  ['B5', 'data-only'],
  ['B5', 'crlf'],
  ['B5', 'cr-only'],
  ['B5', 'comments'],
  ['B5', 'multi-line-data'],
  ['B5', 'no-space'],
  ['B5', 'no-blank-line'],
  ['B5', 'byte-order-mark'],
  ['B5', 'ids-and-retry'],
  ['B5', 'foreign-events'],
  ['A19', 'garbage-frames'],
  ['B5', 'one-byte-at-a-time'],
  ['B7', 'unknown-reply-first'],
  ['H5', 'two-replies'],
  ['B5', 'string-id'],
  ['B5', 'batch-stream'],
  ['B5', 'batch-json'],
  ['J7', 'stays-open'],
];

const FAILING: readonly Row[] = [
  ['B7', 'eof-before-reply', LOST],
  ['B7', 'empty-stream', LOST],
  ['B7', 'eof-mid-frame', LOST],
  ['B3 H5', 'reset-mid-frame', LOST],
  ['B7', 'no-jsonrpc', LOST],
  ['B4', 'result-and-error', { code: 'protocol_error', executed: 1 }],
  ['B4', 'result-is-no-object', { code: 'bad_response', executed: 1 }],
  ['H3', 'only-keep-alives', LATE],
  ['H1', 'reply-after-cancel', LATE],
  ['A21', 'endless-noise', CAPPED],
];

describe('switches of the stream', () => {
  it.each(UNDERSTOOD)('%s %s: the reply is understood', (_ids, name) => tryCall([name], { executed: 1 }));

  it.each(FAILING)('%s %s: an error, in bounded time', (_ids, name, expected) => tryCall([name], expected));

  it('A21 endless-frames: a stream that only talks ends at the cap, or else at the budget', async () => {
    await tryCall(['endless-frames'], { ...CAPPED });
  });

  it('A21 a reply past the cap is dropped, declared or not, streamed or not', async () => {
    for (const switches of [['result-text-5mb'], ['result-text-5mb', 'sse'], ['result-text-5mb', 'slow-body']] as const) {
      await tryCall(switches, CAPPED);
    }
  });

  it('B3 a stream that breaks under one call does not cost the calls beside it', async () => {
    const broken = { name: 'reset-mid-frame', times: 1 } as const;
    await trial({ switches: [broken, 'sse'] }, async ({ server, set, call }) => {
      const tools = await set();
      const ends = await Promise.all(Array.from({ length: 8 }, () => call(tools)));
      expect(ends.filter((end) => end === 'outcome_unknown')).toHaveLength(1);
      expect(ends.filter((end) => end === RIGHT)).toHaveLength(7);
      expect(server.executed).toHaveLength(8);
      expect(server.count('initialize')).toBe(1);
    });
  });

  it('B7 a listing whose stream ends early is asked again', async () => {
    const switches = [{ name: 'eof-before-reply', on: 'tools/list', times: 1 }] as const;
    await trial({ switches }, async ({ server, set, call }) => {
      expect(await call(await set())).toBe(RIGHT);
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it('H1 an answer that comes after the abort is ignored, and the server was told', async () => {
    await trial({ switches: [{ name: 'reply-after-cancel', times: 1 }] }, async ({ server, set, call }) => {
      const tools = await set();
      const one = new AbortController();
      const running = outcome(async () => find(tools, WRITE).execute?.({}, executeOptions(one.signal)));
      while (server.executed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      one.abort(new Error('the user left'));
      expect(await running).toBe('aborted');
      expect(await call(tools)).toBe(RIGHT);
      expect(server.executed).toHaveLength(2);
      expect(JSON.stringify(server.requests.map(({ message }) => message))).not.toContain('the user left');
    });
  });

  it('B4 reply-on-get without a listening stream', () => tryCall(['reply-on-get'], { code: 'bad_response', executed: 1 }));

  it('F15 a large reply under the cap is read whole', async () => {
    await trial({ switches: ['result-text-5mb', 'sse'] }, async ({ set, call }) => {
      expect(await call(await set())).toHaveLength(5 * 1024 * 1024);
    });
  });

  it('H3 the total budget ends a stream whose progress never ends', async () => {
    await trial({ switches: ['progress-endless'] }, async ({ set, caller }) => {
      const tools = await set({ timeouts: { ...AMPLE, request: 400, total: 1_200 } });
      const begun = Date.now();
      const error = await failure(find(tools, WRITE).execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code: 'timeout', data: { milliseconds: 1_200 } });
      expect(Date.now() - begun).toBeGreaterThan(1_000);
    });
  });
});
