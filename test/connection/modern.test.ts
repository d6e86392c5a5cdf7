import type { Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import type { McpHandlers } from '../../src/handlers.ts';
import { json, type Listening, listen, type Received } from '../support/listen.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { FORM, openHttp } from './link-support.ts';

const CALL = { name: 'work', arguments: {} };
const COMPLETE = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const within = (handlers?: McpHandlers, signal = AbortSignal.timeout(10_000)) => ({ signal, owner: { handlers } });
const wants = (more: object = {}) => ({
  resultType: 'input_required',
  inputRequests: { who: { method: 'elicitation/create', params: FORM } },
  ...more,
});
const accept: McpHandlers = { elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) };

async function failure(promise: Promise<unknown>): Promise<McpToolSetError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!McpToolSetError.is(error)) throw error;
  return error;
}

/** A modern server whose answers are the test's own: a result, or what the function does with the response. */
async function modern(
  answer: (received: Received, response: ServerResponse) => object | undefined,
  capabilities: object = { tools: {} },
): Promise<Listening> {
  const server = await listen((received, response) => {
    const { id, method } = received.message;
    const discover = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', supportedVersions: ['2026-07-28'], capabilities };
    if (id === undefined) return void response.writeHead(202).end();
    const result = method === 'server/discover' ? discover : answer(received, response);
    if (result !== undefined) json(response, { jsonrpc: '2.0', id, result });
  });
  onTestFinished(() => server.close());
  return server;
}

const calls = ({ requests }: Listening) => requests.flatMap(({ message }) => (message.method === 'tools/call' ? [message] : []));

describe('multi-round-trip requests', () => {
  it('L4J-61 a tool of an SDK server is given what it asks for', async () => {
    const server = await startSdkServer((mcp) =>
      mcp.registerTool('work', {}, async (ctx) => {
        const answer = acceptedContent<{ name: string; greet: boolean }>(ctx.mcpReq.inputResponses, 'who');
        if (answer === undefined)
          return inputRequired({ inputRequests: { who: inputRequired.elicit(FORM as never), where: inputRequired.listRoots() } });
        return { content: [{ type: 'text', text: JSON.stringify([answer, ctx.mcpReq.inputResponses?.where]) }] };
      }),
    );
    onTestFinished(() => server.close());
    const { link } = await openHttp(server.url);
    const elicitation = vi.fn(accept.elicitation as NonNullable<McpHandlers['elicitation']>);
    const handlers = { elicitation, roots: () => [{ uri: 'file:///work' }] };
    const owner = { handlers, principal: { id: 'ada' }, call: { toolCallId: 'call-1' } as never };
    const renew = vi.fn();
    const result = await link.request('tools/call', CALL, { signal: AbortSignal.timeout(10_000), owner }, renew);
    const expected = [{ greet: true, name: 'Ada' }, { roots: [{ uri: 'file:///work' }] }];
    expect(JSON.parse((result.content as { text: string }[])[0]?.text ?? '')).toEqual(expected);
    expect(elicitation.mock.calls[0]?.[1]).toMatchObject({
      server: 's',
      principal: { id: 'ada' },
      call: { toolCallId: 'call-1' },
    });
    expect(renew).toHaveBeenCalled();
  });

  it('echoes the state exactly, sends none where there was none, and never under the same id', async () => {
    const state = ' {"a": [1,\t2], "ü": "\\u00e9"} ';
    const answers = [wants({ requestState: state }), wants(), COMPLETE];
    const server = await modern(({ message }) => (message.method === 'tools/call' ? answers.shift() : { tools: [] }));
    const { link } = await openHttp(server.url);
    expect(await link.request('tools/call', CALL, within(accept))).toEqual({ content: COMPLETE.content });
    const [first, second, third] = calls(server);
    const who = { action: 'accept', content: { name: 'Ada', greet: true } };
    expect(first?.params).not.toHaveProperty('inputResponses');
    expect(second?.params).toMatchObject({ ...CALL, inputResponses: { who }, requestState: state });
    expect(third?.params).toMatchObject({ ...CALL, inputResponses: { who } });
    expect(third?.params).not.toHaveProperty('requestState');
    expect(new Set([first?.id, second?.id, third?.id]).size).toBe(3);
  });

  it('answers of one call reach no other', async () => {
    const server = await modern(({ message: { params } }) => {
      const { inputResponses, name } = params as { inputResponses?: object; name: string };
      return name === 'asks' && inputResponses === undefined ? wants({ requestState: name }) : COMPLETE;
    });
    const { link } = await openHttp(server.url);
    const both = ['asks', 'asks not'].map((name) => link.request('tools/call', { name }, within(accept)));
    await Promise.all(both);
    for (const { params } of calls(server)) if (params?.name === 'asks not') expect(params).not.toHaveProperty('inputResponses');
    expect(calls(server)).toHaveLength(3);
  });

  it('a request that only wants time is repeated', async () => {
    const answers = [{ resultType: 'input_required', requestState: 'later' }, COMPLETE];
    const server = await modern(() => answers.shift());
    const { link } = await openHttp(server.url);
    expect(await link.request('tools/call', CALL, within())).toEqual({ content: COMPLETE.content });
    expect(calls(server)[1]?.params).toMatchObject({ requestState: 'later' });
  });

  it('without a handler the call fails and says what the server wanted, and nobody is asked the rest', async () => {
    const roots = vi.fn(() => []);
    const both = { who: { method: 'elicitation/create', params: FORM }, where: { method: 'roots/list' } };
    const server = await modern(() => wants({ inputRequests: both }));
    const { link } = await openHttp(server.url);
    const error = await failure(link.request('tools/call', CALL, within({ roots })));
    expect(error.code).toBe('input_required');
    expect(error.message).toMatch(/elicitation\/create.*Who\?.*handlers\.elicitation/);
    expect(roots).not.toHaveBeenCalled();
    expect(calls(server)).toHaveLength(1);
  });

  it('A9 a server that always wants more is given up after ten rounds', async () => {
    const server = await modern(() => wants());
    const { link } = await openHttp(server.url);
    expect((await failure(link.request('tools/call', CALL, within(accept)))).message).toMatch(/10 rounds/);
    expect(calls(server)).toHaveLength(11);
  });

  it.each([
    ['nothing', { inputRequests: {} }],
    ['no request', { inputRequests: { who: 'you' } }],
    ['a type that nobody knows', { resultType: 'later' }],
  ])('wanting %s is a bad answer', async (_, odd) => {
    const server = await modern(() => wants(odd));
    const { link } = await openHttp(server.url);
    expect((await failure(link.request('tools/call', CALL, within(accept)))).code).toBe('bad_response');
  });

  it('wanting what no client has fails the call', async () => {
    const server = await modern(() => wants({ inputRequests: { x: { method: 'no/such' } } }));
    const { link } = await openHttp(server.url);
    expect((await failure(link.request('tools/call', CALL, within({ ...accept, log() {} })))).message).toMatch(/no\/such/);
  });

  it('L5 a handler that fails fails its call, whose other handlers end, and no secret is told', async () => {
    let sampled: AbortSignal | undefined;
    const requests = {
      who: { method: 'elicitation/create', params: FORM },
      what: { method: 'sampling/createMessage', params: {} },
    };
    const server = await modern(() => wants({ inputRequests: requests }));
    const { link } = await openHttp(server.url);
    const handlers: McpHandlers = {
      elicitation: () => Promise.reject(new Error('password hunter2')),
      sampling: (_, { signal }) => {
        sampled = signal;
        return new Promise(() => {});
      },
    };
    const error = await failure(link.request('tools/call', CALL, within(handlers)));
    expect(error.message).toMatch(/elicitation handler failed/);
    expect(error.message).not.toContain('hunter2');
    expect(sampled?.aborted).toBe(true);
  });

  it('H1 an abort ends the call while its handler still thinks', async () => {
    const server = await modern(() => wants());
    const { link } = await openHttp(server.url);
    const caller = new AbortController();
    let asked: AbortSignal | undefined;
    const elicitation: McpHandlers['elicitation'] = (_, { signal }) => {
      asked = signal;
      return new Promise(() => {});
    };
    const call = link.request('tools/call', CALL, within({ elicitation }, caller.signal));
    call.catch(() => {});
    await vi.waitUntil(() => asked !== undefined);
    caller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(asked?.aborted).toBe(true);
  });
});

describe('modern requests', () => {
  it('tell the server of the handlers of each request, and of no others', async () => {
    const server = await modern(() => COMPLETE);
    const { link } = await openHttp(server.url);
    await link.request('tools/call', { ...CALL, _meta: { mine: 1 } }, within({ ...accept, roots: () => [], log() {} }));
    await link.request('tools/call', CALL, within());
    const [first, second] = calls(server).map(({ params }) => (params as { _meta: object })._meta);
    expect(first).toMatchObject({
      mine: 1,
      [CAPABILITIES_KEY]: { elicitation: {}, roots: {} },
      'io.modelcontextprotocol/logLevel': 'info',
    });
    expect(second).toMatchObject({ [CAPABILITIES_KEY]: {} });
    expect((second as Record<string, object>)[CAPABILITIES_KEY]).toEqual({});
    expect(second).not.toHaveProperty(['io.modelcontextprotocol/logLevel']);
  });

  it('F13 a result that leaves out or has odd fields is read all the same', async () => {
    const odd = { content: [{ type: 'hologram', depth: 3 }], _meta: { a: 1 }, more: [null] };
    const server = await modern(({ message }) =>
      message.method === 'tools/call'
        ? odd
        : { resultType: 'complete', tools: [{ name: 'ok', inputSchema: { type: 'object' } }, { name: 7 }] },
    );
    const { link } = await openHttp(server.url);
    expect(await link.request('tools/call', CALL, within())).toEqual(odd);
    expect(await link.request('tools/list', {}, within())).toEqual({
      tools: [{ name: 'ok', inputSchema: { type: 'object' } }, { name: 7 }],
    });
  });

  it('H6 a question on a reply stream is none of this era and harms nothing; log messages there are heard', async () => {
    const server = await modern(({ message: { id } }, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const said = [
        { id: 0, method: 'elicitation/create', params: FORM },
        { method: 'notifications/message', params: { level: 'info', data: 'working' } },
        { id, result: COMPLETE },
      ];
      response.end(said.map((each) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...each })}\n\n`).join(''));
      return undefined;
    });
    const { link } = await openHttp(server.url);
    const handlers = { elicitation: vi.fn(), log: vi.fn() };
    expect(await link.request('tools/call', CALL, within(handlers))).toEqual({ content: COMPLETE.content });
    expect(handlers.elicitation).not.toHaveBeenCalled();
    expect(handlers.log).toHaveBeenCalledWith({ level: 'info', data: 'working' }, expect.objectContaining({ server: 's' }));
  });
});

describe('subscriptions/listen', () => {
  async function notifying(port = 0) {
    const handler = createMcpHandler(() => {
      const server = new McpServer(
        { name: 'notifying', version: '1' },
        { capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } } },
      );
      server.registerTool('work', {}, async () => ({ content: [] }));
      return server;
    });
    const node = toNodeHandler(handler);
    const opened: number[] = [];
    const http: Server = createServer((request, response) => {
      if (request.headers['mcp-method'] === 'subscriptions/listen') opened.push(Date.now());
      void node(request as Parameters<typeof node>[0], response);
    });
    await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
    const { port: chosen } = http.address() as AddressInfo;
    const close = () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
    onTestFinished(close);
    return { handler, http, opened, close, port: chosen, url: `http://127.0.0.1:${chosen}/mcp` };
  }

  it('I3 tells of changed lists and resources, until it is not wanted any more', async () => {
    const server = await notifying();
    const onListening = vi.fn();
    const { link, notifications } = await openHttp(server.url, { onListening });
    expect(link.listening).toBe(false);
    link.listen({ lists: ['tools', 'prompts'], resources: ['file:///a'] });
    await vi.waitUntil(() => link.listening);
    expect(onListening).toHaveBeenCalledTimes(1);
    server.handler.notify.toolsChanged();
    server.handler.notify.resourceUpdated('file:///b');
    server.handler.notify.resourceUpdated('file:///a');
    await vi.waitUntil(() => notifications.length >= 2);
    expect(notifications.map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
    ]);
    link.listen({ lists: ['tools', 'prompts'], resources: ['file:///a'] });
    await link.request('tools/list', {}, within());
    expect(server.opened).toHaveLength(1);
    link.unlisten();
    expect(link.listening).toBe(false);
    server.handler.notify.toolsChanged();
    await link.request('tools/list', {}, within());
    expect(notifications).toHaveLength(2);
  });

  it('B12 is opened again when it ends, and says so', async () => {
    const server = await notifying();
    const onListening = vi.fn();
    const { link, notifications, noise } = await openHttp(server.url, { onListening });
    link.listen();
    await vi.waitUntil(() => link.listening);
    server.http.closeAllConnections();
    await vi.waitUntil(() => !link.listening);
    await vi.waitUntil(() => link.listening, { timeout: 8_000 });
    expect(onListening.mock.calls).toEqual([[true], [false], [true]]);
    server.handler.notify.toolsChanged();
    await vi.waitUntil(() => notifications.length === 1);
    expect(noise.filter(McpToolSetError.is)).toEqual([]);
  }, 15_000);

  it('B17 is not asked for again where the server has none', async () => {
    const refused = { code: -32601, message: 'Method not found' };
    const server = await modern(
      ({ message: { id, method } }, response) => {
        if (method !== 'subscriptions/listen') return { tools: [] };
        json(response, { jsonrpc: '2.0', id, error: refused });
        return undefined;
      },
      { tools: { listChanged: true } },
    );
    const { link } = await openHttp(server.url);
    const asked = () => server.requests.filter(({ message }) => message.method === 'subscriptions/listen').length;
    link.listen();
    await vi.waitUntil(() => asked() === 1);
    await link.request('tools/list', {}, within());
    link.listen();
    link.listen({ lists: ['tools'] });
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(asked()).toBe(1);
    expect(link.listening).toBe(false);
  });

  it('is not asked for where the server tells of no changes', async () => {
    const server = await modern(() => ({ tools: [] }));
    const { link } = await openHttp(server.url);
    link.listen();
    await link.request('tools/list', {}, within());
    expect(server.requests.map(({ message }) => message.method)).not.toContain('subscriptions/listen');
  });

  it('A8 ends with its connection', async () => {
    const server = await notifying();
    const { link } = await openHttp(server.url);
    link.listen();
    await vi.waitUntil(() => link.listening);
    await link.close();
    expect(link.listening).toBe(false);
    link.listen();
    server.http.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.opened).toHaveLength(1);
  });
});
