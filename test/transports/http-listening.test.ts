import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FetchLike } from '../../src/servers.ts';
import type { MessageOrigin } from '../../src/transports/transport.ts';
import { json } from '../support/listen.ts';
import { spawnEverything } from './everything.ts';
import {
  ask,
  connect,
  type Driven,
  drive,
  event,
  gate,
  type Handler,
  legacy,
  reply,
  type Served,
  serve,
  sse,
  until,
} from './http-support.ts';

const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const quick = 'retry: 1\n\n';
const isGet = ({ method }: { method: string }): boolean => method === 'GET';
const gets = (server: Served): Served['requests'] => server.requests.filter(isGet);

/** A server of the legacy era whose GETs go to the handler, each with its number. */
function serveGets(onGet: (response: ServerResponse, n: number) => void, otherwise?: Handler): Promise<Served> {
  let n = 0;
  return serve((request, response) => (isGet(request) ? onGet(response, n++) : legacy(otherwise)(request, response)));
}

function watch({ transport }: Driven): boolean[] {
  const changes: boolean[] = [];
  transport.onlistening = (open) => void changes.push(open);
  return changes;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

afterEach(() => void vi.unstubAllGlobals());

test('nothing is opened unless it is wanted; then messages arrive, without an origin', async () => {
  const server = await serveGets((response) => sse(response, event(changed)));
  const { driven } = await connect(server.url, { headers: () => new Headers({ authorization: 'Bearer me' }) });
  const changes = watch(driven);
  const origins: unknown[] = [];
  driven.transport.onmessage = (message, extra) => void origins.push(message, (extra as MessageOrigin).origin);
  expect(driven.transport.listening).toBe(false);
  await pause(30);
  expect(gets(server)).toHaveLength(0);
  driven.transport.listen();
  driven.transport.listen();
  await until(() => origins.length > 0);
  expect(origins).toEqual([changed, undefined]);
  expect([driven.transport.listening, changes]).toEqual([true, [true]]);
  expect(gets(server)).toHaveLength(1);
  expect(gets(server)[0]?.headers).toMatchObject({
    accept: 'text/event-stream',
    authorization: 'Bearer me',
    'mcp-session-id': 'session-1',
    'mcp-protocol-version': '2025-11-25',
  });
  driven.transport.unlisten();
  expect([driven.transport.listening, changes]).toEqual([false, [true, false]]);
  await until(() => server.open.size === 0);
  driven.transport.listen();
  await until(() => driven.transport.listening);
  expect(driven.errors).toEqual([]);
});

describe('a refusal means that there is none', () => {
  test.each([400, 404, 405, 406, 410, 501])('B1 B2 B17 %i: asked once, no error, and the session goes on', async (status) => {
    const server = await serveGets((response) => void response.writeHead(status).end('no'));
    const { client, driven } = await connect(server.url);
    const changes = watch(driven);
    driven.transport.listen();
    await until(() => gets(server).length === 1);
    await pause(50);
    // Not even a new wish makes it ask again.
    driven.transport.unlisten();
    driven.transport.listen();
    await pause(50);
    expect(gets(server)).toHaveLength(1);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
    expect(driven.transport.sessionId).toBe('session-1');
    expect([driven.transport.listening, changes, driven.errors]).toEqual([false, [], []]);
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('%i is told, once', async (status, code) => {
    const server = await serveGets((response) => void response.writeHead(status).end('no'));
    const { client, driven } = await connect(server.url);
    driven.transport.listen();
    await until(() => driven.errors.length > 0);
    driven.transport.unlisten();
    driven.transport.listen();
    await pause(50);
    expect(driven.errors).toEqual([expect.objectContaining({ code, server: 'docs', data: { status } })]);
    expect(gets(server)).toHaveLength(1);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
  });

  test('B14 a page in its place', async () => {
    const server = await serveGets((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'));
    const { driven } = await connect(server.url);
    driven.transport.listen();
    await until(() => gets(server).length === 1);
    await pause(50);
    driven.transport.unlisten();
    driven.transport.listen();
    await pause(50);
    expect([gets(server).length, driven.transport.listening, driven.errors]).toEqual([1, false, []]);
  });

  test('N1 N2 a redirect to another place is not followed', async () => {
    const target = await serve((_, response) => sse(response, event(changed)));
    const server = await serveGets((response) => void response.writeHead(307, { location: target.url }).end());
    const { driven } = await connect(server.url, { headers: () => new Headers({ 'x-api-key': 'abcdefgh' }) });
    driven.transport.listen();
    await until(() => driven.errors.length > 0);
    await pause(50);
    expect(driven.errors).toEqual([expect.objectContaining({ code: 'redirect_refused' })]);
    expect([gets(server).length, target.requests.length]).toEqual([1, 0]);
  });
});

describe('an end is no error', () => {
  test('B12 K1 it is opened again, quietly, after the last event and no sooner than `retry` says', async () => {
    const server = await serveGets((response, n) => {
      if (n === 0) sse(response, `retry: 200\nid: seven\n${event(changed)}`, true);
      else sse(response, event(changed));
    });
    const { driven } = await connect(server.url);
    const changes = watch(driven);
    const count = (): number => driven.messages.filter((message) => 'method' in message).length;
    driven.transport.listen();
    await until(() => count() === 1);
    const ended = performance.now();
    await until(() => count() === 2);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(150);
    expect(gets(server).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'seven']);
    expect(changes).toEqual([true, false, true]);
    expect(driven.errors).toEqual([]);
  });

  test('K1 many ends in a row are fine as long as something comes in between', async () => {
    const server = await serveGets((response) => sse(response, quick + event(changed), true));
    const { driven } = await connect(server.url);
    driven.transport.listen();
    await until(() => gets(server).length > 10);
    driven.transport.unlisten();
    expect(driven.errors).toEqual([]);
  });

  const failures: [string, (response: ServerResponse) => void][] = [
    ['an end at once', (response) => sse(response, quick, true)],
    [
      'B3 a reset in the middle of a frame',
      (response) => {
        sse(response, `${quick}data: {"jsonrpc"`);
        setTimeout(() => response.socket?.resetAndDestroy(), 5);
      },
    ],
    ['an event above the cap', (response) => sse(response, `${quick}data: ${'x'.repeat(5_000)}\n\n`)],
  ];
  test.each(failures)('%s, each time: it is given up, and asked again only on a new wish', async (_, fail) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const server = await serveGets((response) => fail(response));
    const { client, driven } = await connect(server.url, { maxResponseBytes: 1_000 });
    driven.transport.listen();
    await until(() => gets(server).length === 6);
    await pause(300);
    expect(gets(server)).toHaveLength(6);
    expect([driven.transport.listening, driven.errors]).toEqual([false, []]);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
    driven.transport.listen();
    await until(() => gets(server).length > 6);
    driven.transport.unlisten();
    process.off('unhandledRejection', onRejection);
    expect(rejections).toEqual([]);
  });

  test.each(['503', 'the network'])('%s is waited out', async (kind) => {
    const server = await serveGets((response, n) => {
      if (n === 0) sse(response, quick + event(changed), true);
      else if (n > 2) sse(response, event(changed));
      else if (kind === '503') response.writeHead(503).end();
      else response.socket?.destroy();
    });
    const { driven } = await connect(server.url);
    driven.transport.listen();
    await until(() => gets(server).length === 4 && driven.transport.listening);
    expect(driven.errors).toEqual([]);
  });
});

describe('nothing of it outlives', () => {
  const phases: [string, (response: ServerResponse) => void][] = [
    ['an open stream', (response) => sse(response)],
    ['the wait for its headers', () => {}],
    ['the pause before the next', (response) => sse(response, 'retry: 80\n\n', true)],
  ];
  for (const way of ['unlisten', 'close'] as const) {
    test.each(phases)(`${way}() ends %s`, async (_, onGet) => {
      const server = await serveGets(onGet);
      const { driven } = await connect(server.url);
      driven.transport.listen();
      await until(() => gets(server).length === 1);
      await pause(30);
      await driven.transport[way]();
      expect(driven.transport.listening).toBe(false);
      await until(() => server.open.size === 0);
      await pause(200);
      expect(gets(server)).toHaveLength(1);
      expect(driven.errors).toEqual([]);
    });
  }

  test('a closed transport does not listen', async () => {
    const server = await serveGets((response) => sse(response));
    const { driven } = await connect(server.url);
    await driven.transport.close();
    driven.transport.listen();
    await pause(50);
    expect(gets(server)).toHaveLength(0);
  });

  test('a fetch that ignores its signal does not hold up the end, and its late stream is let go of', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const held = gate();
    const deaf: FetchLike = async () => {
      await held.opened;
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const { transport } = drive('https://docs.example.com/mcp', { fetch: deaf });
    transport.listen();
    await pause(10);
    await transport.close();
    held.open();
    await until(() => cancelled);
    expect(transport.listening).toBe(false);
  });
});

test('J7 nothing is opened where I/O belongs to its request', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  const server = await serveGets((response) => sse(response));
  const { driven } = await connect(server.url);
  driven.transport.listen();
  await pause(50);
  expect([gets(server).length, driven.transport.listening]).toEqual([0, false]);
});

test('H6 a server’s ping on it is answered', async () => {
  const server = await serveGets((response) => sse(response, event({ jsonrpc: '2.0', id: 'q1', method: 'ping' })));
  const { driven } = await connect(server.url);
  driven.transport.listen();
  await until(() => server.requests.some(({ message }) => message.id === 'q1'));
  expect(server.requests.find(({ message }) => message.id === 'q1')?.message).toEqual({ jsonrpc: '2.0', id: 'q1', result: {} });
});

test('a reply that comes on it, rather than on its own stream, ends the request and its stream', async () => {
  let stream: ServerResponse | undefined;
  const server = await serveGets(
    (response) => {
      stream = response;
      sse(response);
    },
    (request, response) => {
      if (request.message.method === 'ping') return json(response, reply(request));
      sse(response, ': elsewhere\n\n');
      setTimeout(() => stream?.write(event(reply(request))), 20);
    },
  );
  const { client, driven } = await connect(server.url);
  driven.transport.listen();
  await until(() => driven.transport.listening);
  expect(await ask(client, 'tools/call', { name: 'x' })).toEqual({ ok: true });
  await until(() => server.open.size === 1);
  expect(driven.transport.listening).toBe(true);
  expect(driven.errors).toEqual([]);
});

test('the everything server tells on it', async () => {
  const { url } = await spawnEverything();
  const { client, driven } = await connect(url);
  const told: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void told.push(method);
  driven.transport.listen();
  await until(() => driven.transport.listening);
  await client.callTool({ name: 'toggle-simulated-logging', arguments: {} });
  await until(() => told.includes('notifications/message'));
  await client.close();
  expect(driven.transport.listening).toBe(false);
});
