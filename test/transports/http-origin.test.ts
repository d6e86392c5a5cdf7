import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { MessageOrigin, RequestContext } from '../../src/transports/transport.ts';
import { json } from '../support/listen.ts';
import { drive, event, reply, serve, sse } from './http-support.ts';

const question = { jsonrpc: '2.0', id: 'q', method: 'sampling/createMessage', params: {} };

test.each(['SSE', 'a JSON array', 'a resumed stream'])(
  'what the server sends on the stream of a request comes with that request’s own context: %s',
  async (kind) => {
    const pending = new Map<string, unknown>();
    const server = await serve((request, response) => {
      const messages = [
        question,
        { ...reply(request), id: request.message.id ?? pending.get(String(request.headers['last-event-id'])) },
      ];
      if (kind === 'a JSON array') return json(response, messages);
      if (kind === 'SSE' || request.method === 'GET') return sse(response, messages.map(event).join(''), true);
      pending.set(String(request.message.id), request.message.id);
      sse(response, `id: ${request.message.id}\nretry: 1\ndata:\n\n`, true);
    });
    const { transport, request } = drive(server.url);
    const seen: [JSONRPCMessage, RequestContext | undefined][] = [];
    transport.onmessage = (message, extra) => void seen.push([message, (extra as MessageOrigin).origin]);
    const contexts = [1, 2, 3].map((): RequestContext => ({ headers: new Headers() }));
    await Promise.all(contexts.map((context, index) => request('tools/call', context, {}, index)));
    await request('tools/call', undefined, {}, 9);
    contexts.forEach((context, index) => {
      const mine = seen.filter(([, origin]) => origin === context).map(([message]) => message);
      expect(mine).toEqual([question, { jsonrpc: '2.0', id: index, result: { ok: true } }]);
    });
    expect(seen.filter(([, origin]) => origin === undefined)).toHaveLength(2);
    expect(seen).toHaveLength(8);
  },
);
