/** All servers replaced at once, and one principal forgotten. */

import { describe, expect, it } from 'vitest';
import type { McpErrorCode } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, coded, count, failure, gate, provide } from './support.ts';

describe('setServers', () => {
  it('keeps the session of a server that is reached as before, with its new functions and settings', async () => {
    const server = await fake({ tools: [{ name: 'a' }, { name: 'b' }] });
    const config = (token: string) => ({ url: server.url, headers: () => ({ authorization: token }) });
    const provider = provide({ servers: { s: config('one') }, principal: { id: 'me' } });
    const before = await provider.tools();
    await provider.setServers({ s: { ...config('two'), tools: { allow: ['a'] }, fetch: (...args) => fetch(...args) } });
    expect(Object.keys(await provider.tools())).toEqual(['s_a']);
    expect(await call(before, 's_b')).toBe('b {}');
    expect(count(server, 'initialize')).toBe(1);
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    expect(server.requests.at(-1)?.headers.authorization).toBe('two');
  });

  it.each<[string, object]>([
    ['another path', { path: '/other' }],
    ['other headers', { headers: { 'x-tenant': 'b' } }],
    ['another protocol', { protocol: '2025-06-18' }],
    ['being disabled', { enabled: false }],
  ])('ends the session of a server that changes to %s', async (_what, { path = '', ...change }: { path?: string }) => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    await provider.tools();
    const [session] = server.sessions;
    await provider.setServers({ s: { url: server.url + path, ...change } });
    expect(server.sessions).not.toContain(session);
    const { s } = await provider.status();
    expect(s?.state).toBe('enabled' in change ? 'disabled' : 'idle');
  });

  it('a server that is disabled is not reached any more, not even by a record that has its tools', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const old = await provider.tools();
    await provider.setServers({ s: { url: server.url, enabled: false } });
    const asked = server.requests.length;
    expect(await failure(call(old, 's_echo'))).toMatchObject({ code: 'unavailable', server: 's' });
    const called = await failure(provider.callTool({ server: 's', tool: 'echo' }));
    expect(called).toMatchObject({ code: 'unavailable', server: 's' });
    expect(called.message).toContain('disabled');
    expect(await provider.status({ probe: true })).toMatchObject({ s: { state: 'disabled' } });
    expect(Object.keys(await provider.tools())).toEqual([]);
    expect(server.requests.length).toBe(asked);
    await provider.setServers({ s: { url: server.url } });
    expect(await call(old, 's_echo')).toBe('echo {}');
  });

  it('takes away what is left out, adds what is new, and refuses the whole when a part is wrong', async () => {
    const [one, two] = [await fake(), await fake()];
    const provider = provide({ servers: { one: { url: one.url } } });
    const old = await provider.tools();
    await expect(provider.setServers({ two: { url: two.url }, bad: { url: 'nonsense' } })).rejects.toThrow(
      coded('config_invalid'),
    );
    expect(Object.keys(await provider.tools())).toEqual(['one_echo']);
    await provider.setServers({ two: { url: two.url } });
    expect(one.sessions.size).toBe(0);
    expect(Object.keys(await provider.tools())).toEqual(['two_echo']);
    const code: McpErrorCode = 'unavailable';
    expect(await failure(call(old, 'one_echo'))).toMatchObject({ code, server: 'one' });
    await provider.setServers({});
    expect(Object.keys(await provider.tools())).toEqual([]);
    expect(two.sessions.size).toBe(0);
  });

  it('L4J-62 equal servers set in the middle of a listing take nothing from the record', async () => {
    const held = gate();
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const listing = provider.tools();
    await expect.poll(() => server.log()).toContain('tools/list');
    await provider.setServers({ s: { url: server.url } });
    held.open();
    expect(Object.keys(await listing)).toEqual(['s_echo']);
    expect(count(server, 'initialize')).toBe(1);
  });

  it('L4J-62 a server that moves in the middle of a listing shows no tool of its old place', async () => {
    const held = gate();
    const old = await fake({
      tools: [{ name: 'old' }],
      intercept: async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      },
    });
    const next = await fake({ tools: [{ name: 'next' }] });
    const provider = provide({ servers: { s: { url: old.url } } });
    const listing = provider.tools();
    await expect.poll(() => old.log()).toContain('tools/list');
    const moving = provider.setServers({ s: { url: next.url } });
    held.open();
    await moving;
    expect(Object.keys(await listing)).not.toContain('s_old');
    expect(Object.keys(await provider.tools())).toEqual(['s_next']);
  });
});

describe('forget', () => {
  it('ends the sessions of that principal alone, and its next use opens anew', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((id) => provider.tools({ principal: { id } })));
    expect(server.sessions.size).toBe(2);
    await provider.forget('ann');
    expect(server.sessions.size).toBe(1);
    await provider.forget('nobody');
    expect(await call(bob as never, 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(2);
    expect(await call(ann as never, 's_echo')).toBe('echo {}');
    await provider.tools({ principal: { id: 'ann' } });
    expect(count(server, 'initialize')).toBe(3);
    expect(count(server, 'tools/list')).toBe(3);
  });
});
