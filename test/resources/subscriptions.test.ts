import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createMcpToolProvider, type McpToolProvider, type ResourceUpdate } from '../../src/index.ts';
import { stdio } from '../../src/node/index.ts';
import { type Everything, MEMORY, startEverything } from '../support/reference.ts';
import { shelf } from './support.ts';

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

function provide(servers: Parameters<typeof createMcpToolProvider>[0]['servers']): McpToolProvider {
  const provider = createMcpToolProvider({ servers, onWarning: false });
  ended.push(() => provider.close());
  return provider;
}

/** Keeps what was told. */
function ear() {
  const heard: ResourceUpdate[] = [];
  return { heard, listener: (update: ResourceUpdate) => void heard.push(update) };
}

async function modernServer(port = 0) {
  const seen: string[] = [];
  const names = ['a', 'b'];
  let text = 'first';
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: 'modern', version: '1' },
      { capabilities: { resources: { listChanged: true, subscribe: true } } },
    );
    for (const name of names) {
      server.registerResource(name, `file:///${name}`, {}, (uri) => ({ contents: [{ uri: uri.href, text }], ttlMs: 60_000 }));
    }
    return server;
  });
  const node = toNodeHandler(handler);
  const http = createServer((request, response) => {
    seen.push(String(request.headers['mcp-method']));
    void node(request as Parameters<typeof node>[0], response);
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<unknown> =>
    new Promise((resolve) => {
      http.close(resolve);
      http.closeAllConnections();
    });
  ended.push(close);
  const address = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    port: address.port,
    handler,
    names,
    seen,
    close,
    write(next: string) {
      text = next;
    },
  };
}

describe('I3 list_changed', () => {
  it('drops the list and what was read, while somebody listens', async () => {
    const server = await modernServer();
    const provider = provide({ modern: { url: server.url } });
    await provider.resources.subscribe({ server: 'modern', uri: 'file:///b' }, () => {});
    const count = async (): Promise<number> => {
      let rows = 0;
      for await (const _ of provider.resources.list()) rows++;
      return rows;
    };
    const text = async () => (await provider.resources.read({ server: 'modern', uri: 'file:///a' }))[0]?.text;
    expect([await count(), await text()]).toEqual([2, 'first']);
    server.write('second');
    expect([await count(), await text()]).toEqual([2, 'first']);
    server.names.push('c');
    server.handler.notify.resourcesChanged();
    await expect.poll(count).toBe(3);
    expect(await text()).toBe('second');
  });
});

describe('L4J-33 resources.subscribe', () => {
  it('the memory server tells of a write, until nobody listens any more', async () => {
    const provider = provide({ memory: stdio({ command: process.execPath, args: [MEMORY] }) });
    const { heard, listener } = ear();
    const uri = 'memory://knowledge-graph';
    const end = await provider.resources.subscribe({ server: 'memory', uri }, listener);
    const before = await provider.resources.read({ server: 'memory', uri });
    const write = (name: string) =>
      provider.callTool({
        server: 'memory',
        tool: 'create_entities',
        input: { entities: [{ name, entityType: 'thing', observations: ['seen'] }] },
      });
    const name = `thing-${Date.now()}`;
    await write(name);
    await expect.poll(() => heard).toEqual([{ server: 'memory', uri, reason: 'updated' }]);
    expect(await provider.resources.read({ server: 'memory', uri })).not.toEqual(before);
    await end();
    await write(`${name}-2`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toHaveLength(1);
    await provider.callTool({ server: 'memory', tool: 'delete_entities', input: { entityNames: [name, `${name}-2`] } });
  });

  it('over HTTP in the legacy era, restored after the server came back', async () => {
    let server: Everything = await startEverything();
    ended.push(() => server.stop());
    const provider = provide({ every: { url: server.url, protocol: '2025-06-18' } });
    const { heard, listener } = ear();
    const uri = 'demo://resource/dynamic/text/1';
    await provider.resources.subscribe({ server: 'every', uri }, listener);
    await provider.callTool({ server: 'every', tool: 'toggle-subscriber-updates' });
    await expect.poll(() => heard.length, { timeout: 8_000 }).toBeGreaterThan(0);
    expect(heard[0]).toEqual({ server: 'every', uri, reason: 'updated' });
    const { port } = server;
    await server.stop();
    heard.length = 0;
    server = await startEverything(port);
    await expect.poll(() => heard.some(({ reason }) => reason === 'reconnected'), { timeout: 15_000 }).toBe(true);
    await provider.callTool({ server: 'every', tool: 'toggle-subscriber-updates' });
    await expect.poll(() => heard.some(({ reason }) => reason === 'updated'), { timeout: 10_000 }).toBe(true);
  }, 60_000);

  it('in the modern era, for several resources at once, restored after the stream was cut; what was read is dropped', async () => {
    const server = await modernServer();
    const provider = provide({ modern: { url: server.url } });
    const [a, b] = [ear(), ear()];
    await provider.resources.subscribe({ server: 'modern', uri: 'file:///a' }, a.listener);
    const endB = await provider.resources.subscribe({ server: 'modern', uri: 'file:///b' }, b.listener);
    expect(await provider.resources.read({ server: 'modern', uri: 'file:///a' })).toMatchObject([{ text: 'first' }]);
    server.write('second');
    expect(await provider.resources.read({ server: 'modern', uri: 'file:///a' })).toMatchObject([{ text: 'first' }]);
    server.handler.notify.resourceUpdated('file:///a');
    await expect.poll(() => a.heard.at(-1)?.reason).toBe('updated');
    expect(b.heard).toEqual([]);
    expect(await provider.resources.read({ server: 'modern', uri: 'file:///a' })).toMatchObject([{ text: 'second' }]);
    await endB();
    await server.close();
    a.heard.length = 0;
    const again = await modernServer(server.port);
    await expect.poll(() => a.heard.some(({ reason }) => reason === 'reconnected'), { timeout: 15_000 }).toBe(true);
    again.handler.notify.resourceUpdated('file:///a');
    await expect.poll(() => a.heard.at(-1)?.reason).toBe('updated');
    expect(b.heard.filter(({ reason }) => reason === 'updated')).toEqual([]);
    expect(server.seen).not.toContain('resources/subscribe');
  }, 30_000);

  it('ends with its owner: by signal, by `removeServer`, by `close`; no stream stays open', async () => {
    const server = await modernServer();
    const provider = provide({ modern: { url: server.url }, other: { url: server.url } });
    const controller = new AbortController();
    const { heard, listener } = ear();
    await provider.resources.subscribe({ server: 'modern', uri: 'file:///a', signal: controller.signal }, listener);
    await provider.resources.subscribe({ server: 'other', uri: 'file:///a' }, listener);
    controller.abort();
    await provider.removeServer('other');
    await new Promise((resolve) => setTimeout(resolve, 100));
    heard.length = 0;
    server.handler.notify.resourceUpdated('file:///a');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard).toEqual([]);
    await expect(provider.resources.subscribe({ server: 'other', uri: 'file:///a' }, listener)).rejects.toMatchObject({
      code: 'unavailable',
    });
    await provider.close();
    await expect(provider.resources.subscribe({ server: 'modern', uri: 'file:///a' }, listener)).rejects.toMatchObject({
      code: 'closed',
    });
  });

  it('a server that tells nobody says so, one that refuses keeps nothing, and a listener that throws breaks nothing', async () => {
    const silent = await shelf({ resources: [{ uri: 'x://r' }] });
    const refusing = await shelf({
      resources: [{ uri: 'x://r' }],
      capabilities: { resources: { subscribe: true } },
      answer: ({ message }) =>
        message.method === 'resources/subscribe' ? { error: { code: -32602, message: 'no such' } } : undefined,
    });
    const modern = await modernServer();
    const provider = provide({ silent: { url: silent.url }, refusing: { url: refusing.url }, modern: { url: modern.url } });
    const { heard, listener } = ear();
    const at = (server: string) => provider.resources.subscribe({ server, uri: 'x://r' }, listener);
    await expect(at('silent')).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(at('refusing')).rejects.toMatchObject({ code: 'protocol_error' });
    const broken = (): never => {
      throw new Error('broken');
    };
    await provider.resources.subscribe({ server: 'modern', uri: 'file:///a' }, broken);
    await provider.resources.subscribe({ server: 'modern', uri: 'file:///a' }, listener);
    modern.handler.notify.resourceUpdated('file:///a');
    await expect.poll(() => heard).toEqual([{ server: 'modern', uri: 'file:///a', reason: 'updated' }]);
  });

  it('a server that is down when somebody subscribes is an error at once', async () => {
    const provider = provide({ gone: { url: 'http://127.0.0.1:9/mcp' } });
    await expect(provider.resources.subscribe({ server: 'gone', uri: 'x://r' }, () => {})).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
