import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpErrorCode } from '../../src/index.ts';
import { executeOptions } from '../support/model.ts';
import { type Switch, type SwitchUse, WRITE } from './http-server.ts';
import type { ProtocolSwitch } from './protocol-switches.ts';
import { AMPLE, failure, find, RIGHT, trial, tryCall } from './trial.ts';

/** What a server may do at the start without losing its client. */
const STARTING: readonly (readonly [ids: string, switches: readonly SwitchUse[]])[] = [
  ['B9', ['version-older']],
  ['B9', ['speaks-2025-06-18', 'strict-header']],
  ['B10', ['probe-32601']],
  ['B10', ['probe-32602']],
  ['B10', ['probe-400']],
  ['B10', ['probe-404']],
  ['B10', ['probe-500']],
  ['B10', ['probe-reset']],
  ['B10', ['initialized-refused']],
  ['B10', ['modern']],
  ['B10', ['modern-bare']],
  ['B10', ['modern-other-version']],
  ['G5', ['resources-declared']],
];

/** What a server says to the probe that no other handshake may be tried after. */
const FINAL: readonly (readonly [name: Switch, code: McpErrorCode])[] = [
  ['401', 'unauthorized'],
  ['403', 'forbidden'],
  ['429-bare', 'rate_limited'],
  ['redirect-307-cross', 'redirect_refused'],
];

/** What it may not, and how that is told. */
const REFUSED: readonly (readonly [ids: string, name: ProtocolSwitch, code: McpErrorCode, says: string])[] = [
  ['B9', 'version-missing', 'bad_response', 'initialize'],
  ['A12', 'initialize-error', 'protocol_error', 'not today'],
  ['A12', 'initialize-empty', 'bad_response', 'initialize'],
  ['A12', 'no-server-info', 'bad_response', 'serverInfo'],
  ['A12', 'capabilities-missing', 'bad_response', 'initialize'],
];

const ASKED: readonly (readonly [name: ProtocolSwitch, answer: object])[] = [
  ['asks-ping', { result: {} }],
  ['asks-sampling', { error: { code: -32_601 } }],
  ['asks-elicitation', { error: { code: -32_601 } }],
  ['asks-roots', { error: { code: -32_601 } }],
  ['asks-unknown', { error: { code: -32_601 } }],
];

const REPLIES: readonly (readonly [ids: string, name: ProtocolSwitch, code: McpErrorCode])[] = [
  ['H5', 'error-32602', 'invalid_arguments'],
  ['H5', 'error-32601', 'protocol_error'],
  ['B4', 'error-odd-code', 'bad_response'],
  ['B4', 'error-without-message', 'protocol_error'],
  ['B4', 'error-null-id', 'protocol_error'],
];

describe('switches of the protocol', () => {
  it.each(STARTING)('%s %j: connects, lists and calls', (_ids, switches) => tryCall(switches, { executed: 1 }));

  it.each(FINAL)('B10 B8 %s to the probe: %s, and no step down to an older handshake', async (name, code) => {
    await trial({ switches: [{ name, on: 'server/discover' }] }, async ({ server, other, set }) => {
      expect(inspectToolSet(await set()).servers.s).toMatchObject({ error: { code } });
      expect(server.count('initialize')).toBe(0);
      expect(other.requests).toEqual([]);
    });
  });

  it('B10 modern: no session, no second handshake', async () => {
    await trial({ switches: ['modern'] }, async ({ server, set, call }) => {
      expect(await call(await set())).toBe(RIGHT);
      expect(server.methods()).toEqual(['server/discover', 'tools/list', 'tools/call']);
    });
  });

  it('B10 probe-silence: waits a part of the budget, then asks as of old', async () => {
    await trial({ switches: ['probe-silence'] }, async ({ set, call }) => {
      expect(await call(await set({ timeouts: { ...AMPLE, connect: 3_000 } }))).toBe(RIGHT);
    });
  });

  it('B10 initialized-silence: a notification that is not acknowledged holds nothing up for long', () =>
    tryCall(['initialized-silence'], { executed: 1 }));

  it.each(REFUSED)('%s %s: the server is left out, with the reason', async (_ids, name, code, says) => {
    await trial({ switches: [name] }, async ({ set }) => {
      const tools = await set();
      const { servers } = inspectToolSet(tools);
      expect(servers.s).toMatchObject({ state: 'failed', error: { code } });
      expect(servers.s?.error?.message).toContain(says);
      expect(Object.keys(tools)).toEqual([]);
    });
  });

  it.each([
    ['version-newer', '2099-01-01'],
    ['version-ancient', '2023-01-01'],
  ] as const)('B9 %s: the refusal names the version of both sides', async (name, theirs) => {
    await trial({ switches: [name] }, async ({ set }) => {
      const { servers } = inspectToolSet(await set());
      expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'protocol_error' } });
      expect(servers.s?.error?.message).toContain(theirs);
      expect(servers.s?.error?.message).toContain('2025-11-25');
    });
  });

  it('A12 B16 a handshake that fails after the session was made ends the session', async () => {
    await trial({ switches: ['version-newer'] }, async ({ server, set }) => {
      await set();
      expect(server.count('initialize')).toBe(1);
    });
  });

  it.each(ASKED)('H6 %s in the middle of a call is answered, and so is the call', async (name, answer) => {
    await trial({ switches: [name] }, async ({ server, set, call }) => {
      expect(await call(await set())).toBe(RIGHT);
      expect(server.replies).toHaveLength(1);
      expect(server.replies[0]).toMatchObject(answer);
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it('H6 ten calls that each wait for a pong are all answered', async () => {
    await trial({ switches: ['asks-ping'] }, async ({ server, set, call }) => {
      const tools = await set();
      const ends = await Promise.all(Array.from({ length: 10 }, () => call(tools)));
      expect(new Set(ends)).toEqual(new Set([RIGHT]));
      expect(server.executed).toHaveLength(10);
    });
  });

  it.each([['list-changed-burst', 'list-changed-declared'], ['list-changed-burst']] as const)(
    'I3 %s %s: fifty changes cost one listing, at the next tools()',
    async (...switches) => {
      await trial({ switches: switches.filter((each) => each !== undefined) }, async ({ server, set, call }) => {
        const tools = await set();
        expect(await call(tools)).toBe(RIGHT);
        await inspectToolSet(tools).provider.tools();
        expect(server.count('tools/list')).toBeLessThanOrEqual(2);
      });
    },
  );

  it.each(['unknown-notification', 'odd-notifications'] as const)('A19 %s: is not for us; the call is answered', (name) =>
    tryCall([name], { executed: 1 }),
  );

  it('L4J-32 server-cancels: the call ends, as one that may have taken effect; what comes after is ignored', () =>
    tryCall(['server-cancels'], { code: 'outcome_unknown', executed: 1 }));

  it('H4 progress: starts the budget of the request anew', async () => {
    await trial({ switches: ['progress'] }, async ({ set, call }) => {
      expect(await call(await set({ timeouts: { ...AMPLE, request: 500 } }))).toBe(RIGHT);
    });
  });

  it('H4 progress-without-token: is ignored', () => tryCall(['progress-without-token'], { executed: 1 }));

  it('H4 progress-foreign-token: another call’s progress keeps no call alive', () =>
    tryCall(['progress-foreign-token'], { code: 'timeout', executed: 1, request: 300 }));

  it('G5 no-capabilities: nothing is asked for', async () => {
    await trial({ switches: ['no-capabilities'] }, async ({ server, set }) => {
      const tools = await set();
      expect(Object.keys(tools)).toEqual([]);
      expect(inspectToolSet(tools).servers.s?.state).toBe('connected');
      expect(server.count('tools/list')).toBe(0);
    });
  });

  it('G5 resources-declared and not there: the listing of resources fails, the tools stay', async () => {
    await trial({ switches: ['resources-declared'] }, async ({ set, caller, call }) => {
      const tools = await set();
      const error = await failure(tools.list_resources?.execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code: 'protocol_error', data: { code: -32_601 } });
      expect(await call(tools)).toBe(RIGHT);
    });
  });

  it.each(REPLIES)('%s %s: %s, and nothing is sent again', async (_ids, name, code) => {
    await trial({ switches: [name] }, async ({ server, set, caller }) => {
      const tools = await set();
      const error = await failure(find(tools, WRITE).execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code, server: 's', tool: WRITE });
      expect(server.count('tools/call')).toBe(1);
    });
  });
});
