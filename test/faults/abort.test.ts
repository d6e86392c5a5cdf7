import { describe, expect, it } from 'vitest';
import { WRITE } from './http-server.ts';
import { failure, RIGHT, trial, until } from './trial.ts';

describe('when the caller stops', () => {
  it('H1 an abort before the call: nothing is sent', async () => {
    await trial({}, async ({ server, set, call, caller }) => {
      const tools = await set();
      caller.abort(new Error('gone already'));
      expect(await call(tools)).toBe('aborted');
      expect(server.count('tools/call')).toBe(0);
    });
  });

  it.each(['never-answers', 'body-never-ends', 'only-keep-alives', 'progress-endless'] as const)(
    'H1 an abort during the call ends it at once: %s',
    async (name) => {
      await trial({ switches: [name] }, async ({ server, set, call, caller }) => {
        const tools = await set();
        const running = call(tools);
        await until(() => server.executed.length > 0);
        const begun = Date.now();
        caller.abort();
        expect(await running).toBe('aborted');
        expect(Date.now() - begun).toBeLessThan(2_000);
        expect(server.executed).toEqual([WRITE]);
        await until(() => server.open.size === 0);
      });
    },
  );

  it('H1 K2 an abort after the answer does nothing', async () => {
    await trial({}, async ({ server, set, call, caller }) => {
      const tools = await set();
      for (let turn = 0; turn < 20; turn++) expect(await call(tools)).toBe(RIGHT);
      const before = server.requests.length;
      caller.abort();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(server.requests).toHaveLength(before);
      expect(server.executed).toHaveLength(20);
    });
  });

  it.each(['server/discover', 'initialize', 'tools/list'])('A13 an abort while loading, at %s: nothing is left', async (on) => {
    await trial({ switches: [{ name: 'initialize-silence', on }] }, async ({ server, set }) => {
      const loading = new AbortController();
      const making = failure(set({ signal: loading.signal }));
      await until(() => server.count(on) > 0);
      loading.abort(new Error('the user left'));
      expect(await making).toMatchObject({ code: 'aborted' });
    });
  });

  it('A12 B16 an abort in the handshake, when the session is known already, ends the session', async () => {
    await trial({ switches: [{ name: 'body-never-ends', on: 'initialize' }] }, async ({ server, set }) => {
      const loading = new AbortController();
      const making = failure(set({ signal: loading.signal }));
      await until(() => server.count('initialize') > 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      loading.abort();
      expect(await making).toMatchObject({ code: 'aborted' });
    });
  });

  it('A13 an abort before loading: nothing is asked', async () => {
    await trial({}, async ({ server, set }) => {
      expect(await failure(set({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' });
      expect(server.requests).toEqual([]);
    });
  });

  it.each(['401-anywhere', 'list-error', 'initialize-error', 'cursor-frozen'] as const)(
    'A12 B16 a set that cannot be made leaves nothing: %s',
    async (name) => {
      await trial({ switches: [name] }, async ({ set }) => {
        const error = await failure(set({ onServerError: 'throw' }));
        expect(error.server).toBe('s');
      });
    },
  );
});
