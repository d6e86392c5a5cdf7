import { AsyncLocalStorage } from 'node:async_hooks';
import { streamText } from 'ai';
import { describe, expect, it } from 'vitest';
import { closeToolSet, createMcpToolProvider, createMcpToolSet, inspectToolSet, type McpToolProvider } from '../../src/index.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';
import { type FaultServer, startFaultServer, WRITE } from './http-server.ts';
import { AMPLE, failure, find, outcome, RIGHT, trial, until } from './trial.ts';

/** A provider of one server for one test; closed in any case. */
async function withProvider(
  server: FaultServer,
  work: (provider: McpToolProvider) => Promise<void>,
  more: Partial<Parameters<typeof createMcpToolProvider>[0]> = {},
): Promise<void> {
  const servers = { s: { url: server.url } };
  const provider = createMcpToolProvider({ servers, timeouts: AMPLE, onWarning: false, ...more });
  try {
    await work(provider);
  } finally {
    await provider.close();
  }
}

describe('what the host does', () => {
  it('A3 closing twice, at once and again, is fine; then a call says `closed`', async () => {
    await trial({}, async ({ server, set, call }) => {
      const tools = await set();
      await Promise.all([closeToolSet(tools), closeToolSet(tools), inspectToolSet(tools).provider.close()]);
      await closeToolSet({ ...tools });
      expect(await call(tools)).toBe('closed');
      expect(server.executed).toEqual([]);
      expect(server.count('DELETE')).toBe(1);
    });
  });

  it.each(['server/discover', 'initialize', 'tools/list'])('A8 closing while it connects, at %s', async (on) => {
    await trial({ switches: [{ name: 'initialize-silence', on }] }, async ({ server }) => {
      await withProvider(server, async (provider) => {
        const making = provider.tools();
        const ended = failure(making);
        await until(() => server.count(on) > 0);
        await provider.close();
        expect(await ended).toMatchObject({ code: 'closed' });
        const before = server.count(on);
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(server.count(on)).toBe(before);
      });
    });
  });

  it('A1 closing while a call is under way ends it, and it took effect once', async () => {
    await trial({ switches: ['never-answers'] }, async ({ server, set, call }) => {
      const tools = await set();
      const running = call(tools);
      await until(() => server.executed.length > 0);
      await closeToolSet(tools);
      expect(await running).toBe('closed');
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it('A1 a set that is closed too early: the model is told so, and the stream ends well', async () => {
    await trial({}, async ({ server, set }) => {
      const tools = await set();
      const model = plannedModel([{ toolName: 's_write' }]);
      const result = streamText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
      await closeToolSet(tools);
      expect(await result.text).toBe('done');
      expect(JSON.stringify(toolResultsOf(model, true))).toContain('closed');
      expect(server.executed).toEqual([]);
    });
  });

  it('A2 A3 the user stops in the middle of a tool call, and the set is closed after', async () => {
    await trial({ switches: ['never-answers'] }, async ({ server, set }) => {
      const tools = await set();
      const user = new AbortController();
      let ends = 0;
      const model = plannedModel([{ toolName: 's_write' }]);
      const result = streamText({
        model,
        tools,
        prompt: 'go',
        stopWhen: stopAfter(3),
        abortSignal: user.signal,
        onError: () => {},
        onAbort: async () => {
          ends++;
          await closeToolSet(tools);
        },
      });
      const reading = Promise.resolve(result.consumeStream());
      await until(() => server.executed.length > 0);
      user.abort();
      await reading;
      await until(() => ends > 0 && server.open.size === 0);
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it('A5 K5 ten first calls at once: one connection, one listing', async () => {
    await trial({ switches: [{ name: 'slow-headers', on: 'initialize' }] }, async ({ server, caller }) => {
      await withProvider(server, async (provider) => {
        const sets = await Promise.all(Array.from({ length: 10 }, () => provider.tools()));
        const calls = sets.map((tools) => outcome(async () => find(tools, WRITE).execute?.({}, executeOptions(caller.signal))));
        expect(new Set(await Promise.all(calls))).toEqual(new Set([RIGHT]));
        for (const method of ['initialize', 'tools/list']) expect(server.count(method)).toBe(1);
        expect(server.executed).toHaveLength(10);
      });
    });
  });

  it('A5 ten callers of a server that hangs, of whom nine leave: the tenth is served', async () => {
    await trial({ switches: [{ name: 'slow-headers', on: 'initialize' }] }, async ({ server }) => {
      await withProvider(server, async (provider) => {
        const leaving = new AbortController();
        const nine = Array.from({ length: 9 }, () => outcome(() => provider.tools({ signal: leaving.signal })));
        const tenth = provider.tools();
        await until(() => server.count('initialize') > 0);
        leaving.abort();
        expect(new Set(await Promise.all(nine))).toEqual(new Set(['aborted']));
        expect(Object.keys(await tenth)).toContain('s_write');
        expect(server.count('initialize')).toBe(1);
      });
    });
  });

  it('N7 C4 two users interleaved, told apart by what `headers` reads: each session has one user', async () => {
    await trial({ switches: [{ name: 'slow-headers', on: 'tools/list' }] }, async ({ server, caller }) => {
      const user = new AsyncLocalStorage<string>();
      const headers = (): Record<string, string> => ({ authorization: `Bearer ${user.getStore() ?? 'nobody'}` });
      const servers = { s: { url: server.url, headers } };
      const visit = async (name: string): Promise<string[]> =>
        user.run(name, async () => {
          const tools = await provider.tools();
          const ends: string[] = [];
          for (let turn = 0; turn < 3; turn++) {
            ends.push(await outcome(async () => find(tools, WRITE).execute?.({ name }, executeOptions(caller.signal))));
          }
          return ends;
        });
      const provider = createMcpToolProvider({ servers, timeouts: AMPLE, onWarning: false });
      const ends = await Promise.all(['ann', 'bob', 'ann', 'bob'].map(visit)).finally(() => provider.close());
      expect(new Set(ends.flat())).toEqual(new Set([RIGHT]));
      const users = new Map<string, Set<string>>();
      for (const { headers: sent, message } of server.requests) {
        const session = sent['mcp-session-id'];
        if (typeof session === 'string') users.set(session, (users.get(session) ?? new Set()).add(String(sent.authorization)));
        const name = (message.params?.arguments as { name?: string } | undefined)?.name;
        if (name !== undefined) expect(sent.authorization).toBe(`Bearer ${name}`);
      }
      expect(users.size).toBe(2);
      for (const those of users.values()) expect(those.size).toBe(1);
    });
  });

  it('J3 twenty reloads of a module: one connection, which the last one ends', async () => {
    await trial({}, async ({ server, caller }) => {
      const singleton = `reloads of ${server.url}`;
      const providers: McpToolProvider[] = [];
      for (let reload = 0; reload < 20; reload++) {
        const servers = { s: { url: server.url } };
        const provider = createMcpToolProvider({ servers, singleton, timeouts: AMPLE, onWarning: false });
        providers.push(provider);
        const tools = await provider.tools();
        expect(await outcome(async () => find(tools, WRITE).execute?.({}, executeOptions(caller.signal)))).toBe(RIGHT);
      }
      expect(server.count('initialize')).toBe(1);
      expect(server.sessions.size).toBe(1);
      expect(server.executed).toHaveLength(20);
      await Promise.all(providers.map((provider) => provider.close()));
    });
  });

  it('J3 a reload with another config ends what the one before had opened', async () => {
    await trial({}, async ({ server, other }) => {
      const singleton = `other config of ${server.url}`;
      const more = { singleton, timeouts: AMPLE, onWarning: false } as const;
      await createMcpToolProvider({ servers: { s: { url: server.url } }, ...more }).tools();
      const last = createMcpToolProvider({ servers: { s: { url: other.url } }, ...more });
      await last.tools();
      await until(() => server.sessions.size === 0);
      await last.close();
      await until(() => other.sessions.size === 0);
    });
  });

  it('A18 B1 fifty lost sessions, one after another: each call is served once, and one session is left', async () => {
    await trial({}, async ({ server, set, call }) => {
      const tools = await set();
      for (let turn = 0; turn < 50; turn++) {
        server.sessions.clear();
        expect(await call(tools)).toBe(RIGHT);
      }
      expect(server.executed).toHaveLength(50);
      expect(server.count('initialize')).toBe(51);
      expect(server.sessions.size).toBe(1);
    });
  });

  it('A9 A18 a server that is down, and then up again: calls fail at once and heal by themselves', async () => {
    await trial({}, async ({ caller }) => {
      const first = await startFaultServer();
      const tools = await createMcpToolSet({ servers: { s: { url: first.url } }, timeouts: AMPLE, onWarning: false });
      const attempt = (): Promise<string> => outcome(async () => find(tools, WRITE).execute?.({}, executeOptions(caller.signal)));
      try {
        await first.close();
        expect(await attempt()).toMatch(/^(unavailable|outcome_unknown)$/);
        expect(await attempt()).toBe('unavailable');
        const second = await startFaultServer({ port: first.port });
        try {
          expect(await attempt()).toBe(RIGHT);
          expect(second.executed).toEqual([WRITE]);
        } finally {
          await closeToolSet(tools);
          await second.close();
        }
      } finally {
        await closeToolSet(tools);
      }
    });
  });
});
