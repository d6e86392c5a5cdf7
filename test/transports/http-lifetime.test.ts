import { getEventListeners } from 'node:events';
import { Client } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { FetchLike } from '../../src/servers.ts';
import { HttpTransport } from '../../src/transports/http.ts';
import { carry } from '../../src/transports/transport.ts';
import { json, listen } from '../support/listen.ts';
import {
  ask,
  connect,
  drive,
  event,
  failure,
  gate,
  type Handler,
  legacy,
  reply,
  type Served,
  serve,
  sse,
  until,
} from './http-support.ts';

/** Ways in which a server can leave a request hanging. */
const hanging: [string, Handler][] = [
  ['before the headers', () => {}],
  [
    'in the middle of JSON',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc"'),
  ],
  ['in the middle of SSE', (_, response) => sse(response, ': waiting\n\n')],
  ['in the body of an error', (_, response) => void response.writeHead(500).write('x')],
  ['in a body of no use', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('x')],
];

/** A reply whose body gives nothing and does not know of any signal. */
function endless(type: string): { readonly response: Response; readonly cancelled: () => boolean } {
  let cancelled = false;
  const body = new ReadableStream({
    cancel() {
      cancelled = true;
    },
  });
  return { response: new Response(body, { headers: { 'content-type': type } }), cancelled: () => cancelled };
}

function started(server: Served): Promise<void> {
  // The reply was begun and had time to arrive.
  return until(() => server.open.size > 0).then(() => new Promise((resolve) => setTimeout(resolve, 30)));
}

describe('H1 a caller’s abort', () => {
  test('before sending: rejects with the reason as it is, and nothing is sent', async () => {
    const server = await serve(legacy());
    const reason = { my: 'reason' };
    await expect(drive(server.url).request('ping', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test.each(hanging)('%s: rejects at once and the server sees its connection closed', async (_, handler) => {
    const server = await serve(handler);
    const controller = new AbortController();
    const { request, errors } = drive(server.url);
    const reason = new Error('stop');
    const sending = request('tools/call', { signal: controller.signal });
    await started(server);
    controller.abort(reason);
    await expect(sending).rejects.toBe(reason);
    await until(() => server.open.size === 0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(errors).toEqual([]);
  });

  test('while the headers are being made', async () => {
    const controller = new AbortController();
    const { request } = drive('http://127.0.0.1:1/mcp', { headers: () => new Promise(() => {}) });
    const sending = request('ping', { signal: controller.signal });
    controller.abort('enough');
    await expect(sending).rejects.toBe('enough');
  });

  test('under a fetch that ignores its signal, whose late reply is let go of', async () => {
    const called = gate();
    const held = gate();
    const { response, cancelled } = endless('text/event-stream');
    const deaf: FetchLike = async () => {
      called.open();
      await held.opened;
      return response;
    };
    const controller = new AbortController();
    const sending = drive('https://docs.example.com/mcp', { fetch: deaf }).request('ping', { signal: controller.signal });
    await called.opened;
    controller.abort('enough');
    await expect(sending).rejects.toBe('enough');
    expect(cancelled()).toBe(false);
    held.open();
    await until(cancelled);
  });

  test('under a body that ignores its signal', async () => {
    const { response, cancelled } = endless('application/json');
    const controller = new AbortController();
    const { request } = drive('https://docs.example.com/mcp', { fetch: async () => response });
    const sending = request('ping', { signal: controller.signal });
    setTimeout(() => controller.abort('enough'), 10);
    await expect(sending).rejects.toBe('enough');
    expect(cancelled()).toBe(true);
  });

  test('after the reply: nothing happens', async () => {
    const server = await serve((request, response) => sse(response, event(reply(request))));
    const controller = new AbortController();
    const { request, messages } = drive(server.url);
    const sending = request('ping', { signal: controller.signal });
    await until(() => messages.length === 1);
    controller.abort();
    await sending;
  });

  test('legacy era: a real client’s call ends, the stream is closed and the server is told', async () => {
    const server = await serve(legacy((_, response) => sse(response, ': waiting\n\n')));
    const { client } = await connect(server.url);
    const controller = new AbortController();
    const { signal } = controller;
    const calling = client.callTool({ name: 'slow' }, { signal, headers: carry({ signal, headers: new Headers() }) });
    await started(server);
    controller.abort(new Error('stop'));
    await expect(calling).rejects.toThrow();
    await until(() => server.open.size === 0);
    await until(() => server.requests.some(({ message }) => message.method === 'notifications/cancelled'));
  });

  test('modern era: a real server sees the call’s stream closed', async () => {
    let ended = false;
    const handler = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: 'modern', version: '1' });
        server.registerTool('slow', { inputSchema: z.object({}) }, async (_args, { mcpReq: { signal } }) => {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
          ended = true;
          return { content: [] };
        });
        return server;
      }),
    );
    const server = await listen(
      (received, response, raw) => handler(raw as never, response as never, received.message) as Promise<void>,
    );
    onTestFinished(() => server.close());
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(drive(server.url).transport);
    const controller = new AbortController();
    const calling = client.callTool({ name: 'slow' }, { signal: controller.signal });
    await until(() => server.requests.some(({ message }) => message.method === 'tools/call'));
    controller.abort();
    await expect(calling).rejects.toThrow();
    await until(() => ended);
    await client.close();
  });
});

describe('nothing is left behind', () => {
  test('K2 50 calls with one signal leave no listener, whatever became of them', async () => {
    const ways: Handler[] = [
      (request, response) => json(response, reply(request)),
      (request, response) => sse(response, event(reply(request)), true),
      (request, response) => sse(response, event(reply(request))),
      (_, response) => void response.writeHead(500).end(),
      (_, response) => void response.socket?.destroy(),
    ];
    const server = await serve((request, response) => ways[Number(request.message.id) % ways.length]?.(request, response));
    const controller = new AbortController();
    const requestSignal = new AbortController();
    const { transport } = drive(server.url);
    const answered = new Set<unknown>();
    transport.onmessage = (message) => void answered.add('id' in message && message.id);
    const options = { headers: carry({ signal: controller.signal }), requestSignal: requestSignal.signal };
    for (let id = 0; id < 50; id += 5) {
      const ids = [id, id + 1, id + 2, id + 3, id + 4];
      await Promise.allSettled(ids.map((one) => transport.send({ jsonrpc: '2.0', id: one, method: 'ping' }, options)));
    }
    expect(answered.size).toBe(30);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    expect(getEventListeners(requestSignal.signal, 'abort')).toHaveLength(0);
  });

  test('K2 a caller with its answer has no listener left, though the stream is still open', async () => {
    const server = await serve(legacy((request, response) => sse(response, event(reply(request)))));
    const { client } = await connect(server.url);
    const { signal } = new AbortController();
    for (let n = 0; n < 5; n++) {
      await ask(client, 'ping', {}, { signal, headers: carry({ signal, headers: new Headers() }) });
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
  });

  test('no request is open after close, and connections were used again', async () => {
    const server = await serve(legacy());
    const { client } = await connect(server.url);
    for (let n = 0; n < 10; n++) await ask(client, 'ping');
    await client.close();
    expect(server.open.size).toBe(0);
    expect(server.sockets.size).toBeLessThanOrEqual(3);
  });

  test('every body is read to its end or cancelled', async () => {
    const kinds: [number, Record<string, string>, string][] = [
      [200, { 'content-type': 'application/json' }, '{"jsonrpc":"2.0","id":1,"result":{}}'],
      [200, { 'content-type': 'application/json' }, 'oops'],
      [200, { 'content-type': 'application/json', 'content-length': '99999' }, 'oops'],
      [200, { 'content-type': 'text/event-stream' }, event({ jsonrpc: '2.0', id: 1, result: {} })],
      [200, { 'content-type': 'text/html' }, '<p>'],
      [202, {}, 'x'],
      [307, { location: '/other' }, 'x'],
      [302, { location: '/other' }, 'x'],
      [401, {}, 'x'],
      [500, {}, 'x'],
    ];
    for (const [status, headers, text] of kinds) {
      let state = 'open';
      const body = new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(new TextEncoder().encode(text));
            controller.close();
            state = 'ended';
          },
          cancel() {
            state = 'cancelled';
          },
        },
        { highWaterMark: 0 },
      );
      const { request } = drive('https://docs.example.com/mcp', {
        maxResponseBytes: 9_999,
        redirect: 'refuse',
        fetch: async () => new Response(body, { status, headers }),
      });
      await request('ping').catch(() => {});
      expect([status, text, state]).toEqual([status, text, expect.stringMatching(/ended|cancelled/)]);
    }
  });
});

describe('close', () => {
  test.each(hanging)('ends what waits %s with `closed`', async (_, handler) => {
    const server = await serve(handler);
    const { request, transport } = drive(server.url);
    const sending = failure(request('tools/call'));
    await started(server);
    await transport.close();
    expect(await sending).toMatchObject({
      code: 'closed',
      server: 'docs',
      message: expect.stringContaining('Create a new tool set'),
    });
    await until(() => server.open.size === 0);
  });

  test('B16 ends pending work, then the session, then tells; and only once', async () => {
    const order: string[] = [];
    const server = await serve((request, response) => {
      if (request.method === 'DELETE') order.push('DELETE');
      return legacy((_, held) => sse(held))(request, response);
    });
    const { client, driven } = await connect(server.url, { headers: () => new Headers({ authorization: 'Bearer closer' }) });
    const { transport } = driven;
    client.onclose = () => void order.push('onclose');
    const calling = ask(client, 'tools/call').catch((error: { code: string }) => order.push(error.code));
    await started(server);
    await Promise.all([transport.close(), transport.close(), client.close()]);
    await calling;
    await transport.close();
    expect(order).toEqual(['closed', 'DELETE', 'onclose']);
    const sent = server.requests.filter(({ method }) => method === 'DELETE');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer closer',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
    });
    expect(sent[0]?.body).toBe('');
  });

  test('B16 100 sets made and closed leave no session', async () => {
    const sessions = new Set<string>();
    let count = 0;
    const server = await serve((request, response) => {
      if (request.method === 'DELETE') sessions.delete(String(request.headers['mcp-session-id']));
      const id = `session-${count++}`;
      if (request.message.method === 'initialize') sessions.add(id);
      return legacy(undefined, id)(request, response);
    });
    for (let n = 0; n < 100; n++) {
      const transport = new HttpTransport({ server: 'docs', url: new URL(server.url), headers: () => new Headers() });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport);
      if (n === 0) expect(sessions.size).toBe(1);
      await client.close();
    }
    expect(sessions.size).toBe(0);
  });

  const refusals: [string, Handler][] = [
    ['405', (_, response) => void response.writeHead(405).end()],
    ['404', (_, response) => void response.writeHead(404).end('gone')],
    ['500 without an end', (_, response) => void response.writeHead(500).write('x')],
    ['a redirect', (_, response) => void response.writeHead(307, { location: '/other' }).end()],
    ['a reset', (_, response) => void response.socket?.resetAndDestroy()],
    ['nothing', () => {}],
  ];
  test.each(refusals)('B16 a server that answers the DELETE with %s does not hold it up', async (_, refuse) => {
    const server = await serve((request, response) => (request.method === 'DELETE' ? refuse : legacy())(request, response));
    const { driven } = await connect(server.url);
    const began = performance.now();
    let closed = 0;
    driven.transport.onclose = () => void closed++;
    await driven.transport.close();
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(closed).toBe(1);
    expect(driven.errors).toEqual([]);
    expect(server.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    await until(() => server.open.size === 0);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['never ends', () => new Promise<Headers>(() => {})],
  ])('a headers function that %s does not hold it up', async (_, headers) => {
    const server = await serve(legacy());
    const { transport, request } = drive(server.url, { headers });
    await request('initialize', { headers: new Headers() });
    expect(transport.sessionId).toBe('session-1');
    await transport.close();
    expect(server.requests).toHaveLength(1);
  });

  test('without a session there is no network, and onclose may close again', async () => {
    const { transport } = drive('https://docs.example.com/mcp', { fetch: () => expect.unreachable() });
    let closed = 0;
    transport.onclose = () => {
      closed++;
      void transport.close();
    };
    await transport.close();
    expect(closed).toBe(1);
  });

  test('a closed transport sends and starts nothing', async () => {
    const server = await serve(legacy());
    const { transport, request } = drive(server.url);
    await transport.close();
    expect(await failure(request('ping'))).toMatchObject({ code: 'closed' });
    expect(await failure(transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' }))).toMatchObject({
      code: 'closed',
    });
    expect(await failure(transport.start())).toMatchObject({ code: 'closed' });
    expect(server.requests).toHaveLength(0);
  });

  test('ends messages without a reply, in silence', async () => {
    const server = await serve(() => {});
    const { transport, errors } = drive(server.url);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await started(server);
    await transport.close();
    await transport.acknowledged;
    await until(() => server.open.size === 0);
    expect(errors).toEqual([]);
  });
});
