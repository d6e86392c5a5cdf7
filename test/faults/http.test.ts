import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { executeOptions } from '../support/model.ts';
import type { SwitchUse } from './http-server.ts';
import { AMPLE, type Expectation, failure, find, RIGHT, trial, tryCall } from './trial.ts';

type Row = readonly [ids: string, switches: readonly SwitchUse[], expected: Expectation];

const REFUSED = { executed: 0 } as const;
const SHORT = { request: 300 } as const;

/** One call of a tool that changes things, by what the server does to it. */
const ROWS: readonly Row[] = [
  ['B8', [{ name: '401', times: 1 }], { code: 'unauthorized', ...REFUSED, persists: false }],
  ['B8', ['401'], { code: 'unauthorized', ...REFUSED }],
  ['B8', ['403'], { code: 'forbidden', ...REFUSED }],
  ['B1', [{ name: '404-empty', times: 1 }], { executed: 1 }],
  ['B1', [{ name: '404-html', times: 1 }], { executed: 1 }],
  ['B1', [{ name: '404-json', times: 1 }], { executed: 1 }],
  ['B1', [{ name: '404-odd-json', times: 1 }], { executed: 1 }],
  ['B1', ['404-empty'], { code: 'session_expired', ...REFUSED }],
  ['B1', ['404-json'], { code: 'session_expired', ...REFUSED }],
  ['M1', ['429-seconds'], { code: 'rate_limited', ...REFUSED }],
  ['M1', ['429-date'], { code: 'rate_limited', ...REFUSED }],
  ['M1', ['429-bare'], { code: 'rate_limited', ...REFUSED }],
  ['M7', ['429-text'], { code: 'rate_limited', ...REFUSED }],
  ['B4', ['500-json-rpc'], { code: 'protocol_error', ...REFUSED }],
  ['B14', ['502-html'], { code: 'http_error', ...REFUSED }],
  ['H5', ['503-after-commit'], { code: 'http_error', executed: 1 }],
  ['B14', ['200-html'], { code: 'bad_response', ...REFUSED }],
  ['B14', ['200-empty'], { code: 'bad_response', ...REFUSED }],
  ['B14', ['200-untyped'], { code: 'bad_response', ...REFUSED }],
  ['B14', ['200-invalid-json'], { code: 'bad_response', ...REFUSED }],
  ['B14', ['200-foreign-json'], { code: 'bad_response', ...REFUSED }],
  ['B14', ['202-no-reply'], { code: 'bad_response', executed: 1 }],
  ['N1', ['redirect-307-same'], { executed: 1 }],
  ['N1', ['redirect-308-same'], { executed: 1 }],
  ['N1', ['redirect-307-same'], { code: 'redirect_refused', ...REFUSED, http: { redirect: 'refuse' } }],
  ['N1', ['redirect-302-same'], { code: 'redirect_refused', ...REFUSED }],
  ['N1', ['redirect-302-cross'], { code: 'redirect_refused', ...REFUSED }],
  ['N1', ['redirect-307-cross'], { code: 'redirect_refused', ...REFUSED }],
  ['N1', ['redirect-302-loopback'], { code: 'redirect_refused', ...REFUSED }],
  ['N1 N2', ['redirect-307-loopback'], { code: 'redirect_refused', ...REFUSED, http: { headers: { 'x-api-key': 'k' } } }],
  ['N1', ['redirect-nowhere'], { code: 'redirect_refused', ...REFUSED }],
  ['N1', ['redirect-circle'], { code: 'redirect_refused', ...REFUSED }],
  ['H3', ['slow-headers'], { executed: 1 }],
  ['H3', ['slow-body'], { executed: 1 }],
  ['H1 H3', ['never-answers'], { code: 'timeout', executed: 1, ...SHORT }],
  ['H1 H3', ['body-never-ends'], { code: 'timeout', executed: 1, ...SHORT }],
  ['H3', ['error-body-never-ends'], { code: 'timeout', executed: 1, ...SHORT }],
  ['B3', ['reset-before-commit'], { code: 'outcome_unknown', ...REFUSED }],
  ['B3 H5', ['reset-after-commit'], { code: 'outcome_unknown', executed: 1 }],
  ['B3 H5', ['reset-mid-body'], { code: 'outcome_unknown', executed: 1 }],
  ['B16', ['delete-405'], { executed: 1, keepsSessions: true }],
  ['B16', ['delete-404'], { executed: 1, keepsSessions: true }],
  ['B16', ['delete-hangs'], { executed: 1, keepsSessions: true }],
];

describe('switches of HTTP', () => {
  it.each(ROWS)('%s %j', (_ids, switches, expected) => tryCall(switches, expected));

  it('B1 a session that is gone is opened again once, and never more often than calls are made', async () => {
    await trial({ switches: ['404-html'] }, async ({ server, set, call }) => {
      const tools = await set();
      expect(await call(tools)).toBe('session_expired');
      expect(server.count('tools/call')).toBe(2);
      expect(server.count('initialize')).toBeLessThanOrEqual(3);
    });
  });

  it('B8 a server that refuses everything is asked once, and the report says that it needs credentials', async () => {
    await trial({ switches: ['401-anywhere'] }, async ({ server, set }) => {
      const tools = await set();
      expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'needs_auth', error: { code: 'unauthorized' } });
      expect(server.requests.length).toBeLessThanOrEqual(2);
    });
  });

  it.each([
    ['429-seconds', 3_600_000],
    ['429-date', 90_000],
    ['429-bare', undefined],
  ] as const)('M1 %s: says when to try again, and waits for nothing', async (name, retryAfter) => {
    await trial({ switches: [name] }, async ({ set, caller }) => {
      const tools = await set();
      const error = await failure(find(tools, 'write').execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code: 'rate_limited', data: { status: 429 } });
      expect(error.data.retryAfter).toBe(retryAfter);
    });
  });

  it.each([
    ['200-html', 'bad_response', 'Please log in'],
    ['502-html', 'http_error', '502 Bad Gateway'],
    ['500-json-rpc', 'protocol_error', 'the database is down'],
  ] as const)('B4 B14 %s to a listing: the error shows what came', async (name, code, text) => {
    await trial({ switches: [{ name, on: 'tools/list' }] }, async ({ set }) => {
      const { servers } = inspectToolSet(await set());
      expect(servers.s).toMatchObject({ state: 'failed', error: { code, message: expect.stringContaining(text) } });
    });
  });

  it('B3 B4 a listing that is cut off is asked again; it changes nothing', async () => {
    await trial({ switches: [{ name: 'reset-mid-body', on: 'tools/list', times: 1 }] }, async ({ set, call }) => {
      expect(await call(await set())).toBe(RIGHT);
    });
  });

  it('B15 a runtime that hides the session header gets a typed error, and no loop', async () => {
    await trial({ keepsSessions: true }, async ({ server, set }) => {
      const hidden: typeof fetch = async (target, init) => {
        const response = await fetch(target, init);
        const headers = new Headers(response.headers);
        headers.delete('mcp-session-id');
        return new Response(response.body, { status: response.status, headers });
      };
      const { servers } = inspectToolSet(await set({ fetch: hidden as never }));
      expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'http_error' } });
      expect(server.requests.length).toBeLessThanOrEqual(6);
    });
  });

  it('A13 a handshake that is never answered costs the connect budget, and leaves no socket', async () => {
    await trial({ switches: ['initialize-silence'] }, async ({ set }) => {
      const { servers } = inspectToolSet(await set({ timeouts: { ...AMPLE, connect: 400 } }));
      expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    });
  });
});
