import { Client } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { HttpTransport } from '../../src/transports/http.ts';
import { carry } from '../../src/transports/transport.ts';
import { json, listen } from '../support/listen.ts';
import { spawnEverything } from './everything.ts';
import { ask, connect, drive, event, failure, gate, legacy, reply, serve, sse, until } from './http-support.ts';

const MODERN = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

describe('what is sent', () => {
  test('a message is one POST of JSON that takes JSON or SSE', async () => {
    const server = await serve((request, response) => json(response, reply(request)));
    const { request, messages, transport } = drive(server.url);
    await request('tools/list');
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }]);
    const [sent] = server.requests;
    expect(sent?.method).toBe('POST');
    expect(sent?.message).toEqual({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
    expect(sent?.headers).not.toHaveProperty('mcp-session-id');
    expect(sent?.headers).not.toHaveProperty('mcp-protocol-version');
    expect(transport).toMatchObject({ kind: 'http', address: '127.0.0.1', port: server.port, hasPerRequestStream: true });
  });

  test('address and port come from the URL, with the default port of its protocol', () => {
    expect(drive('https://docs.example.com/mcp').transport).toMatchObject({ address: 'docs.example.com', port: 443 });
    expect(drive('http://[::1]/mcp').transport).toMatchObject({ address: '::1', port: 80 });
  });

  test('a URL with credentials is refused at once, without repeating them', () => {
    const make = () =>
      new HttpTransport({ server: 'docs', url: new URL('https://me:hunter22@a.example/mcp'), headers: () => new Headers() });
    expect(make).toThrow(expect.objectContaining({ code: 'config_invalid', message: expect.not.stringContaining('hunter22') }));
  });

  test('C4 headers are those of each request, authorization included', async () => {
    const server = await serve(legacy());
    let token = 0;
    const { client } = await connect(server.url, { headers: () => new Headers({ authorization: `Bearer own-${token++}` }) });
    for (const name of ['first', 'second']) {
      const headers = carry({ headers: new Headers({ authorization: `Bearer ${name}`, 'x-tenant': name }) });
      await ask(client, 'ping', {}, { headers });
    }
    await ask(client, 'ping');
    const pings = server.requests.filter(({ message }) => message.method === 'ping');
    expect(pings.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
      ['Bearer first', 'first'],
      ['Bearer second', 'second'],
      ['Bearer own-1', undefined],
    ]);
  });

  test('the headers function is told the method, and nothing at the end of the session', async () => {
    const asked: unknown[] = [];
    const server = await serve(legacy());
    const { transport } = (
      await connect(server.url, {
        headers: async (request) => {
          asked.push(request?.method);
          return new Headers();
        },
      })
    ).driven;
    await transport.send({ jsonrpc: '2.0', id: 7, result: {} });
    await transport.close();
    expect(asked).toEqual(['initialize', undefined, undefined]);
  });

  test('a headers function that fails sends nothing', async () => {
    const server = await serve(legacy());
    const cause = new Error('the vault is locked');
    const { request } = drive(server.url, { headers: () => Promise.reject(cause) });
    expect(await failure(request('tools/list'))).toMatchObject({ code: 'unavailable', server: 'docs', cause });
    expect(server.requests).toHaveLength(0);
  });

  test('extra headers are added, win over the user’s, and never replace the protocol’s own', async () => {
    const server = await serve(legacy());
    const { transport } = (await connect(server.url)).driven;
    const headers = carry(
      { headers: new Headers({ 'x-one': 'base', accept: 'text/html', 'mcp-session-id': 'theirs' }) },
      {
        'x-one': 'extra',
        'mcp-param-region': 'eu',
        'Content-Type': 'text/plain',
        'Mcp-Session-Id': 'stolen',
        'mcp-protocol-version': '1999-01-01',
        'mcp-name': 'x',
      },
    );
    await transport.send({ jsonrpc: '2.0', id: 9, method: 'ping' }, { headers });
    const sent = server.requests.at(-1)?.headers;
    expect(sent).toMatchObject({
      'x-one': 'extra',
      'mcp-param-region': 'eu',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
    });
    expect(sent).not.toHaveProperty('mcp-name');
  });

  test('an extra header that HTTP does not allow is named, its value is not', async () => {
    const { transport } = drive('http://127.0.0.1:1/mcp');
    const sending = transport.send(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { headers: carry({}, { 'x-key': 'secret\nvalue' }) },
    );
    const error = await failure(sending);
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('x-key') });
    expect(`${error.message}${String(error.cause)}`).not.toContain('secret');
  });

  test('the session id comes from the initialize reply alone, and goes with everything but initialize', async () => {
    const server = await serve((request, response) => {
      if (request.message.method !== 'initialize') response.setHeader('mcp-session-id', 'other');
      return legacy()(request, response);
    });
    const { client, driven } = await connect(server.url);
    const peer = {};
    await ask(client, 'ping', {}, { headers: carry({ peer, headers: new Headers() }) });
    expect(driven.transport.sessionId).toBe('session-1');
    expect(peer).toEqual({ requestId: 1, sessionId: 'session-1' });
    await driven.request('initialize', undefined, {}, 99);
    expect(server.requests.map(({ message, headers }) => [message.method, headers['mcp-session-id']])).toEqual([
      ['initialize', undefined],
      ['notifications/initialized', 'session-1'],
      ['ping', 'session-1'],
      ['initialize', undefined],
    ]);
  });

  test('a session that was given goes on', async () => {
    const server = await serve((request, response) => json(response, reply(request)));
    const { request } = drive(server.url, { sessionId: 'kept' });
    await request('ping');
    expect(server.requests[0]?.headers['mcp-session-id']).toBe('kept');
  });

  test.each([
    ['tools/call', { name: 'weather' }, 'weather'],
    ['tools/call', { name: 'wetter für köln' }, `=?base64?${Buffer.from('wetter für köln').toString('base64')}?=`],
    ['tools/call', { name: ' padded' }, `=?base64?${Buffer.from(' padded').toString('base64')}?=`],
    ['tools/call', { name: 'a\nb' }, `=?base64?${Buffer.from('a\nb').toString('base64')}?=`],
    ['tools/call', { name: '' }, '=?base64??='],
    ['tools/call', { name: '=?base64?eA==?=' }, `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'file:///a b', name: 'no' }, 'file:///a b'],
    ['tools/list', { name: 'no' }, undefined],
    ['toString', { name: 'no' }, undefined],
  ])('modern era: %s %j names itself in the headers', async (method, params, name) => {
    const server = await serve((request, response) => json(response, reply(request)));
    const { request, transport } = drive(server.url);
    transport.setProtocolVersion('2025-11-25');
    await request(method, undefined, { ...params, ...MODERN });
    const { headers } = server.requests[0]!;
    expect(headers['mcp-protocol-version']).toBe('2026-07-28');
    expect(headers['mcp-method']).toBe(method);
    expect(headers['mcp-name']).toBe(name);
  });

  test('a real server of the modern era accepts it', async () => {
    const handler = toNodeHandler(
      createMcpHandler(() => {
        const server = new McpServer({ name: 'modern', version: '1' });
        server.registerTool('greet', { inputSchema: z.object({ whom: z.string() }) }, ({ whom }) => ({
          content: [{ type: 'text', text: `Hello ${whom}` }],
        }));
        server.registerPrompt('grüße', {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hallo' } }] }));
        return server;
      }),
    );
    const server = await listen(async (received, response, raw) => {
      await handler(raw as never, response as never, received.message);
    });
    onTestFinished(() => server.close());
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(drive(server.url).transport);
    expect(client.getProtocolEra()).toBe('modern');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet']);
    const { content } = await client.callTool({ name: 'greet', arguments: { whom: 'Köln' } });
    expect(content).toEqual([{ type: 'text', text: 'Hello Köln' }]);
    // The server compares the header with the body, so a wrong encoding would be refused.
    expect((await client.getPrompt({ name: 'grüße' })).messages).toHaveLength(1);
    await client.close();
    expect(server.requests.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });
});

describe('messages without a reply', () => {
  test('initialized is not waited for, and goes with the headers of its initialize', async () => {
    const held = gate();
    const server = await serve(async (request, response) => {
      if (request.message.method === 'notifications/initialized') await held.opened;
      return legacy()(request, response);
    });
    const driven = drive(server.url);
    const headers = carry({ headers: new Headers({ authorization: 'Bearer opener' }) });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(driven.transport, { headers } as object);
    let acknowledged = false;
    void driven.transport.acknowledged?.then(() => {
      acknowledged = true;
    });
    await driven.request('initialize', { headers: new Headers({ authorization: 'Bearer opener' }) }, {}, 50);
    await driven.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await ask(client, 'ping');
    expect(acknowledged).toBe(false);
    held.open();
    await driven.transport.acknowledged;
    await until(() => acknowledged);
    const last = server.requests.filter(({ message }) => message.method === 'notifications/initialized').at(-1);
    expect(last?.headers).toMatchObject({ authorization: 'Bearer opener', 'mcp-session-id': 'session-1' });
  });

  test('initialized that fails settles too, and tells onerror', async () => {
    const server = await serve(legacy((_, response) => void response.end()));
    const { driven } = await connect(server.url);
    await driven.transport.acknowledged;
    server.requests.length = 0;
    const failing = drive('http://127.0.0.1:1/mcp');
    await failing.transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await failing.transport.acknowledged;
    expect(failing.errors).toEqual([expect.objectContaining({ code: 'unavailable' })]);
  });

  test('send resolves before the answer, and a refusal goes to onerror', async () => {
    const held = gate();
    const server = await serve(async (_, response) => {
      await held.opened;
      json(response, { error: 'busy' }, 503, { 'retry-after': '2' });
    });
    const { transport, errors } = drive(server.url);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
    await transport.send({ jsonrpc: '2.0', id: 4, result: {} });
    expect(errors).toEqual([]);
    held.open();
    await until(() => errors.length === 2);
    expect(errors).toEqual([
      expect.objectContaining({ code: 'http_error', data: { status: 503, retryAfter: 2000 } }),
      expect.objectContaining({ code: 'http_error' }),
    ]);
  });

  test('an onerror that throws breaks nothing', async () => {
    const { transport } = drive('http://127.0.0.1:1/mcp');
    transport.onerror = () => {
      throw new Error('observer');
    };
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await transport.acknowledged;
  });
});

describe('replies', () => {
  const answers: [string, (id: unknown) => string][] = [
    ['B5 data-only', (id) => event({ jsonrpc: '2.0', id, result: { ok: true } })],
    ['named message', (id) => `event: message\n${event({ jsonrpc: '2.0', id, result: { ok: true } })}`],
    ['CRLF', (id) => `event: message\r\ndata: {"jsonrpc":"2.0","id":${id},"result":{"ok":true}}\r\n\r\n`],
    ['comments and an empty event', (id) => `: ping\n\nid: 1\ndata:\n\n${event({ jsonrpc: '2.0', id, result: { ok: true } })}`],
    ['multi-line data', (id) => `data: {"jsonrpc":"2.0",\ndata: "id":${id},\ndata: "result":{"ok":true}}\n\n`],
    ['other events', (id) => `event: noise\ndata: not json\n\n${event({ jsonrpc: '2.0', id, result: { ok: true } })}`],
    ['a byte order mark', (id) => `\uFEFF${event({ jsonrpc: '2.0', id, result: { ok: true } })}`],
    ['no blank line at the end', (id) => `data: {"jsonrpc":"2.0","id":${id},"result":{"ok":true}}\n`],
    ['a batch', (id) => event([{ jsonrpc: '2.0', id, result: { ok: true } }])],
    ['an id as a string', (id) => event({ jsonrpc: '2.0', id: String(id), result: { ok: true } })],
    ['extra keys, bad _meta', (id) => event({ jsonrpc: '2.0', id, took: 3, result: { ok: true, _meta: null } })],
  ];

  test.each(answers)('SSE with %s reaches a real client', async (_, body) => {
    const server = await serve(
      legacy((request, response) => {
        sse(response);
        response.end(body(request.message.id));
      }),
    );
    const { client } = await connect(server.url);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
  });

  test('SSE that comes in any pieces is the same', async () => {
    const bytes = Buffer.from(`: hi\r\n\r\n${event({ jsonrpc: '2.0', id: 1, result: { text: 'äö€😀' } })}`);
    const server = await serve(async (_, response) => {
      sse(response);
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const { request, messages } = drive(server.url);
    await request('ping');
    expect(messages).toEqual([{ jsonrpc: '2.0', id: 1, result: { text: 'äö€😀' } }]);
  });

  test.each(['SSE', 'a JSON array'])('progress arrives before its reply, in order, in %s', async (kind) => {
    const server = await serve(
      legacy((request, response) => {
        const { progressToken } = request.message.params!._meta as { progressToken: number };
        const messages = [1, 2].map((progress) => ({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress },
        }));
        if (kind === 'SSE') sse(response, [...messages, reply(request)].map(event).join(''), true);
        else json(response, [...messages, reply(request)]);
      }),
    );
    const { client } = await connect(server.url);
    const seen: number[] = [];
    await ask(client, 'ping', {}, { onprogress: ({ progress }) => void seen.push(progress) });
    expect(seen).toEqual([1, 2]);
  });

  test('H6 a server’s ping on a stream is answered', async () => {
    const answered = gate();
    const server = await serve(async (request, response) => {
      if (request.message.id === 'q1') answered.open();
      if (request.message.method !== 'tools/call') return legacy()(request, response);
      sse(response, event({ jsonrpc: '2.0', id: 'q1', method: 'ping' }));
      await answered.opened;
      response.end(event(reply(request, { content: [] })));
    });
    const { client } = await connect(server.url);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [] });
    expect(server.requests.find(({ message }) => message.id === 'q1')?.message).toEqual({ jsonrpc: '2.0', id: 'q1', result: {} });
  });

  test('malformed JSON in one event goes to onerror and the stream goes on', async () => {
    const server = await serve((request, response) => {
      sse(response, 'data: {"jsonrpc":\n\ndata: 17\n\n');
      response.end(event(reply(request)));
    });
    const { request, messages, errors } = drive(server.url);
    await request('ping');
    expect(messages).toHaveLength(1);
    expect(errors.map((error) => (error as unknown as { code: string }).code)).toEqual(['bad_response', 'bad_response']);
  });

  test('a JSON array is taken message by message, one for another request as it is', async () => {
    const other = { jsonrpc: '2.0', id: 77, result: { other: true } };
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: {} };
    const server = await serve((request, response) => json(response, [note, other, reply(request), reply(request)]));
    const { request, messages } = drive(server.url);
    await request('ping');
    expect(messages).toEqual([
      note,
      other,
      { jsonrpc: '2.0', id: 1, result: { ok: true } },
      { jsonrpc: '2.0', id: 1, result: { ok: true } },
    ]);
  });

  test('two replies to one request do not hurt a real client', async () => {
    const server = await serve(legacy((request, response) => json(response, [reply(request), reply(request)])));
    const { client } = await connect(server.url);
    expect(await ask(client, 'ping')).toEqual({ ok: true });
    expect(await ask(client, 'ping')).toEqual({ ok: true });
  });

  test('a JSON-RPC error is the request’s error', async () => {
    const server = await serve(
      legacy(({ message }, response) =>
        json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no such tool' } }),
      ),
    );
    const { client } = await connect(server.url);
    await expect(ask(client, 'ping')).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('no such tool') });
  });

  test('an onmessage that throws goes to onerror', async () => {
    const server = await serve((request, response) => json(response, reply(request)));
    const { request, transport, errors } = drive(server.url);
    const thrown = new Error('handler');
    transport.onmessage = () => {
      throw thrown;
    };
    await request('ping');
    expect(errors).toEqual([thrown]);
  });

  test('a stream that stays open after the reply is let go of', async () => {
    const server = await serve((request, response) => sse(response, event(reply(request))));
    const { request, messages } = drive(server.url);
    await request('ping');
    expect(messages).toHaveLength(1);
    await until(() => server.open.size === 0);
  });

  test('a stream that ends soon after the reply leaves its connection usable', async () => {
    let connections = 0;
    const server = await serve((request, response) => {
      sse(response, event(reply(request)));
      setTimeout(() => response.end(), 2);
    });
    const seen = new Set<unknown>();
    const watch = setInterval(() => {
      for (const socket of server.sockets) if (!seen.has(socket)) connections += Number(Boolean(seen.add(socket)));
    }, 1);
    onTestFinished(() => clearInterval(watch));
    const { request } = drive(server.url);
    for (let id = 0; id < 10; id++) await request('ping', undefined, {}, id);
    expect(connections).toBeLessThanOrEqual(2);
  });

  test('overlapping requests get their own replies', async () => {
    const server = await serve(
      legacy((request, response) => {
        const { n } = request.message.params as { n: number };
        if (n % 2 === 0) return json(response, reply(request, { n }));
        sse(response);
        response.end(event(reply(request, { n })));
      }),
    );
    const { client } = await connect(server.url);
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(client, 'x/echo', { n })));
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => ({ n })));
  });
});

test('the everything server: connect, list, call, read, end the session', async () => {
  const { url, output } = await spawnEverything();
  const { client, driven } = await connect(url);
  expect(driven.transport.sessionId).toMatch(/\S/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('echo');
  expect(await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).toMatchObject({
    content: [{ type: 'text', text: 'Echo: hello' }],
  });
  expect((await client.listResources()).resources.length).toBeGreaterThan(0);
  const seen: number[] = [];
  const slow = { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 2 } };
  await client.callTool(slow, { onprogress: ({ progress }) => void seen.push(progress) });
  expect(seen).toEqual([1, 2]);
  await client.close();
  await until(() => /terminat|closed for session/i.test(output()));
  expect(driven.errors).toEqual([]);
});

test('a stream in any pieces gives the same messages, and ends with them', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), fc.array(fc.nat({ max: 400 }), { maxLength: 20 }), async (notes, cuts) => {
      const sent = [
        ...notes.map((note) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { note } })),
        { jsonrpc: '2.0', id: 1, result: { done: true } },
      ];
      const bytes = new TextEncoder().encode(sent.map(event).join(': comment\r\n'));
      const bounds = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const body = new ReadableStream({
        start(controller) {
          for (let n = 1; n < bounds.length; n++) controller.enqueue(bytes.slice(bounds[n - 1], bounds[n]));
          controller.close();
        },
      });
      const transport = new HttpTransport({
        server: 'docs',
        url: new URL('https://docs.example.com/mcp'),
        headers: () => new Headers(),
        fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
      });
      const messages: unknown[] = [];
      transport.onmessage = (message) => void messages.push(message);
      await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
      expect(messages).toEqual(sent);
    }),
  );
});
