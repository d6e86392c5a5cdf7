import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { WRITE } from './http-server.ts';
import { RIGHT, trial, tryCall, until } from './trial.ts';

describe('switches of the listening stream', () => {
  it.each(['get-400', 'get-404', 'get-405', 'get-406'] as const)(
    'B2 B17 %s: the listening stream is optional, and a refusal of it is no reason to ask again',
    async (name) => {
      await trial({ switches: [name, 'list-changed-declared'] }, async ({ server, set, call, warnings }) => {
        const tools = await set({}, { stream: true });
        await until(() => server.count('GET') > 0);
        for (let turn = 0; turn < 5; turn++) expect(await call(tools)).toBe(RIGHT);
        expect(server.count('initialize')).toBe(1);
        expect(server.count('GET')).toBe(1);
        expect(warnings).toEqual([]);
      });
    },
  );

  it.each(['get-idle-close', 'get-reset', 'get-open'] as const)(
    'B12 B3 %s: what becomes of the listening stream is nobody’s error, and no hot loop',
    async (name) => {
      await trial({ switches: [name, 'list-changed-declared'] }, async ({ server, set, call, warnings }) => {
        const tools = await set({}, { stream: true });
        for (let turn = 0; turn < 10; turn++) {
          expect(await call(tools)).toBe(RIGHT);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        expect(server.count('GET')).toBeGreaterThan(0);
        expect(server.count('GET')).toBeLessThanOrEqual(4);
        expect(server.count('initialize')).toBe(1);
        expect(server.executed).toHaveLength(10);
        expect(warnings).toEqual([]);
      });
    },
  );

  it('B4 reply-on-get: a request whose reply is promised elsewhere ends, and is executed once', async () => {
    await trial({ switches: ['reply-on-get', 'get-open', 'list-changed-declared'] }, async ({ server, set, call }) => {
      const tools = await set({}, { stream: true });
      await until(() => server.listening.size > 0);
      expect([RIGHT, 'bad_response']).toContain(await call(tools));
      expect(server.executed).toHaveLength(1);
    });
  });

  it('H6 get-asks-ping: a question on the listening stream is answered', async () => {
    await trial({ switches: ['get-asks-ping', 'list-changed-declared'] }, async ({ server, set, call }) => {
      const tools = await set({}, { stream: true });
      await until(() => server.replies.length > 0);
      expect(server.replies).toMatchObject([{ result: {} }]);
      expect(await call(tools)).toBe(RIGHT);
    });
  });

  it('I3 get-list-changed: the next tools() has the list as it is now, without a call between', async () => {
    const switches = ['get-list-changed', 'list-changed-declared', 'tool-goes'] as const;
    await trial({ switches }, async ({ server, set }) => {
      const tools = await set({}, { stream: true });
      expect(Object.keys(tools)).toContain('s_passing');
      await until(() => server.listening.size > 0);
      let names = ['s_passing'];
      while (names.includes('s_passing')) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        names = Object.keys(await inspectToolSet(tools).provider.tools());
      }
      expect(names).toEqual(['s_read', 's_write']);
      expect(server.count('tools/list')).toBeLessThanOrEqual(3);
    });
  });

  it('J7 `stream: false` opens none', async () => {
    await trial({ switches: ['get-open', 'list-changed-declared'] }, async ({ server, set, call }) => {
      expect(await call(await set({}, { stream: false }))).toBe(RIGHT);
      expect(server.count('GET')).toBe(0);
    });
  });

  it('B7 resumable: a reply whose stream ended is fetched by the id of its last event; nothing runs twice', () =>
    tryCall(['resumable'], { executed: 1 }));

  it.each(['resume-refused', 'resume-brings-nothing'] as const)('B7 %s: the outcome is not known, in bounded time', (name) =>
    tryCall([name], { code: 'outcome_unknown', executed: 1 }),
  );

  it('B7 H3 resume-hangs: ends at the budget', () => tryCall(['resume-hangs'], { code: 'timeout', executed: 1, request: 800 }));

  it('H1 an abort while a reply is being resumed ends it, and leaves no stream', async () => {
    await trial({ switches: ['resume-hangs'] }, async ({ server, set, call, caller }) => {
      const running = call(await set());
      await until(() => server.listening.size > 0);
      caller.abort();
      expect(await running).toBe('aborted');
      expect(server.executed).toEqual([WRITE]);
    });
  });
});
