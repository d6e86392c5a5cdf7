import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { json } from '../support/listen.ts';
import {
  ask,
  connect,
  drive,
  event,
  failure,
  type Handler,
  legacy,
  reply,
  type Served,
  serve,
  sse,
  until,
} from './http-support.ts';

const note = (n: number): object => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } });
const marked = (id: string, message: object): string => `id: ${id}\n${event(message)}`;
const prime = (id: string, retry = 1): string => `id: ${id}\nretry: ${retry}\ndata:\n\n`;

/** A server whose calls end after `first`, and whose GETs are answered in turn; the last way stays. */
async function serveTurns(first: string, ...turns: ((response: ServerResponse, id: unknown) => void)[]): Promise<Served> {
  let pending: unknown;
  let turn = 0;
  return serve((request, response) => {
    if (request.method === 'GET') return turns[Math.min(turn++, turns.length - 1)]?.(response, pending);
    return legacy((call, stream) => {
      pending = call.message.id;
      sse(stream, first, true);
    })(request, response);
  });
}

const gets = (server: Served): (string | undefined)[] =>
  server.requests.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id'] as string | undefined);

const answer = (response: ServerResponse, id: unknown): void =>
  sse(response, marked('last', { jsonrpc: '2.0', id, result: { ok: true } }), true);

describe('B7 a reply stream with event ids is gone on with', () => {
  test('after a priming event and an end, no sooner than `retry` says', async () => {
    const server = await serveTurns(prime('e-1', 300), answer);
    const { client, driven } = await connect(server.url);
    const began = performance.now();
    expect(await ask(client, 'tools/call', { name: 'pay' })).toEqual({ ok: true });
    expect(performance.now() - began).toBeGreaterThanOrEqual(300);
    expect(gets(server)).toEqual(['e-1']);
    const call = server.requests.find(({ message }) => message.method === 'tools/call');
    const get = server.requests.find(({ method }) => method === 'GET');
    expect(get?.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
    });
    expect(get?.headers).not.toHaveProperty('content-type');
    expect(get?.headers['mcp-session-id']).toBe(call?.headers['mcp-session-id']);
    expect(server.requests.filter(({ message }) => message.method === 'tools/call')).toHaveLength(1);
    expect(driven.errors).toEqual([]);
  });

  test('after a reset in the middle of a frame, from the last whole event', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'GET')
        return sse(response, marked('c', note(3)) + marked('d', reply({ message: { id: 1 } } as never)), true);
      sse(response, `retry: 1\n${marked('a', note(1))}${marked('b', note(2))}id: c\ndata: {"jsonrpc":"2.0","me`);
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
    });
    const { request, messages } = drive(server.url);
    await request('tools/call');
    expect(gets(server)).toEqual(['b']);
    expect(messages).toEqual([note(1), note(2), note(3), { jsonrpc: '2.0', id: 1, result: { ok: true } }]);
  });

  test('with the user’s own headers of that request', async () => {
    const server = await serveTurns(prime('e'), answer);
    const { request } = drive(server.url);
    await request('tools/call', { headers: new Headers({ authorization: 'Bearer me', 'last-event-id': 'theirs' }) });
    expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: 'Bearer me', 'last-event-id': 'e' });
  });

  test('as often as the server ends it, as long as it goes on in between', async () => {
    let n = 0;
    const server = await serveTurns(prime('0'), (response, id) => {
      if (++n === 8) answer(response, id);
      else sse(response, prime(String(n)), true);
    });
    const { request, messages } = drive(server.url);
    await request('tools/call');
    expect(messages).toHaveLength(1);
    expect(gets(server)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  test('through failures of the network and of the server', async () => {
    const server = await serveTurns(
      prime('e'),
      (response) => void response.socket?.destroy(),
      (response) => void response.writeHead(503).end(),
      answer,
    );
    const { request, messages } = drive(server.url);
    await request('tools/call');
    expect(messages).toHaveLength(1);
    expect(gets(server)).toEqual(['e', 'e', 'e']);
  });

  test('an id that is no ASCII is sent as its bytes', async () => {
    const server = await serveTurns(prime('é€'), answer);
    await drive(server.url).request('tools/call');
    expect(Buffer.from(gets(server)[0] ?? '', 'latin1').toString()).toBe('é€');
  });

  test('four attempts that bring nothing: it may have been executed', async () => {
    const server = await serveTurns(prime('e'), (response) => sse(response, ': nothing\n\n', true));
    const error = await failure(drive(server.url).request('tools/call'));
    expect(error).toMatchObject({ code: 'outcome_unknown', server: 'docs' });
    expect(gets(server)).toEqual(['e', 'e', 'e', 'e']);
  });

  const refusals: [string, Handler][] = [
    ...[400, 401, 403, 404, 405].map((status): [string, Handler] => [
      String(status),
      (_, response) => void response.writeHead(status).end(),
    ]),
    ['JSON', (request, response) => json(response, reply(request))],
    ['202', (_, response) => void response.writeHead(202).end()],
  ];
  test.each(refusals)('a refusal with %s ends it at once and leaves the session alone', async (_, refuse) => {
    const server = await serve((request, response) => {
      if (request.method === 'GET') return refuse(request, response);
      return legacy((call, stream) => {
        if (call.message.method === 'ping') json(stream, reply(call));
        else sse(stream, prime('e'), true);
      })(request, response);
    });
    const { client, driven } = await connect(server.url);
    expect(await failure(ask(client, 'tools/call'))).toMatchObject({ code: 'outcome_unknown' });
    expect(gets(server)).toEqual(['e']);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
    expect(driven.transport.sessionId).toBe('session-1');
  });

  test.each([
    ['no ids', event(note(1))],
    ['an id that was taken back', `${prime('e')}id:\ndata:\n\n`],
  ])('%s: rejects, and asks for nothing', async (_, first) => {
    const server = await serveTurns(first, answer);
    expect(await failure(drive(server.url).request('tools/call'))).toMatchObject({ code: 'outcome_unknown' });
    expect(gets(server)).toEqual([]);
  });

  test('the modern era knows no such thing', async () => {
    const server = await serveTurns(prime('e'), answer);
    const params = { name: 'x', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
    expect(await failure(drive(server.url).request('tools/call', undefined, params))).toMatchObject({ code: 'outcome_unknown' });
    expect(gets(server)).toEqual([]);
  });

  test('H1 an abort while it waits, or while the stream is silent, rejects at once', async () => {
    for (const retry of [60_000, 1]) {
      const server = await serveTurns(prime('e', retry), (response) => sse(response));
      const controller = new AbortController();
      const { request } = drive(server.url);
      const sending = request('tools/call', { signal: controller.signal });
      await until(() => (retry === 1 ? gets(server).length === 1 : server.requests.length === 1 && server.open.size === 0));
      setTimeout(() => controller.abort('enough'), 20);
      await expect(sending).rejects.toBe('enough');
      await until(() => server.open.size === 0);
      expect(gets(server)).toHaveLength(retry === 1 ? 1 : 0);
    }
  });

  test('close ends the waiting with `closed`', async () => {
    const server = await serveTurns(prime('e', 60_000), answer);
    const { request, transport } = drive(server.url);
    const sending = failure(request('tools/call'));
    await until(() => server.requests.length === 1 && server.open.size === 0);
    await transport.close();
    expect(await sending).toMatchObject({ code: 'closed' });
    expect(gets(server)).toEqual([]);
  });

  test('a `retry` beyond what a timer can take does not fire at once', async () => {
    const server = await serveTurns(prime('e', 9_999_999_999_999), answer);
    const { request, transport } = drive(server.url);
    const sending = failure(request('tools/call'));
    await until(() => server.requests.length === 1 && server.open.size === 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(gets(server)).toEqual([]);
    await transport.close();
    expect(await sending).toMatchObject({ code: 'closed' });
  });
});
