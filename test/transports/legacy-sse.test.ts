/** The deprecated HTTP+SSE transport under the SDK's client, and when a connection falls back to it. */

import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { McpToolSetError } from '../../src/errors.ts';
import { carry } from '../../src/transports/transport.ts';
import { json } from '../support/listen.ts';
import { ask, event, failure, gate, reply, serve, sse, until } from './http-support.ts';
import { connect, drive, SESSION, serveSse, spawnEverythingSse } from './legacy-sse-support.ts';

describe('L4J-54 the HTTP+SSE transport', () => {
  test('lists, calls and reads the everything server', async () => {
    const { url } = await spawnEverythingSse();
    const { client, driven } = await connect(url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.callTool({ name: 'echo', arguments: { message: `m${index}` } })),
    );
    expect(answers.map(({ content }) => (content[0] as { text: string }).text)).toEqual(
      Array.from({ length: 20 }, (_, index) => `Echo: m${index}`),
    );
    const progress: number[] = [];
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } },
      { onprogress: ({ progress: step }) => void progress.push(step) },
    );
    expect(progress.length).toBeGreaterThan(1);
    expect((await client.listResources()).resources.length).toBeGreaterThan(0);
    expect(driven.errors).toEqual([]);
    await client.close();
    expect(driven.closes()).toBe(1);
  });

  test('ends what is pending when the everything server dies, and the transport with it', async () => {
    const { url, stop } = await spawnEverythingSse();
    const { client, driven } = await connect(url);
    const calling = failure(client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 30, steps: 2 } }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await stop();
    expect(await calling).toMatchObject({ code: 'outcome_unknown', server: 'old' });
    await until(() => driven.closes() === 1);
    expect(driven.transport.failure).toMatchObject({ code: 'outcome_unknown' });
  });

  test('send resolves when the reply has been delivered, and the peer is filled in', async () => {
    const { sse: url } = await serveSse();
    const { request, messages } = drive(url);
    const peer = {};
    await request('ping', { peer }, {}, 7);
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
    expect(peer).toEqual({ requestId: 7, sessionId: SESSION });
  });

  test('a reply may come before its POST is answered, under another type of id, and in a batch', async () => {
    const server = await serveSse({
      intercept: ({ method, message }, _, { send }) => {
        if (method !== 'POST') return false;
        send([
          { jsonrpc: '2.0', method: 'notifications/message' },
          { jsonrpc: '2.0', id: String(message.id), result: {} },
        ]);
        return true;
      },
    });
    const { request, messages } = drive(server.sse);
    await request('ping', undefined, {}, 3);
    expect(messages).toEqual([
      { jsonrpc: '2.0', method: 'notifications/message' },
      { jsonrpc: '2.0', id: 3, result: {} },
    ]);
  });

  test('B5 an event without a name, CRLF, comments, several data lines and no last blank line are read', async () => {
    const server = await serveSse({
      intercept: ({ method, message }, response, { streams }) => {
        if (method !== 'POST') return false;
        response.writeHead(202).end();
        for (const stream of streams) {
          stream.write(': keep-alive\r\n\r\nevent: other\r\ndata: ignored\r\n\r\n');
          stream.end(`data: {"jsonrpc":"2.0",\r\ndata: "id":${message.id},"result":{}}\r\n`);
        }
        return true;
      },
    });
    const { request, messages, errors } = drive(server.sse);
    await request('ping');
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    expect(errors).toEqual([]);
  });

  test('what is no message is reported and skipped', async () => {
    const server = await serveSse();
    const { request, messages, errors } = drive(server.sse);
    await request('ping');
    for (const stream of server.streams)
      stream.write('data: not json\n\ndata: {"id":1}\n\ndata: {"jsonrpc":"2.0","id":99,"result":{}}\n\n');
    await request('ping', undefined, {}, 2);
    expect(messages).toHaveLength(2);
    expect(errors.map((error) => (error as McpToolSetError).code)).toEqual(['bad_response', 'bad_response']);
  });

  test('a reply that is no JSON-RPC ends its request at once', async () => {
    const server = await serveSse({
      intercept: ({ message }, response, { send }) => {
        if (message.id === undefined) return false;
        response.writeHead(202).end();
        send({ jsonrpc: '2.0', id: message.id, result: [1] });
        return true;
      },
    });
    expect(await failure(drive(server.sse).request('ping'))).toMatchObject({ code: 'bad_response' });
  });
});

describe('C4 headers', () => {
  test('are each request’s own, also on the stream, and a background message gets those of the handshake', async () => {
    const server = await serveSse();
    const { client, driven } = await connect(server.sse, { headers: () => new Headers({ 'x-user': 'nobody' }) });
    const headers = new Headers({ authorization: 'Bearer second', accept: 'text/html' });
    await ask(client, 'ping', {}, { headers: carry({ headers }) });
    await driven.transport.acknowledged;
    const of = (method: string) =>
      server.requests.find((request) => (request.message.method ?? request.method) === method)?.headers;
    expect(of('GET')).toMatchObject({ 'x-user': 'nobody', accept: 'text/event-stream' });
    expect(of('GET')).not.toHaveProperty('content-type');
    expect(of('notifications/initialized')).toMatchObject({ 'x-user': 'nobody' });
    expect(of('ping')).toMatchObject({ authorization: 'Bearer second', accept: 'application/json, text/event-stream' });
    expect(of('ping')).not.toHaveProperty('x-user');
  });

  test('that cannot be made fail the request, and nothing is sent', async () => {
    const server = await serveSse();
    const headers = (): Headers => {
      throw new Error('no token');
    };
    expect(await failure(drive(server.sse, { headers }).request('ping'))).toMatchObject({ code: 'unavailable' });
    expect(server.requests).toEqual([]);
  });
});

describe('N1 another place', () => {
  test.each([
    ['another origin', 'http://127.0.0.1:1/message'],
    ['another host', '//localhost/message'],
    ['a login', 'http://user:secret@127.0.0.1/message'],
    ['no URL', 'http://['],
  ])('an endpoint with %s is refused, and nothing is posted', async (_, endpoint) => {
    const server = await serveSse({ endpoint });
    const error = await failure(drive(server.sse).request('initialize'));
    expect(error).toMatchObject({ code: 'redirect_refused' });
    expect(error.message).not.toContain('secret');
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
    await until(() => server.streams.size === 0);
  });

  test('a redirect of the stream is followed on its own origin alone, and not at all where that is asked for', async () => {
    const other = await serveSse();
    let location = '/sse';
    const server = await serveSse({
      intercept: ({ path }, response) => path === '/old' && response.writeHead(308, { location }).end() && true,
    });
    const old = `http://127.0.0.1:${server.port}/old`;
    await drive(old).request('ping');
    expect(await failure(drive(old, { redirect: 'refuse' }).request('ping'))).toMatchObject({ code: 'redirect_refused' });
    location = other.sse;
    expect(await failure(drive(old).request('ping'))).toMatchObject({ code: 'redirect_refused' });
    expect(other.requests).toEqual([]);
  });

  test.each([302, 307])('a redirect %d of a message is refused, also to its own origin', async (status) => {
    const server = await serveSse({
      intercept: ({ method }, response) =>
        method === 'POST' && response.writeHead(status, { location: '/message' }).end() && true,
    });
    expect(await failure(drive(server.sse).request('tools/call'))).toMatchObject({ code: 'redirect_refused', data: { status } });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });
});

describe('B4 a message that is refused', () => {
  test.each([
    [400, 'http_error'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
    [500, 'http_error'],
    [503, 'http_error'],
  ])('with %d fails its request alone with %s', async (status, code) => {
    const server = await serveSse({
      intercept: ({ message }, response) =>
        message.method === 'tools/call' && response.writeHead(status).end(`about ${SESSION}`) && true,
    });
    const { client } = await connect(server.sse);
    const error = await failure(client.callTool({ name: 'echo' }));
    expect(error).toMatchObject({ code, data: { status } });
    expect(error.message).not.toContain(SESSION);
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  test('B1 with 404 says that the session is gone, once it has worked', async () => {
    const server = await serveSse({
      intercept: ({ message }, response) => message.method === 'tools/call' && response.writeHead(404).end() && true,
    });
    const { client } = await connect(server.sse);
    expect(await failure(client.callTool({ name: 'echo' }))).toMatchObject({ code: 'session_expired', data: { status: 404 } });
    const never = await serveSse({ endpoint: '/nowhere' });
    expect(await failure(drive(never.sse).request('initialize'))).toMatchObject({ code: 'http_error', data: { status: 404 } });
  });

  test('without a reply goes to onerror', async () => {
    const server = await serveSse({
      intercept: ({ message }, response) => message.method === 'notifications/x' && response.writeHead(500).end() && true,
    });
    const { request, transport, errors } = drive(server.sse);
    await request('ping');
    await transport.send({ jsonrpc: '2.0', method: 'notifications/x' });
    await until(() => errors.length === 1);
    expect(errors[0]).toMatchObject({ code: 'http_error' });
  });
});

describe('B3 a stream that goes', () => {
  test.each<[string, (server: Awaited<ReturnType<typeof serveSse>>) => void]>([
    ['ends', ({ streams }) => streams.forEach((stream) => void stream.end())],
    [
      'is reset in the middle of a frame',
      ({ streams }) => {
        for (const stream of streams) stream.write('data: {"json', () => stream.destroy());
      },
    ],
  ])('%s: what is pending fails as unknown, once, and later requests as not sent', async (_, go) => {
    const server = await serveSse({
      intercept: ({ message }, response) => message.method === 'tools/call' && response.writeHead(202).end() && true,
    });
    const { request, transport, closes, errors } = drive(server.sse);
    await request('ping');
    const pending = [2, 3].map((id) => failure(request('tools/call', undefined, {}, id)));
    await until(() => server.posted().length === 3);
    go(server);
    for (const error of await Promise.all(pending)) {
      expect(error.code).toBe('outcome_unknown');
      expect(error.message).toMatch(/tools\/call.*may have been executed/);
      expect(error.message).not.toContain(SESSION);
    }
    // Asked before `onclose` has told: the answer waits for that.
    expect(await failure(request('tools/call', undefined, {}, 4))).toMatchObject({ code: 'unavailable' });
    expect(closes()).toBe(1);
    expect(transport.failure).toMatchObject({ code: 'outcome_unknown' });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    await transport.close();
    expect(closes()).toBe(1);
    expect(errors).toEqual([]);
    expect(server.posted()).toHaveLength(3);
  });

  test('while nothing is under way leaves nothing unknown', async () => {
    const server = await serveSse();
    const { request, transport, closes } = drive(server.sse);
    await request('ping');
    server.streams.forEach((stream) => void stream.end());
    await until(() => closes() === 1);
    expect(transport.failure).toMatchObject({ code: 'unavailable' });
  });

  test.each<[string, string, string]>([
    ['before its endpoint', 'bad_response', ''],
    ['in the middle of it', 'unavailable', 'event: endpoint\ndata: /mes'],
  ])('%s: the first request fails and nothing is posted', async (_, code, text) => {
    const server = await serve((_request, response) => {
      sse(response);
      if (text === '') response.end();
      else response.write(text, () => response.destroy());
    });
    expect(await failure(drive(server.url).request('initialize'))).toMatchObject({ code });
    expect(server.requests).toHaveLength(1);
  });
});

test('A21 a message past the cap ends the connection, however it comes', async () => {
  for (const ending of ['', '\n\n']) {
    const server = await serveSse({
      intercept: ({ message }, response, { streams }) => {
        if (message.method !== 'tools/call') return false;
        response.writeHead(202).end();
        for (const stream of streams) stream.write(`data: ${'x'.repeat(200_000)}${ending}`);
        return true;
      },
    });
    const { request, transport, closes } = drive(server.sse, { maxResponseBytes: 100_000 });
    await request('ping');
    const error = await failure(request('tools/call', undefined, {}, 2));
    expect(error).toMatchObject({ code: 'too_large', data: { maxResponseBytes: 100_000 } });
    await until(() => closes() === 1 && server.streams.size === 0);
    expect(transport.failure).toMatchObject({ code: 'too_large' });
  }
});

test('a stream may be longer than the cap, of which each message is shorter', async () => {
  const server = await serveSse();
  const { request } = drive(server.sse, { maxResponseBytes: 300 });
  for (let id = 1; id <= 20; id++) await request('tools/call', undefined, {}, id);
});

describe('H1 an abort', () => {
  test('before sending: rejects with the reason as it is, and nothing is sent', async () => {
    const server = await serveSse();
    const reason = { my: 'reason' };
    await expect(drive(server.sse).request('ping', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test.each<[string, string | undefined, (path: string) => boolean]>([
    ['while the stream has no headers', undefined, (path) => path === '/sse'],
    ['while the endpoint is not named', undefined, () => false],
    ['while the POST is not answered', `/message?sessionId=${SESSION}`, (path) => path.startsWith('/message')],
  ])('%s: rejects at once and lets go of everything', async (_, endpoint, holds) => {
    const server = await serveSse({ endpoint, intercept: ({ path }) => holds(path) });
    const controller = new AbortController();
    const { request, errors, transport } = drive(server.sse);
    const sending = request('tools/call', { signal: controller.signal });
    await until(() => server.requests.length === (endpoint === undefined ? 1 : 2));
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort('enough');
    await expect(sending).rejects.toBe('enough');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    if (endpoint === undefined) await until(() => server.open.size === 0);
    await transport.close();
    await until(() => server.open.size === 0);
    expect(errors).toEqual([]);
  });

  test('of one call leaves the others alone, tells the server, and its late reply is ignored', async () => {
    const held = gate();
    const server = await serveSse({
      intercept: async (request, response, { send }) => {
        if (request.message.method !== 'tools/call' || request.message.params?.name !== 'slow') return false;
        response.writeHead(202).end();
        await held.opened;
        send(reply(request));
        return true;
      },
    });
    const { client, driven } = await connect(server.sse);
    const controller = new AbortController();
    const { signal } = controller;
    const slow = client.callTool({ name: 'slow' }, { signal, headers: carry({ signal }) });
    await until(() => server.posted().includes('tools/call'));
    controller.abort('stop');
    await expect(slow).rejects.toThrow();
    await until(() => server.posted().includes('notifications/cancelled'));
    held.open();
    expect(await client.callTool({ name: 'echo' })).toMatchObject({ content: [{ text: 'called' }] });
    expect(driven.errors).toEqual([]);
  });

  test('leaves nothing that waits: a late reply goes to nobody', async () => {
    const server = await serveSse({
      intercept: ({ message }, response) => message.method === 'slow' && response.writeHead(202).end() && true,
    });
    const { request, messages, errors } = drive(server.sse);
    await request('ping');
    const controller = new AbortController();
    const slow = request('slow', { signal: controller.signal }, {}, 2);
    await until(() => server.posted().includes('slow'));
    controller.abort('enough');
    await expect(slow).rejects.toBe('enough');
    server.send({ jsonrpc: '2.0', id: 2, result: {} });
    await request('ping', undefined, {}, 3);
    expect(messages).toEqual([1, 3].map((id) => ({ jsonrpc: '2.0', id, result: {} })));
    expect(errors).toEqual([]);
  });

  test('of who opened the stream costs nobody else the stream', async () => {
    const held = gate();
    const server = await serveSse({
      intercept: async ({ path }) => {
        if (path === '/sse') await held.opened;
        return false;
      },
    });
    const controller = new AbortController();
    const { request } = drive(server.sse);
    const first = request('ping', { signal: controller.signal });
    const second = request('ping', undefined, {}, 2);
    await until(() => server.requests.length === 1);
    controller.abort('mine alone');
    await expect(first).rejects.toBe('mine alone');
    held.open();
    await second;
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });
});

describe('close', () => {
  test('ends what is pending with `closed`, and the stream', async () => {
    const server = await serveSse({ intercept: ({ message }) => message.method === 'tools/call' });
    const { request, transport, closes } = drive(server.sse);
    await request('ping');
    const pending = failure(request('tools/call', undefined, {}, 2));
    await until(() => server.posted().length === 2);
    await Promise.all([transport.close(), transport.close()]);
    expect(await pending).toMatchObject({ code: 'closed' });
    await until(() => server.open.size === 0);
    expect(closes()).toBe(1);
    expect(await failure(request('ping'))).toMatchObject({ code: 'closed' });
    expect(await failure(transport.start())).toMatchObject({ code: 'closed' });
  });

  test('while it opens leaves no stream behind', async () => {
    const server = await serveSse({ endpoint: undefined });
    const { request, transport } = drive(server.sse);
    const opening = failure(request('initialize'));
    await until(() => server.streams.size === 1);
    await transport.close();
    expect(await opening).toMatchObject({ code: 'closed' });
    await until(() => server.open.size === 0);
  });
});

test('a stream that is none of this transport is told by what it is', async () => {
  const html = await serve((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'));
  expect((await failure(drive(html.url).request('initialize'))).message).toMatch(
    /text\/html instead of an event stream.*Sign in/,
  );
  const refused = await failure(drive('http://127.0.0.1:1/sse').request('initialize'));
  expect(refused).toMatchObject({ code: 'unavailable' });
  const other = await serve((request, response) =>
    request.method === 'GET' ? sse(response, event({}), true) : json(response, {}),
  );
  expect(await failure(drive(other.url).request('initialize'))).toMatchObject({ code: 'bad_response' });
});

test('a stream that has named its endpoint stays open', async () => {
  const server = await serveSse();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { request, transport } = drive(server.sse);
  await request('ping');
  vi.advanceTimersByTime(3_600_000);
  await request('ping', undefined, {}, 2);
  expect(transport.listening).toBe(true);
  expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
});

test('a stream that never names its endpoint is given up in time', async () => {
  const server = await serveSse({ endpoint: undefined });
  const { request } = drive(server.sse);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sending = failure(request('initialize'));
  const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
  while (server.streams.size === 0 || vi.getTimerCount() === 0) await turn();
  vi.advanceTimersByTime(10_000);
  const error = await sending;
  expect(error.code).toBe('bad_response');
  expect(error.message).toContain('named no endpoint within 10000 ms');
  while (server.open.size > 0) await turn();
});
