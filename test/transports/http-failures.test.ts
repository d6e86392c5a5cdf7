import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FetchLike } from '../../src/servers.ts';
import { excerpt } from '../../src/transports/http-excerpt.ts';
import { isUnreached } from '../../src/transports/network-cause.ts';
import { json } from '../support/listen.ts';
import { ask, connect, drive, event, failure, type Handler, legacy, reply, serve, sse, until } from './http-support.ts';

const NEXT_STEP = /(check|try|connect again|give it|ask for|move it|set its|create|raise)/i;

describe('no connection: nothing was executed', () => {
  test('a port where nobody listens', async () => {
    const server = await serve(() => {});
    await server.close();
    const error = await failure(drive(`${server.url}?key=hunter22`).request('tools/list'));
    expect(error).toMatchObject({ code: 'unavailable', server: 'docs', data: { cause: 'ECONNREFUSED' } });
    expect(error.message).toContain(`${server.url} (ECONNREFUSED)`);
    expect(error.message).toMatch(NEXT_STEP);
    expect(error.message).not.toContain('hunter22');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test.each([
    ['a host that does not exist', 'http://nowhere.invalid/mcp'],
    ['a port that fetch refuses', 'http://127.0.0.1:1/mcp'],
    ['a protocol that fetch does not know', 'ftp://127.0.0.1/mcp'],
  ])('%s', async (_, url) => {
    expect(await failure(drive(url).request('tools/list'))).toMatchObject({ code: 'unavailable' });
  });

  test('TLS to a server that speaks none', async () => {
    const server = await serve(() => {});
    const error = await failure(drive(server.url.replace('http:', 'https:')).request('tools/list'));
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    [true, Object.assign(new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]), {})],
    [true, new TypeError('fetch failed', { cause: new Error('x', { cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } }) })],
    [true, new TypeError('fetch failed', { cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } })],
    [true, new TypeError('fetch failed', { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } })],
    [true, new TypeError('fetch failed', { cause: { code: 'ETIMEDOUT', syscall: 'connect' } })],
    [true, new Error('Client network socket disconnected before secure TLS connection was established')],
    [false, new TypeError('fetch failed', { cause: { code: 'ECONNRESET', syscall: 'read' } })],
    [false, new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } })],
    [false, new TypeError('fetch failed', { cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } })],
    [false, new TypeError('Failed to fetch')],
    [false, 'text'],
  ])('%s for %s', (expected, error) => {
    expect(isUnreached(error)).toBe(expected);
  });

  test('a circle of causes ends', () => {
    const error = new Error('a');
    error.cause = new Error('b', { cause: error });
    expect(isUnreached(error)).toBe(false);
  });
});

describe('lost after sending: it may have been executed', () => {
  const losses: [string, Handler][] = [
    ['reset before the headers', (_, response) => void response.socket?.resetAndDestroy()],
    ['closed before the headers', (_, response) => void response.socket?.destroy()],
    [
      'JSON cut off',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 }).write('{"js'),
    ],
    ['B3 SSE reset mid-frame', (_, response) => sse(response, 'data: {"jsonrpc":"2.0","id"')],
    [
      'B7 SSE that ends after progress',
      (_, response) => void sse(response, event({ jsonrpc: '2.0', method: 'notifications/progress' })),
    ],
    ['B7 SSE that ends at once', (_, response) => sse(response)],
  ];
  for (const [name, handler] of losses) {
    test(name, async () => {
      const server = await serve(
        legacy(async (request, response) => {
          await handler(request, response);
          setTimeout(() => (name.startsWith('B7') ? response.end() : response.socket?.resetAndDestroy()), 20);
        }),
      );
      const { client, driven } = await connect(server.url);
      const error = await failure(ask(client, 'tools/call', { name: 'pay' }));
      expect(error).toMatchObject({
        code: 'outcome_unknown',
        server: 'docs',
        message: expect.stringContaining('may have been executed'),
      });
      expect(error.message).toMatch(NEXT_STEP);
      expect(driven.errors).toEqual([]);
      await until(() => server.open.size === 0);
    });
  }
});

describe('statuses', () => {
  const bodies: [string, Handler][] = [
    ['an empty body', (_, response) => void response.writeHead(404).end()],
    ['HTML', (_, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')],
    [
      'a JSON-RPC error of any code',
      ({ message }, response) => json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32001, message: 'no' } }, 404),
    ],
    ['odd JSON', (_, response) => json(response, ['?'], 404)],
    ['a body that never ends', (_, response) => void response.writeHead(404).write('…')],
  ];
  test.each(bodies)('B1 404 to a session, with %s, is an expired session', async (_, handler) => {
    const server = await serve(legacy(handler));
    const { client, driven } = await connect(server.url);
    const error = await failure(ask(client, 'tools/list'));
    expect(error).toMatchObject({ code: 'session_expired', data: { status: 404 }, message: expect.stringMatching(NEXT_STEP) });
    expect(driven.transport.sessionId).toBeUndefined();
    // The id is never sent again, and nothing is sent without it either: that could reach another session.
    const count = server.requests.length;
    expect(await failure(ask(client, 'tools/list'))).toMatchObject({ code: 'session_expired' });
    await client.close();
    expect(server.requests).toHaveLength(count);
  });

  test('B1 a new initialize on the same transport begins anew', async () => {
    let alive = false;
    const server = await serve(
      legacy((request, response) => (alive ? json(response, reply(request)) : void response.writeHead(404).end())),
    );
    const { driven } = await connect(server.url);
    await failure(driven.request('ping'));
    alive = true;
    await driven.request('initialize', undefined, {}, 2);
    await driven.request('ping', undefined, {}, 3);
    expect(driven.messages.at(-1)).toMatchObject({ id: 3, result: { ok: true } });
  });

  test('404 where no session was sent is an ordinary HTTP error', async () => {
    const server = await serve(
      (_, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page'),
    );
    const error = await failure(drive(server.url).request('initialize'));
    expect(error).toMatchObject({
      code: 'http_error',
      data: { status: 404 },
      message: expect.stringContaining('"no such page"'),
    });
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
  ])('%i is %s by its status alone', async (status, code) => {
    const server = await serve(
      legacy(({ message }, response) =>
        json(response, { jsonrpc: '2.0', id: message.id, error: { code: 1, message: 'x' } }, status),
      ),
    );
    const { client, driven } = await connect(server.url);
    const error = await failure(ask(client, 'tools/list'));
    expect(error).toMatchObject({
      code,
      server: 'docs',
      data: { status },
      message: expect.stringContaining('Nothing was executed'),
    });
    expect(error.message).toMatch(NEXT_STEP);
    expect(driven.transport.sessionId).toBe('session-1');
  });

  const retryAfter: [string, Record<string, string>, number | undefined][] = [
    ['seconds', { 'retry-after': '7' }, 7_000],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 30_000],
    ['a date by our clock', { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, 10_000],
    ['a date that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['nothing', {}, undefined],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['a fraction', { 'retry-after': '1.5' }, undefined],
    ['a negative number', { 'retry-after': '-3' }, undefined],
    ['a number beyond all reason', { 'retry-after': '9'.repeat(40) }, undefined],
  ];
  test.each(retryAfter)('M7 429 with %s', async (_, headers, expected) => {
    const server = await serve((_request, response) => {
      response.sendDate = false;
      response.writeHead(429, headers).end('slow down');
    });
    const { request } = drive(server.url, { now: () => Date.UTC(2026, 9, 21, 7, 28, 20) });
    const error = await failure(request('tools/list'));
    expect(error.code).toBe('rate_limited');
    expect(error.data).toEqual(expected === undefined ? { status: 429 } : { status: 429, retryAfter: expected });
    expect(error.message).toMatch(expected ? `in ${expected / 1000} s` : /again/);
  });

  test.each([500, 502, 503, 400, 418])('B4 %i rejects its request, with an excerpt', async (status) => {
    const server = await serve(
      legacy((_, response) => {
        response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '3' });
        response.end(`<html><style>b{}</style><h1>Bad\n Gateway</h1><script>var x = "<b>";</script> ${'.'.repeat(500)}</html>`);
      }),
    );
    const { client } = await connect(server.url);
    const error = await failure(ask(client, 'tools/list'));
    expect(error).toMatchObject({
      code: 'http_error',
      data: { status, retryAfter: 3_000 },
      message: expect.stringMatching(NEXT_STEP),
    });
    expect(error.message).toMatch(/: "Bad Gateway \.{187}…"/);
  });

  test('B4 500 with a body that never ends still rejects', async () => {
    const server = await serve((_, response) => void response.writeHead(500).write('half'));
    expect(await failure(drive(server.url).request('ping'))).toMatchObject({ code: 'http_error', data: { status: 500 } });
    await until(() => server.open.size === 0);
  });

  test.each([
    ['our id', (id: unknown) => id],
    ['no id', () => null],
  ])('a status with a JSON-RPC error for %s is that error', async (_, idOf) => {
    const server = await serve(
      legacy(({ message }, response) =>
        json(
          response,
          { jsonrpc: '2.0', id: idOf(message.id), error: { code: -32022, message: 'version', data: { supported: [] } } },
          400,
        ),
      ),
    );
    const { client } = await connect(server.url);
    await expect(ask(client, 'tools/list')).rejects.toMatchObject({ code: -32022, data: { supported: [] } });
  });

  test.each([
    ['an error for another id', { jsonrpc: '2.0', id: 'other', error: { code: 1, message: 'x' } }],
    ['a result', { jsonrpc: '2.0', id: 1, result: {} }],
    ['an error that is no JSON-RPC', { error: 'down' }],
    ['a garbled error', { jsonrpc: '2.0', id: 1, error: { code: 'E1' } }],
  ])('500 with %s is an HTTP error', async (_, body) => {
    const server = await serve((_request, response) => json(response, body, 500));
    const { request, errors } = drive(server.url);
    expect(await failure(request('ping'))).toMatchObject({ code: 'http_error', data: { status: 500 } });
    expect(errors).toEqual([]);
  });
});

describe('answers that are not MCP', () => {
  const answers: [string, RegExp, (response: Parameters<Handler>[1]) => void][] = [
    [
      'B14 HTML',
      /text\/html instead of JSON: "Sign in please"/,
      (r) => r.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<title>Sign in</title> please'),
    ],
    ['B14 empty 200', /an empty body/, (r) => r.writeHead(200).end()],
    ['empty JSON', /an empty body/, (r) => r.writeHead(200, { 'content-type': 'application/json' }).end()],
    ['no type', /a body of no type: "hi"/, (r) => r.writeHead(200).end('hi')],
    ['invalid JSON', /invalid JSON: "\{oops"/, (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{oops')],
    ['JSON without a reply', /no reply/, (r) => json(r, { jsonrpc: '2.0', id: 'other', result: {} })],
    ['JSON of no kind', /no reply/, (r) => json(r, 17)],
    ['an empty array', /no reply/, (r) => json(r, [])],
    ['a result that is no object', /no reply/, (r) => json(r, { jsonrpc: '2.0', id: 1, result: null })],
    ['202', /HTTP 202 and no reply/, (r) => r.writeHead(202).end()],
    ['204', /HTTP 204 and no reply/, (r) => r.writeHead(204).end()],
    ['SSE with a garbled reply', /no JSON-RPC/, (r) => sse(r, event({ jsonrpc: '2.0', id: 1, result: [] }))],
    ['HTML that never ends', /text\/html/, (r) => r.writeHead(200, { 'content-type': 'text/html' }).write('<p>')],
  ];
  test.each(answers)('%s', async (_, expected, answer) => {
    const server = await serve((_request, response) => void answer(response));
    const error = await failure(drive(`${server.url}?key=hunter22`).request('tools/list'));
    expect(error).toMatchObject({ code: 'bad_response', server: 'docs', message: expect.stringMatching(expected) });
    expect(error.message).toContain('tools/list');
    expect(error.message).toMatch(NEXT_STEP);
    expect(error.message).not.toContain('hunter22');
    await until(() => server.open.size === 0);
  });

  test('an excerpt repeats no header that was sent', async () => {
    const server = await serve(({ headers }, response) => {
      const { authorization = '' } = headers;
      response.writeHead(500, { 'content-type': 'text/html' });
      response.end(
        `<p>bad key ${headers['x-api-key']} in <b>${authorization}</b>, that is ${authorization.slice(7)}; ${headers.cookie}`,
      );
    });
    const sent = new Headers({ authorization: 'Bearer tok-123456', 'x-api-key': 'key-abcdef', cookie: 'sid=cookie-secret; a=b' });
    const { message } = await failure(drive(server.url).request('ping', { headers: sent }));
    expect(message).toContain('bad key *** in *** , that is ***; ***');
  });

  test('an excerpt is one short line without any header value, whatever the body', () => {
    const secret = fc.stringMatching(/^[!-~]{6,30}$/);
    fc.assert(
      fc.property(secret, fc.array(fc.string(), { maxLength: 8 }), fc.string({ maxLength: 3 }), (value, parts, glue) => {
        const text = excerpt(
          parts.join(glue + value + glue),
          new Headers({ authorization: `Bearer ${value}` }),
          new URL('http://localhost/'),
        );
        expect([...text].length).toBeLessThanOrEqual(200);
        expect(text).not.toMatch(/[\r\n]/);
        if (!'***'.includes(value) && !parts.join('').includes(value)) expect(text.includes(value)).toBe(false);
      }),
    );
  });

  test('an excerpt of hostile markup is quick', () => {
    const began = performance.now();
    for (const hostile of ['<', '<script', '</script ', '<script></'])
      excerpt(hostile.repeat(200_000), new Headers(), new URL('http://localhost/'));
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('caps', () => {
  const big = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(2_000) } });
  const progress = event({ jsonrpc: '2.0', method: 'notifications/progress', params: { message: 'x'.repeat(300) } });
  const replies: [string, Handler][] = [
    ['declared', (_, r) => void r.writeHead(200, { 'content-type': 'application/json', 'content-length': 2_000 }).flushHeaders()],
    ['counted', (q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(big(q.message.id))],
    [
      'compressed',
      (q, r) =>
        void r
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(big(q.message.id))),
    ],
    ['one SSE event', (q, r) => sse(r, `data: ${big(q.message.id)}\n\n`)],
    ['one SSE line without an end', (_, r) => sse(r, 'x'.repeat(2_000))],
    ['many SSE events', (_, r) => sse(r, progress.repeat(5))],
  ];
  test.each(replies)('a reply above the cap: %s', async (_, handler) => {
    const server = await serve(handler);
    const error = await failure(drive(server.url, { maxResponseBytes: 1_000 }).request('tools/list'));
    expect(error).toMatchObject({
      code: 'too_large',
      data: { maxResponseBytes: 1_000 },
      message: expect.stringContaining('1000 bytes'),
    });
    expect(error.message).toMatch(NEXT_STEP);
    await until(() => server.open.size === 0);
  });

  test('a reply of exactly the cap passes', async () => {
    const body = big(1);
    const server = await serve((_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    await drive(server.url, { maxResponseBytes: body.length }).request('tools/list');
    expect(await failure(drive(server.url, { maxResponseBytes: body.length - 1 }).request('tools/list'))).toMatchObject({
      code: 'too_large',
    });
  });

  test('a listening stream is capped by event, not as a whole', async () => {
    const server = await serve(async (request, response) => {
      sse(response);
      for (let n = 0; n < 10; n++) response.write(progress);
      if (request.message.id === 1) return void response.end(event(reply(request)));
      response.write(`data: ${big(0)}\n\n`);
    });
    const { request, messages } = drive(server.url, { maxResponseBytes: 1_000 });
    await request('subscriptions/listen');
    expect(messages).toHaveLength(11);
    expect(await failure(request('subscriptions/listen', undefined, {}, 2))).toMatchObject({ code: 'too_large' });
  });
});

describe('redirects', () => {
  test('N1 N2 a cross-origin 307 is refused, and its target receives nothing', async () => {
    const target = await serve((request, response) => json(response, reply(request, { stolen: true })));
    const server = await serve(
      (_, response) => void response.writeHead(307, { location: `${target.url}/inner?token=hunter22` }).end(),
    );
    const { request, messages } = drive(server.url);
    const error = await failure(request('tools/call', { headers: new Headers({ 'x-api-key': 'abcdefgh' }) }));
    expect(error).toMatchObject({ code: 'redirect_refused', server: 'docs', data: { status: 307 } });
    expect(error.message).toContain(`http://127.0.0.1:${target.port},`);
    expect(error.message).toMatch(NEXT_STEP);
    expect(error.message).not.toMatch(/inner|hunter22/);
    expect(target.requests).toHaveLength(0);
    expect(messages).toEqual([]);
  });

  test.each([307, 308])('N2 a same-origin %i is followed with the same body and headers', async (status) => {
    const server = await serve((request, response) => {
      if (request.path === '/mcp') return void response.writeHead(status, { location: '/moved' }).end('elsewhere');
      json(response, reply(request));
    });
    const { request, messages } = drive(server.url);
    await request('tools/call', { headers: new Headers({ 'x-api-key': 'abcdefgh' }) }, { name: 'x' });
    expect(messages).toHaveLength(1);
    const [first, second] = server.requests;
    expect(second).toMatchObject({ method: 'POST', path: '/moved', body: first?.body });
    expect(second?.headers).toEqual(first?.headers);
  });

  test.each([
    [301, '/moved'],
    [302, '/moved'],
    [303, '/moved'],
    [307, undefined],
    [307, 'http://['],
    [307, 'http://user:hunter22@127.0.0.1:PORT/moved'],
    [300, undefined],
    [304, undefined],
  ])('N1 %i to %s is refused', async (status, location) => {
    const server = await serve((_, response) => {
      const headers = location === undefined ? {} : { location: location.replace('PORT', String(server.port)) };
      response.writeHead(status, headers).end();
    });
    const error = await failure(drive(server.url).request('tools/list'));
    expect(error).toMatchObject({ code: 'redirect_refused', data: { status } });
    expect(error.message).not.toContain('hunter22');
    expect(server.requests).toHaveLength(1);
  });

  test('"refuse" follows none', async () => {
    const server = await serve((_, response) => void response.writeHead(307, { location: '/moved' }).end());
    expect(await failure(drive(server.url, { redirect: 'refuse' }).request('tools/list'))).toMatchObject({
      code: 'redirect_refused',
    });
    expect(server.requests).toHaveLength(1);
  });

  test('a circle ends after five', async () => {
    const server = await serve((_, response) => void response.writeHead(308, { location: '/mcp' }).end());
    expect(await failure(drive(server.url).request('tools/list'))).toMatchObject({ code: 'redirect_refused' });
    expect(server.requests).toHaveLength(6);
  });

  test('J5 every request asks for manual redirects, as workerd needs', async () => {
    const modes = new Set<unknown>();
    const server = await serve(legacy());
    const strict: FetchLike = (url, init) => {
      modes.add(init?.redirect);
      return fetch(url, init);
    };
    const { client } = await connect(server.url, { fetch: strict });
    await ask(client, 'ping');
    await client.close();
    expect(server.requests.map(({ method }) => method)).toContain('DELETE');
    expect([...modes]).toEqual(['manual']);
  });

  test('a redirect that the runtime hides is refused', async () => {
    const hidden = {
      type: 'opaqueredirect',
      status: 0,
      ok: false,
      redirected: false,
      url: '',
      body: null,
      headers: new Headers(),
    };
    const { request } = drive('https://docs.example.com/mcp', { fetch: async () => hidden as unknown as Response });
    expect(await failure(request('tools/list'))).toMatchObject({ code: 'redirect_refused' });
  });

  test('a fetch that follows by itself to another origin is not believed', async () => {
    const target = await serve((request, response) => json(response, reply(request)));
    const server = await serve((_, response) => void response.writeHead(307, { location: target.url }).end());
    const { request, messages } = drive(server.url, { fetch: (url, init) => fetch(url, { ...init, redirect: 'follow' }) });
    expect(await failure(request('tools/list'))).toMatchObject({ code: 'redirect_refused' });
    expect(messages).toEqual([]);
  });
});
