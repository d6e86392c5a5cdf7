/** Open connections are asked whether they are well. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { scripted } from '../connection/link-support.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, either, gate, PONG, provide, silentTo, status } from './support.ts';

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
describe('L4J-23 the health check', () => {
  it('ends a connection that does not answer its ping; the next call heals', async () => {
    let deaf = true;
    const server = await fake({
      intercept: (received, response) => (deaf ? silentTo('ping')(received, response) : PONG(received, response)),
    });
    const provider = provide({ servers: { s: { url: server.url } }, healthCheck: { interval: 40 }, timeouts: { ping: 1_000 } });
    const ended: unknown[] = [];
    provider.on('disconnected', (event) => ended.push(event.server));
    const tools = await provider.tools();
    await expect.poll(() => server.sessions.size, { timeout: 5_000 }).toBe(0);
    expect(ended).toEqual(['s']);
    // Nothing is opened by the check itself.
    await later(150);
    expect(count(server, 'initialize')).toBe(1);
    deaf = false;
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(2);
    const pings = count(server, 'ping');
    await expect.poll(() => count(server, 'ping'), { timeout: 5_000 }).toBeGreaterThan(pings + 1);
    expect(server.sessions.size).toBe(1);
  });

  it('A11 a call that is under way on a connection that is given up may still be answered', async () => {
    const server = await fake({
      intercept: either(silentTo('ping'), async ({ message }) => {
        if (message.method === 'tools/call') await later(400);
        return false;
      }),
    });
    const provider = provide({ servers: { s: { url: server.url } }, healthCheck: { interval: 30 }, timeouts: { ping: 50 } });
    const tools = await provider.tools();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    await expect.poll(() => server.sessions.size).toBe(0);
    expect(server.executed).toHaveLength(1);
  });

  it('A11 nor does a call fail that only waits for `initialized` to be taken while its connection is given up', async () => {
    const held = gate();
    const server = await fake({
      intercept: either(silentTo('ping'), async ({ message }) => {
        if (message.method === 'notifications/initialized') await held.passed;
        return false;
      }),
    });
    const provider = provide({ servers: { s: { url: server.url } }, healthCheck: { interval: 30 }, timeouts: { ping: 50 } });
    const given = new Promise<void>((resolve) => provider.on('disconnected', () => resolve()));
    const tools = await provider.tools();
    const calling = call(tools, 's_echo');
    await given;
    held.open();
    expect(await calling).toBe('echo {}');
    expect(server.executed).toHaveLength(1);
  });

  it.each(['-32601', '401', '429'])('a server that answers its ping with %s is well', async (kind) => {
    const server = await fake({
      intercept: ({ message }, response) =>
        message.method === 'ping' && kind !== '-32601' ? status(response, Number(kind)) : false,
    });
    const provider = provide({ servers: { s: { url: server.url } }, healthCheck: { interval: 20 } });
    await provider.tools();
    await expect.poll(() => count(server, 'ping'), { timeout: 5_000 }).toBeGreaterThan(3);
    expect(server.sessions.size).toBe(1);
    expect(count(server, 'initialize')).toBe(1);
  });

  it('A8 nothing is asked after close, also where a ping was under way', async () => {
    const server = await fake({ intercept: silentTo('ping') });
    const provider = provide({ servers: { s: { url: server.url } }, healthCheck: { interval: 20 }, timeouts: { ping: 10_000 } });
    await provider.tools();
    await expect.poll(() => server.log()).toContain('ping');
    await provider.close();
    const asked = server.requests.length;
    await later(150);
    expect(server.requests.length).toBe(asked);
  });
});

describe('generations', () => {
  const scriptedServer = (hangs: boolean) =>
    scripted(({ id, method, params }, say) => {
      if (method === 'tools/list') say({ id, result: { tools: [{ name: 'work', inputSchema: {} }] } });
      if (method === 'tools/call' && !hangs) say({ id, result: { content: [{ type: 'text', text: String(params?.name) }] } });
      if (method === 'ping' && !hangs) say({ id, result: {} });
    });

  it('I3 L4J-23 what a connection that was given up still says is not heard, but its last call is answered', async () => {
    const [first, second] = [scriptedServer(true), scriptedServer(false)];
    const transports = [first, second];
    const provider = provide({
      servers: { s: { transport: () => transports.shift()?.transport as never } },
      healthCheck: { interval: 20 },
      timeouts: { ping: 500 },
    });
    const heard: unknown[] = [];
    provider.on('notification', ({ method }) => void heard.push(method));
    const generations: number[] = [];
    provider.on('connected', ({ generation }) => void generations.push(generation));
    const tools = await provider.tools();
    const hanging = call(tools, 's_work');
    const { id } = await first.until(({ method }) => method === 'tools/call');
    await new Promise<void>((resolve) => provider.on('disconnected', () => resolve()));
    // Given up, and nothing in its place yet.
    first.say({ method: 'notifications/custom' });
    expect(await call(tools, 's_work')).toBe('work');
    first.say({ method: 'notifications/tools/list_changed' });
    second.say({ method: 'notifications/present' });
    await expect.poll(() => heard).toContain('notifications/present');
    expect(heard).toEqual(['notifications/present']);
    expect(generations).toEqual([1, 2]);
    first.say({ id, result: { content: [{ type: 'text', text: 'late, but true' }] } });
    expect(await hanging).toBe('late, but true');
  });
});

describe('what is borrowed', () => {
  it('A11 L4J-23 a missed ping does not end a client that has no other to take its place', async () => {
    const server = await fake({ intercept: silentTo('ping') });
    const client = new Client({ name: 'mine', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const provider = provide({ servers: { s: { client } }, healthCheck: { interval: 20 }, timeouts: { ping: 40 } });
    const tools = await provider.tools();
    await expect.poll(() => count(server, 'ping'), { timeout: 5_000 }).toBeGreaterThan(1);
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(1);
    await client.close();
  });
});
