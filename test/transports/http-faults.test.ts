import { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FetchLike } from '../../src/servers.ts';
import { json } from '../support/listen.ts';
import { ask, connect, drive, failure, legacy, reply, serve, sse, until } from './http-support.ts';

afterEach(() => void vi.unstubAllGlobals());

describe('B15 a browser', () => {
  test.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'that only says "%s" may mean CORS, and the request may have been executed',
    async (text) => {
      const { request } = drive('https://docs.example.com/mcp', { fetch: () => Promise.reject(new TypeError(text)) });
      const error = await failure(request('tools/call'));
      expect(error).toMatchObject({ code: 'outcome_unknown', message: expect.stringMatching(/CORS.*DELETE.*mcp-session-id/) });
    },
  );

  test('is not suspected where the cause is known', async () => {
    const server = await serve((_, response) => void response.socket?.destroy());
    const error = await failure(drive(server.url).request('tools/call'));
    expect(error).toMatchObject({ code: 'outcome_unknown', message: expect.not.stringContaining('CORS') });
  });

  test('that hides the session id is told apart from a session that is gone', async () => {
    const server = await serve((request, response) => {
      if (request.headers['mcp-session-id'] !== undefined || request.message.method === 'initialize') {
        return legacy()(request, response);
      }
      return json(response, { error: 'Bad Request: no valid session ID provided' }, 400);
    });
    const hiding: FetchLike = async (url, init) => {
      const { body, status, headers } = await fetch(url, init);
      return new Response(body, { status, headers: { 'content-type': headers.get('content-type') ?? '' } });
    };
    const { client } = await connect(server.url, { fetch: hiding });
    const error = await failure(ask(client, 'tools/list'));
    expect(error).toMatchObject({ code: 'http_error', message: expect.stringMatching(/CORS.*expose `mcp-session-id`/) });
  });
});

describe('a fetch of the user’s', () => {
  test('N2 that adds headers: they do not follow a redirect to another place', async () => {
    const target = await serve((request, response) => json(response, reply(request)));
    const server = await serve((_, response) => void response.writeHead(307, { location: target.url }).end());
    const adding: FetchLike = (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-api-key', 'abcdefgh');
      return fetch(url, { ...init, headers });
    };
    const { request } = drive(server.url, { fetch: adding });
    expect(await failure(request('tools/list'))).toMatchObject({ code: 'redirect_refused' });
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['abcdefgh']);
    expect(target.requests).toHaveLength(0);
  });

  test('that spreads the headers keeps them', async () => {
    const server = await serve(legacy());
    const spreading: FetchLike = (url, init) =>
      fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-more': 'yes' } });
    const { client } = await connect(server.url, {
      fetch: spreading,
      headers: () => new Headers({ Authorization: 'Bearer me' }),
    });
    await ask(client, 'ping');
    expect(server.requests.at(-1)?.headers).toMatchObject({
      'x-more': 'yes',
      authorization: 'Bearer me',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'session-1',
    });
  });
});

test('J9 globals are left as they are, and another Response is taken as well', async () => {
  class Other extends Response {}
  vi.stubGlobal('Response', Other);
  const names = ['fetch', 'Response', 'Headers', 'Request', 'AbortController', 'ReadableStream'] as const;
  const before = names.map((name) => globalThis[name]);
  const server = await serve(
    legacy((request, response) =>
      request.message.id === 1
        ? json(response, reply(request))
        : sse(response, `data: ${JSON.stringify(reply(request))}\n\n`, true),
    ),
  );
  const { client } = await connect(server.url);
  expect(await ask(client, 'ping')).toEqual({ ok: true });
  expect(await ask(client, 'ping')).toEqual({ ok: true });
  await client.close();
  expect(names.map((name) => globalThis[name])).toEqual(before);
});

describe('a session that was given', () => {
  test('goes on without a handshake under a real client, and is left to its giver at the end', async () => {
    const server = await serve(legacy(undefined, 'kept'));
    const { transport } = drive(server.url, { sessionId: 'kept' });
    transport.setProtocolVersion('2025-06-18');
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
    await client.close();
    expect(server.requests.map(({ method, message, headers }) => [message.method ?? method, headers['mcp-session-id']])).toEqual([
      ['ping', 'kept'],
    ]);
    expect(server.requests[0]?.headers['mcp-protocol-version']).toBe('2025-06-18');
  });

  test('B1 is gone with a 404: nothing is sent to it any more, and a new initialize begins another', async () => {
    const server = await serve((request, response) => {
      if (request.headers['mcp-session-id'] === 'kept') return void response.writeHead(404).end();
      return legacy()(request, response);
    });
    const { request, transport } = drive(server.url, { sessionId: 'kept' });
    expect(await failure(request('tools/list'))).toMatchObject({ code: 'session_expired' });
    await request('initialize', undefined, {}, 2);
    expect(transport.sessionId).toBe('session-1');
    // That one is ours to end.
    await transport.close();
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 'session-1' } });
  });

  test('with an id that HTTP does not allow is refused without repeating it', async () => {
    const { request } = drive('https://docs.example.com/mcp', { sessionId: 'se\ncret' });
    const error = await failure(request('ping'));
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('mcp-session-id') });
    expect(error.message).not.toContain('cret');
  });
});

test('a request that is answered on another’s stream ends, and its own stream with it', async () => {
  const server = await serve((request, response) => {
    const other = { jsonrpc: '2.0', id: 1, result: { by: 'another' } };
    if (request.message.id === 2) return json(response, [other, reply(request)]);
    return sse(response, ': waiting\n\n');
  });
  const { request, messages } = drive(server.url);
  const first = request('tools/call');
  await until(() => server.open.size === 1);
  await request('tools/call', undefined, {}, 2);
  await first;
  expect(messages).toEqual([
    { jsonrpc: '2.0', id: 1, result: { by: 'another' } },
    { jsonrpc: '2.0', id: 2, result: { ok: true } },
  ]);
  await until(() => server.open.size === 0);
});
