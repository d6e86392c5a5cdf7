/** Whose connection a request uses, and how many are kept. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { fake } from '../support/fixtures.ts';
import type { Received } from '../support/listen.ts';
import { answer, call, count, either, gate, type Intercept, listed, provide } from './support.ts';

const LIMIT = 100;
const session = ({ headers }: Received): string => String(headers['mcp-session-id']);

describe('the pool', () => {
  it('K5 keeps a hundred sessions, and closes the least recently used idle ones first', async () => {
    let now = 0;
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } }, now: () => now });
    const ask = (index: number) => provider.tools({ principal: { id: `u${index}` } });
    await Promise.all(Array.from({ length: LIMIT }, (_, index) => ask(index)));
    expect(server.sessions.size).toBe(LIMIT);
    for (let index = 1; index < LIMIT; index++) await ask(index);
    const first = await ask(0);
    now += 2_000;
    for (const extra of [100, 101, 102]) await ask(extra);
    await expect.poll(() => server.sessions.size).toBe(LIMIT);
    const initialized = count(server, 'initialize');
    expect(initialized).toBe(LIMIT + 3);
    // The one used last is still there, those used least recently are not.
    await call(first, 's_echo');
    expect(count(server, 'initialize')).toBe(initialized);
    for (const gone of [1, 2, 3]) await call(await ask(gone), 's_echo');
    expect(count(server, 'initialize')).toBe(initialized + 3);
  });

  it('K5 never closes one that is in use, however old', async () => {
    let now = 0;
    const held = gate();
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/call') await held.passed;
        return false;
      },
    });
    const provider = provide({ servers: { s: { url: server.url } }, now: () => now });
    const calling = call(await provider.tools({ principal: { id: 'old' } }), 's_echo');
    await expect.poll(() => server.log()).toContain('tools/call');
    for (let index = 0; index < LIMIT + 5; index++) {
      now += 2_000;
      await provider.tools({ principal: { id: `u${index}` } });
    }
    await expect.poll(() => server.sessions.size).toBe(LIMIT);
    held.open();
    expect(await calling).toBe('echo {}');
    expect(server.executed).toHaveLength(1);
  });

  it('K5 I5 a record outlives the eviction of its connection', async () => {
    let now = 0;
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } }, now: () => now });
    const tools = await provider.tools({ principal: { id: 'first' } });
    for (let index = 0; index < LIMIT; index++) {
      now += 2_000;
      await provider.tools({ principal: { id: `u${index}` } });
    }
    expect(await call(tools, 's_echo')).toBe('echo {}');
    provider.refresh();
    expect(await call(tools, 's_echo')).toBe('echo {}');
  });

  it('L4J-62 K5 ten first calls at once open one connection; two principals have one each', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        provider.callTool({ server: 's', tool: 'echo', principal: { id: `u${index % 2}` } }),
      ),
    );
    expect(count(server, 'initialize')).toBe(2);
    expect(count(server, 'tools/list')).toBe(2);
    expect(server.executed).toHaveLength(10);
  });
});

/** Lists one tool, named after who asks. */
const personal: Intercept = (received, response) =>
  received.message.method === 'tools/list' && listed(received, response, [`of_${received.headers.authorization}`]);

/** Which users each session has seen. */
function usersOf(requests: readonly Received[]): string[][] {
  const users = new Map<string, Set<string>>();
  for (const received of requests) {
    if (received.headers['mcp-session-id'] === undefined) continue;
    users.set(session(received), (users.get(session(received)) ?? new Set()).add(String(received.headers.authorization)));
  }
  return [...users.values()].map((set) => [...set]).sort();
}

describe('two users', () => {
  it('N7 a provider in module scope whose headers read the current user, and no principal: nothing is shared', async () => {
    const server = await fake({ intercept: personal });
    const user = new AsyncLocalStorage<string>();
    const headers = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { authorization: String(user.getStore()) };
    };
    const provider = provide({ servers: { s: { url: server.url, headers } } });
    const use = (name: string) =>
      user.run(name, async () => {
        const tools = await provider.tools();
        expect(Object.keys(tools)).toEqual([`s_of_${name}`]);
        await Promise.all([call(tools, `s_of_${name}`, {}).catch(() => {}), provider.status({ probe: true })]);
        return tools;
      });
    for (let round = 0; round < 3; round++) await Promise.all(['zoe', 'bob', 'zoe', 'bob'].map(use));
    provider.refresh();
    await Promise.all(['bob', 'zoe'].map(use));
    expect(usersOf(server.requests)).toEqual([['bob'], ['zoe']]);
    expect(count(server, 'initialize')).toBe(2);
    // Nor does it get into what another process starts with.
    expect(JSON.stringify(provider.snapshot())).not.toMatch(/zoe|bob/);
  });

  it('N7 a record in the hands of another user calls as that user', async () => {
    const server = await fake();
    const user = new AsyncLocalStorage<string>();
    const provider = provide({
      servers: { s: { url: server.url, headers: () => ({ authorization: String(user.getStore()) }) } },
    });
    const tools = await user.run('zoe', () => provider.tools());
    await user.run('bob', () => call(tools, 's_echo'));
    const called = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(called?.headers.authorization).toBe('bob');
    expect(usersOf(server.requests)).toEqual([['bob'], ['zoe']]);
  });

  it('N7 I5 principals share neither session, header, listing nor resource tools', async () => {
    const server = await fake({
      resources: [],
      intercept: either(personal, (received, response) => {
        if (received.message.method !== 'resources/list') return false;
        return answer(received, response, { resources: [{ uri: `x:${received.headers.authorization}`, name: 'r' }] });
      }),
    });
    const provider = provide({
      servers: { s: { url: server.url, headers: ({ principal }) => ({ authorization: String(principal?.id) }) } },
    });
    await Promise.all(
      ['zoe', 'bob', 'zoe', 'bob'].map(async (id) => {
        const tools = await provider.tools({ principal: { id } });
        expect(Object.keys(tools)).toEqual(['get_resource', 'list_resources', `s_of_${id}`]);
        expect(await call(tools, 'list_resources')).toContain(`x:${id}`);
        expect(JSON.stringify(await provider.tools({ principal: { id } }))).not.toContain(id === 'zoe' ? 'bob' : 'zoe');
      }),
    );
    expect(usersOf(server.requests)).toEqual([['bob'], ['zoe']]);
  });

  it('N7 `share: true` is one session and one listing for all, and its headers get no principal', async () => {
    const server = await fake();
    const told = new Set<unknown>();
    const headers = ({ principal }: { principal?: unknown }) => {
      told.add(principal);
      return { 'x-key': 'common' };
    };
    const provider = provide({ servers: { s: { url: server.url, share: true, headers } } });
    await Promise.all(
      ['zoe', 'bob'].map(async (id) =>
        call(await provider.tools({ principal: { id, headers: { authorization: id } } }), 's_echo'),
      ),
    );
    expect([...told]).toEqual([undefined]);
    expect(usersOf(server.requests)).toEqual([['undefined']]);
    expect(count(server, 'tools/list')).toBe(1);
  });

  it('N7 the headers of equal ids are those of the present request, not of the one that opened the connection', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const as = (token: string) => ({ principal: { id: 'me', headers: { authorization: token } } });
    await provider.tools(as('old'));
    await call(await provider.tools(as('new')), 's_echo');
    const called = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(called?.headers.authorization).toBe('new');
    expect(count(server, 'initialize')).toBe(1);
  });
});
