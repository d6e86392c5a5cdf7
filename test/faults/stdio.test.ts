import { describe, expect, it } from 'vitest';
import { createMcpToolProvider, inspectToolSet, type McpErrorCode, type McpToolProvider } from '../../src/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { executeOptions } from '../support/model.ts';
import { type StdioSwitch, stdioTrial } from './stdio-trial.ts';
import { AMPLE, failure, find, outcome, RIGHT } from './trial.ts';

/** Oddities that cost nothing. */
const UNDERSTOOD: readonly (readonly [ids: string, name: StdioSwitch])[] = [
  ['A19', 'banner'],
  ['A19', 'noise-between'],
  ['A19', 'color'],
  ['A19', 'crlf'],
  ['A19', 'one-byte-at-a-time'],
  ['A19', 'string-id'],
  ['A19', 'batch'],
  ['A19', 'two-replies'],
  ['A23', 'stderr-flood'],
  ['A10', 'ignores-sigterm'],
  ['A10', 'stays-after-stdin'],
  ['A10', 'grandchild'],
  ['H6', 'asks-ping'],
  ['H6', 'asks-unknown'],
];

/** A child that is of no use: why, and what the error shows. */
const LEFT_OUT: readonly (readonly [ids: string, name: StdioSwitch, code: McpErrorCode, says: string])[] = [
  ['A23', 'stderr-crash', 'unavailable', 'no database at /var/db'],
  ['A23', 'stderr-crash', 'unavailable', 'code 3'],
  ['A23', 'exits-at-once', 'unavailable', 'code 0'],
  ['A12 A23', 'exits-in-list', 'outcome_unknown', 'code 7'],
  ['A13 A17', 'silent', 'timeout', '1000 ms'],
];

/** A child that goes wrong in a call that has taken effect. */
const IN_CALL: readonly (readonly [ids: string, name: StdioSwitch, code: McpErrorCode, says: string])[] = [
  ['A23 H5', 'exits-in-call', 'outcome_unknown', 'out of memory'],
  ['A23 H5', 'killed-in-call', 'outcome_unknown', 'SIGKILL'],
  ['A10 H5', 'grandchild-in-crash', 'outcome_unknown', 'code 5'],
  ['A23 H5', 'closes-stdout', 'outcome_unknown', 'closed its output'],
  ['H1 H3', 'silent-in-call', 'timeout', '400 ms'],
];

describe('switches of stdio', () => {
  it.each(UNDERSTOOD)('%s %s: lists and calls, and leaves no process', async (_ids, name) => {
    await stdioTrial([name], async ({ set, call, logged }) => {
      const tools = await set();
      expect(await call(tools)).toBe(RIGHT);
      expect(await call(tools)).toBe(RIGHT);
      expect(logged('run')).toHaveLength(2);
      expect(logged('start')).toHaveLength(1);
    });
  });

  it.each(['banner', 'noise-between'] as const)('A19 %s: noise is told, and once', async (name) => {
    await stdioTrial([name, 'noise-between'], async ({ set, call, warnings }) => {
      const tools = await set();
      expect(await call(tools)).toBe(RIGHT);
      expect(warnings.map(({ kind }) => kind)).toEqual(['noise']);
    });
  });

  it('H6 what the child asks is answered: a pong, and a refusal of the unknown', async () => {
    await stdioTrial(['asks-ping', 'asks-unknown'], async ({ set, call, logged }) => {
      expect(await call(await set())).toBe(RIGHT);
      expect(logged('answer')).toEqual(['answer:{}', 'answer:-32601']);
    });
  });

  it.each(LEFT_OUT)('%s %s: left out as %s, showing "%s"', async (_ids, name, code, says) => {
    await stdioTrial([name], async ({ set }) => {
      const { servers } = inspectToolSet(await set({ timeouts: { ...AMPLE, connect: name === 'silent' ? 1_000 : 10_000 } }));
      expect(servers.s).toMatchObject({ state: 'failed', error: { code } });
      expect(servers.s?.error?.message).toContain(says);
    });
  });

  it('A12 exits-after-initialize: a child that is gone before the list is started again, not for ever', async () => {
    await stdioTrial(['exits-after-initialize'], async ({ set, logged }) => {
      const { servers } = inspectToolSet(await set());
      expect(servers.s?.state).toBe('failed');
      expect(['unavailable', 'outcome_unknown']).toContain(servers.s?.error?.code);
      expect(servers.s?.error?.message).toContain('code 6');
      expect(logged('start').length).toBeLessThanOrEqual(2);
    });
  });

  it.each(IN_CALL)('%s %s: the call ends as told, and took effect once', async (_ids, name, code, says) => {
    await stdioTrial([name], async ({ set, caller, logged }) => {
      const tools = await set({ timeouts: { ...AMPLE, request: name === 'silent-in-call' ? 400 : 10_000 } });
      const error = await failure(find(tools, 'write').execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code, server: 's', tool: 'write' });
      expect(error.message).toContain(says);
      expect(logged('run')).toHaveLength(1);
    });
  });

  it('A18 H5 a child that died in a call is started again by the next, and nothing runs twice', async () => {
    await stdioTrial(['exits-in-first-call'], async ({ set, call, logged }) => {
      const tools = await set();
      expect(await call(tools)).toBe('outcome_unknown');
      expect(await call(tools)).toBe(RIGHT);
      expect(logged('run')).toHaveLength(2);
      expect(logged('start')).toHaveLength(2);
    });
  });

  it('A23 every call that is under way ends with the child', async () => {
    await stdioTrial(['exits-in-call'], async ({ set, call, logged }) => {
      const tools = await set();
      const ends = await Promise.all(Array.from({ length: 5 }, () => call(tools)));
      for (const end of ends) expect(['outcome_unknown', 'unavailable']).toContain(end);
      expect(logged('run').length).toBeLessThanOrEqual(5);
    });
  });

  it('A21 endless-line: ends at the cap, with the child', async () => {
    await stdioTrial(['endless-line'], async ({ set, call, logged }) => {
      const tools = await set({}, { maxMessageBytes: 1024 * 1024 });
      expect(await call(tools)).toBe('too_large');
      expect(logged('run')).toHaveLength(1);
    });
  });

  it('A17 slow-start: a slow start is the business of `connect`, not of `request`', async () => {
    await stdioTrial(['slow-start'], async ({ set, call, logged }) => {
      const tools = await set({ timeouts: { connect: 15_000, request: 1_000, total: 15_000 } });
      expect(await call(tools)).toBe(RIGHT);
      expect(logged('start')).toHaveLength(1);
    });
  });

  it('A13 A17 slow-start past the budget: left out, and its child is not left behind', async () => {
    await stdioTrial(['slow-start'], async ({ set, logged }) => {
      const { servers } = inspectToolSet(await set({ timeouts: { ...AMPLE, connect: 500 } }));
      expect(servers.s).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
      expect(logged('start').length).toBeLessThanOrEqual(1);
    });
  });

  it('H1 deaf-after-list: a call that the child never reads ends at its budget, and an abort ends it at once', async () => {
    await stdioTrial(['deaf-after-list'], async ({ set, call, logged }) => {
      const tools = await set({ timeouts: { ...AMPLE, request: 400 } });
      expect(await call(tools, { text: 'x'.repeat(200_000) })).toBe('timeout');
      const one = new AbortController();
      const running = outcome(async () => find(tools, 'write').execute?.({}, executeOptions(one.signal)));
      one.abort();
      expect(await running).toBe('aborted');
      expect(logged('run')).toEqual([]);
    });
  });

  it('J3 twenty reloads of a module: one child, which ends with the last', async () => {
    await stdioTrial([], async ({ child, logged }) => {
      const providers: McpToolProvider[] = [];
      for (let reload = 0; reload < 20; reload++) {
        const servers = { s: stdio(child) };
        const provider = createMcpToolProvider({ servers, singleton: String(child.args), timeouts: AMPLE, onWarning: false });
        providers.push(provider);
        await provider.tools();
      }
      expect(logged('start')).toHaveLength(1);
      await Promise.all(providers.map((provider) => provider.close()));
    });
  });

  it('A4 a command that does not exist costs its own tools only', async () => {
    await stdioTrial([], async ({ set, warnings }) => {
      const tools = await set({}, { command: 'no-such-command-anywhere' });
      expect(Object.keys(tools)).toEqual([]);
      expect(warnings[0]).toMatchObject({ kind: 'server_failed', error: { code: 'unavailable' } });
      expect(warnings[0]?.message).toContain('no-such-command-anywhere');
    });
  });
});
