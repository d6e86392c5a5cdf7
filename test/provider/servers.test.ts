/** Servers that come, go and are replaced while others work. */

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMcpToolSet, inspectToolSet } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, coded, count, failure, gate, provide, silentTo } from './support.ts';

/** A server in memory, and the client side of it. */
async function inMemory(): Promise<InMemoryTransport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: 'memory', version: '1' });
  server.registerTool('say', {}, () => ({ content: [{ type: 'text', text: 'said' }] }));
  await server.connect(far);
  onTestFinished(() => server.close());
  return near;
}

describe('adding and removing', () => {
  it('L4J-64 a provider may start with no servers, and a set may not', async () => {
    const server = await fake();
    const provider = provide({ servers: {} });
    expect(Object.keys(await provider.tools())).toEqual([]);
    provider.addServer('s', { url: server.url });
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    await expect(createMcpToolSet({ servers: {} })).rejects.toThrow(coded('config_invalid'));
  });

  it('L4J-14 addServer refuses a key that is taken, a bad key and a bad config, and changes nothing then', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    for (const [key, config] of [
      ['s', { url: server.url }],
      ['', { url: server.url }],
      ['x', { url: 'nonsense' }],
      ['x', { link: server.url }],
    ] as const) {
      expect(() => provider.addServer(key, config as never)).toThrow(coded('config_invalid'));
    }
    expect(Object.keys(await provider.status())).toEqual(['s']);
    await provider.close();
    expect(() => provider.addServer('late', { url: server.url })).toThrow(coded('closed'));
  });

  it('L4J-66 removeServer ends the session and whatever is under way, and the rest goes on', async () => {
    const [gone, stays] = [await fake({ intercept: silentTo('tools/call') }), await fake()];
    const provider = provide({ servers: { gone: { url: gone.url }, stays: { url: stays.url } } });
    const tools = await provider.tools();
    const hanging = failure(tools.gone_echo && call(tools, 'gone_echo'));
    await expect.poll(() => gone.log()).toContain('tools/call');
    await provider.removeServer('gone');
    expect(gone.sessions.size).toBe(0);
    expect(await hanging).toMatchObject({ code: 'unavailable', server: 'gone' });
    expect(await failure(call(tools, 'gone_echo'))).toMatchObject({ code: 'unavailable' });
    expect(await call(tools, 'stays_echo')).toBe('echo {}');
    expect(Object.keys(await provider.tools())).toEqual(['stays_echo']);
    expect(count(gone, 'initialize')).toBe(1);
    await provider.removeServer('gone');
    await provider.removeServer('never-there');
  });

  it('L4J-66 a server that is removed while it connects leaves nothing behind', async () => {
    const held = gate();
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'initialize') await held.passed;
        return false;
      },
    });
    const other = await fake();
    const provider = provide({ servers: { s: { url: server.url }, other: { url: other.url } } });
    const listing = provider.tools();
    await expect.poll(() => server.log()).toContain('initialize');
    const removing = provider.removeServer('s');
    expect(Object.keys(await listing)).toEqual(['other_echo']);
    held.open();
    await removing;
    expect(server.log()).toEqual(['server/discover', 'initialize']);
    expect(Object.keys(await provider.status())).toEqual(['other']);
  });

  it('L4J-62 a server that is removed while others are still listed is in neither the record nor its report', async () => {
    const held = gate();
    const quick = await fake();
    const slow = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      },
    });
    const provider = provide({ servers: { quick: { url: quick.url }, slow: { url: slow.url } } });
    const listing = provider.tools();
    await expect.poll(() => [count(quick, 'tools/list'), count(slow, 'tools/list')]).toEqual([1, 1]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await provider.removeServer('quick');
    held.open();
    const tools = await listing;
    expect(Object.keys(tools)).toEqual(['slow_echo']);
    expect(Object.keys(inspectToolSet(tools).servers)).toEqual(['slow']);
  });

  it('L4J-66 a server that is removed while its `headers` are worked out is not reached', async () => {
    const held = gate();
    const [server, next] = [await fake(), await fake({ tools: [{ name: 'next' }] })];
    const headers = () => held.passed.then(() => ({ authorization: 'late' }));
    const provider = provide({ servers: { s: { url: server.url, headers } } });
    const [listing, calling] = [provider.tools(), failure(provider.callTool({ server: 's', tool: 'echo' }))];
    await provider.removeServer('s');
    provider.addServer('s', { url: next.url, headers });
    held.open();
    expect(Object.keys(await listing)).not.toContain('s_echo');
    expect(await calling).toMatchObject({ code: 'unavailable' });
    // Nor does the new server of that key get anything of the old one.
    expect(await call(await provider.tools(), 's_next')).toBe('next {}');
    expect(server.requests).toEqual([]);
  });

  it('L4J-62 a server that is added while others are listed is in the next record, with its key free again after removal', async () => {
    const held = gate();
    const slow = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      },
    });
    const [first, second] = [await fake({ tools: [{ name: 'one' }] }), await fake({ tools: [{ name: 'two' }] })];
    const provider = provide({ servers: { slow: { url: slow.url } } });
    const listing = provider.tools();
    await expect.poll(() => slow.log()).toContain('tools/list');
    provider.addServer('new', { url: first.url });
    held.open();
    await listing;
    const before = await provider.tools();
    expect(Object.keys(before)).toEqual(['new_one', 'slow_echo']);
    const removing = provider.removeServer('new');
    provider.addServer('new', { url: second.url });
    await removing;
    expect(Object.keys(await provider.tools())).toEqual(['new_two', 'slow_echo']);
    expect(first.sessions.size).toBe(0);
    expect(second.sessions.size).toBe(1);
  });

  it.each(['transport', 'client'] as const)(
    'L4J-66 a ready %s is its owner’s: removing and closing leave it open',
    async (kind) => {
      const near = await inMemory();
      const client = new Client({ name: 'mine', version: '1' });
      if (kind === 'client') await client.connect(near);
      let closes = 0;
      const close = near.close.bind(near);
      near.close = () => {
        closes++;
        return close();
      };
      const provider = provide({ servers: { s: kind === 'client' ? { client } : { transport: near } } });
      expect(await call(await provider.tools(), 's_say')).toBe('said');
      await provider.removeServer('s');
      await provider.close();
      expect(closes).toBe(0);
      if (kind === 'client') expect((await client.callTool({ name: 'say' })).content).toEqual([{ type: 'text', text: 'said' }]);
    },
  );

  it.each(['transport', 'client'] as const)('L4J-66 a %s that a function makes is ended with its server', async (kind) => {
    const near = await inMemory();
    let closed = false;
    const make = async () => {
      if (kind === 'transport') return near;
      const client = new Client({ name: 'made', version: '1' });
      await client.connect(near);
      return client;
    };
    const provider = provide({ servers: { s: (kind === 'client' ? { client: make } : { transport: make }) as never } });
    expect(await call(await provider.tools(), 's_say')).toBe('said');
    const close = near.close.bind(near);
    near.close = () => {
      closed = true;
      return close();
    };
    await provider.removeServer('s');
    expect(closed).toBe(true);
  });
});
