import type { Transport } from '@modelcontextprotocol/client';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import type { McpHandlers, QuestionOwner } from '../../src/handlers.ts';
import { stdio } from '../../src/node/stdio.ts';
import { json, listen } from '../support/listen.ts';
import { EVERYTHING, startEverything } from '../support/reference.ts';
import { hasSdkV1, sdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { FORM, open, openGiven, openHttp, type Scripted, scripted, told } from './link-support.ts';

const CALL = { name: 'work', arguments: {} };
const never = () => new Promise<never>(() => {});
const signalled = () => new AbortController();
const accept: McpHandlers = { elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) };
const called = (message: { method?: string }): boolean => message.method === 'tools/call';

/** A call under way on a server that does not answer by itself. */
async function underWay(server: Scripted, owner: QuestionOwner | undefined, capabilities: McpHandlers = owner?.handlers ?? {}) {
  const opened = await open(server.transport, told(capabilities));
  const caller = signalled();
  const call = opened.link.request('tools/call', CALL, { signal: caller.signal, owner });
  const settled = call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  const { id } = await server.until(called);
  return { ...opened, caller, settled, id, finish: () => server.say({ id, result: { content: [] } }) };
}

describe('what a server asks', () => {
  it('H6 a ping is answered, and what nobody answers is refused at once', async () => {
    const server = scripted();
    await open(server.transport);
    expect(await server.ask('ping')).toMatchObject({ result: {} });
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list', 'tasks/list', 'no/such'])
      expect(await server.ask(method, FORM)).toMatchObject({ error: { code: -32601 } });
  });

  it('H6 also while it shakes hands', async () => {
    const server = scripted();
    const opening = open(server.transport);
    server.say({ id: 'early', method: 'ping' });
    expect(await server.until(({ id }) => id === 'early')).toMatchObject({ result: {} });
    await opening;
  });

  it('announces what there are handlers for, and no more', async () => {
    const server = scripted();
    await open(server.transport, told({ ...accept, roots: () => [] }));
    const { params } = await server.until(({ method }) => method === 'initialize');
    expect(params?.capabilities).toEqual({ elicitation: {}, roots: { listChanged: true } });
  });

  it('goes to the handler of the call that caused it, which hears whose it is', async () => {
    const server = scripted();
    const elicitation = vi.fn(accept.elicitation as NonNullable<McpHandlers['elicitation']>);
    const owner = { handlers: { elicitation }, principal: { id: 'ada' }, call: { toolCallId: 'call-1' } as never };
    const { settled, finish } = await underWay(server, owner);
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({
      result: { action: 'accept', content: { name: 'Ada', greet: true } },
    });
    const [request, context] = elicitation.mock.calls[0] ?? [];
    expect(request).toEqual(FORM);
    expect(context).toMatchObject({ server: 's', principal: { id: 'ada' }, call: { toolCallId: 'call-1' } });
    finish();
    expect(await settled).toMatchObject({ result: { content: [] } });
  });

  it('what was not announced does not reach a handler: addresses to open, tools in sampling', async () => {
    const server = scripted();
    const handlers = { elicitation: vi.fn(), sampling: vi.fn() };
    await underWay(server, { handlers });
    const url = { mode: 'url', message: 'Open it', url: 'https://example.com', elicitationId: '1' };
    expect(await server.ask('elicitation/create', url)).toMatchObject({ error: { code: -32602 } });
    const sampling = { messages: [], maxTokens: 5, tools: [{ name: 'x' }] };
    expect(await server.ask('sampling/createMessage', sampling)).toMatchObject({ error: { code: -32602 } });
    expect(handlers.elicitation).not.toHaveBeenCalled();
    expect(handlers.sampling).not.toHaveBeenCalled();
  });

  it('N7 with two calls under way nobody is asked: elicitation is cancelled, sampling refused', async () => {
    const server = scripted();
    const handlers = { elicitation: vi.fn(), sampling: vi.fn() };
    const { link } = await underWay(server, { handlers, principal: { id: 'ada' } });
    void link
      .request('tools/call', CALL, { signal: signalled().signal, owner: { handlers, principal: { id: 'bob' } } })
      .catch(() => {});
    await server.until(({ method, id }) => method === 'tools/call' && id === 2);
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({ result: { action: 'cancel' } });
    expect(await server.ask('sampling/createMessage', {})).toMatchObject({ error: { code: -1, message: expect.any(String) } });
    expect(handlers.elicitation).not.toHaveBeenCalled();
    expect(handlers.sampling).not.toHaveBeenCalled();
  });

  it('N7 nor while the server may still work on what another principal gave up', async () => {
    const server = scripted();
    const handlers = { elicitation: vi.fn(accept.elicitation as NonNullable<McpHandlers['elicitation']>) };
    const { link, caller, settled, id } = await underWay(server, { handlers, principal: { id: 'ada' } });
    caller.abort();
    await settled;
    const bob = { handlers, principal: { id: 'bob' } };
    void link.request('tools/call', CALL, { signal: signalled().signal, owner: bob }).catch(() => {});
    await server.until(({ method, id }) => method === 'tools/call' && id === 2);
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({ result: { action: 'cancel' } });
    expect(handlers.elicitation).not.toHaveBeenCalled();
    // The late answer says that it is over.
    server.say({ id, result: { content: [] } });
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({ result: { action: 'accept' } });
  });

  it('a health check beside the call, or a list that was given up, makes nothing unclear', async () => {
    const server = scripted();
    const { link } = await underWay(server, { handlers: accept, principal: { id: 'ada' } });
    const gone = signalled();
    const nobody = { handlers: accept };
    const list = link.request('tools/list', {}, { signal: gone.signal, owner: nobody });
    await server.until(({ method }) => method === 'tools/list');
    gone.abort();
    await list.catch(() => {});
    void link.request('ping', {}, { signal: signalled().signal, owner: nobody }).catch(() => {});
    await server.until(({ method }) => method === 'ping');
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({ result: { action: 'accept' } });
  });

  it('with no call under way nobody is asked, but roots are told', async () => {
    const server = scripted();
    const roots = vi.fn(() => [{ uri: 'file:///work', name: 'work' }]);
    await open(server.transport, told({ ...accept, roots }));
    expect(await server.ask('elicitation/create', FORM)).toMatchObject({ result: { action: 'cancel' } });
    expect(await server.ask('roots/list')).toMatchObject({ result: { roots: [{ uri: 'file:///work', name: 'work' }] } });
    expect(roots.mock.calls[0]).toMatchObject([{}, { server: 's', principal: undefined }]);
  });

  it('A8 a handler that never returns to nobody in particular ends with the connection', async () => {
    const server = scripted();
    let signal: AbortSignal | undefined;
    const roots: McpHandlers['roots'] = (_, context) => {
      signal = context.signal;
      return never();
    };
    const { link } = await open(server.transport, told({ roots }));
    server.say({ id: 'q', method: 'roots/list' });
    await vi.waitUntil(() => signal !== undefined);
    await link.close();
    expect(signal?.aborted).toBe(true);
    expect(server.received.filter(({ id }) => id === 'q')).toEqual([]);
  });

  it('L4J-31 tells a server that the roots have changed', async () => {
    const server = scripted();
    const { link } = await open(server.transport, told({ roots: () => [] }));
    await link.notify('notifications/roots/list_changed');
    expect(await server.until(({ method }) => method === 'notifications/roots/list_changed')).toBeDefined();
  });

  it.each([
    ['throws', () => Promise.reject(new Error('password hunter2'))],
    [
      'throws at once',
      () => {
        throw new TypeError('password hunter2');
      },
    ],
    ['answers nonsense', () => 'password hunter2' as never],
    ['answers nothing', () => undefined as never],
  ])('L5 a handler that %s costs that one answer, and no secret is told', async (_, elicitation) => {
    const server = scripted();
    const { settled, finish, noise } = await underWay(server, { handlers: { elicitation } });
    const answer = await server.ask('elicitation/create', FORM);
    expect(answer).toMatchObject({ error: { code: -32603, message: expect.stringContaining('elicitation handler') } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    expect(noise.map(({ message }) => message).join()).not.toContain('hunter2');
    finish();
    expect(await settled).toMatchObject({ result: {} });
  });

  it.each(['answered', 'aborted'])('H1 a handler that never returns ends with its call, once that is %s', async (how) => {
    const server = scripted();
    let signal: AbortSignal | undefined;
    const elicitation: McpHandlers['elicitation'] = (_, context) => {
      signal = context.signal;
      return never();
    };
    const { settled, finish, caller } = await underWay(server, { handlers: { elicitation } });
    const answer = server.ask('elicitation/create', FORM);
    await vi.waitUntil(() => signal !== undefined);
    if (how === 'answered') finish();
    else caller.abort();
    expect(await answer).toMatchObject({ result: { action: 'cancel' } });
    await settled;
    expect(signal?.aborted).toBe(true);
  });

  it('L4J-32 a question that the server takes back ends its handler, and is not answered', async () => {
    const server = scripted();
    let signal: AbortSignal | undefined;
    const elicitation: McpHandlers['elicitation'] = (_, context) => {
      signal = context.signal;
      return never();
    };
    const { settled, finish } = await underWay(server, { handlers: { elicitation } });
    // The same number as the call's.
    server.say({ id: 1, method: 'elicitation/create', params: FORM });
    await vi.waitUntil(() => signal !== undefined);
    server.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await vi.waitUntil(() => signal?.aborted);
    await server.ask('ping');
    expect(server.received.filter(({ id, method }) => id === 1 && method === undefined)).toEqual([]);
    // Taken back once more, it is still not the call that was meant.
    server.say({ method: 'notifications/cancelled', params: { requestId: 1 } });
    finish();
    expect(await settled).toMatchObject({ result: {} });
  });

  it('L4J-32 a call that the server cancels fails at once, as of unknown outcome', async () => {
    const server = scripted();
    const { settled, id, noise } = await underWay(server, undefined);
    server.say({ method: 'notifications/cancelled', params: { requestId: id, reason: 'shutting down' } });
    const { error } = (await settled) as { error: unknown };
    expect(McpToolSetError.is(error) && error.code).toBe('outcome_unknown');
    expect((error as Error).message).toContain('cancelled');
    expect(noise).toEqual([]);
    server.say({ method: 'notifications/cancelled', params: { requestId: 99 } });
    expect(await server.ask('ping')).toMatchObject({ result: {} });
  });

  it('a flood of questions is bounded, and ends with the connection', async () => {
    const server = scripted();
    const elicitation = vi.fn(never);
    const { link } = await underWay(server, { handlers: { elicitation } });
    for (let i = 0; i < 200; i++) server.say({ id: 1_000 + i, method: 'elicitation/create', params: FORM });
    await server.ask('ping');
    expect(elicitation.mock.calls.length).toBeLessThan(100);
    expect(server.received.filter(({ error }) => error !== undefined).length).toBeGreaterThan(100);
    const [, context] = elicitation.mock.calls[0] as unknown as [unknown, { signal: AbortSignal }];
    await link.close();
    expect(context.signal.aborted).toBe(true);
  });
});

describe('what a server tells', () => {
  it('log messages and progress reach their handlers, whose faults break nothing', async () => {
    const server = scripted();
    const handlers = {
      log: vi.fn(() => Promise.reject(new Error('no'))),
      progress: vi.fn(() => {
        throw new Error('no');
      }),
    };
    const renew = vi.fn();
    const { link, notifications } = await open(server.transport, told(handlers));
    const owner = { handlers, principal: { id: 'ada' } };
    const call = link.request('tools/call', CALL, { signal: signalled().signal, owner }, renew);
    const { id, params } = await server.until(called);
    const { progressToken } = (params as { _meta: { progressToken: unknown } })._meta;
    server.say({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2, message: 'half' } });
    server.say({ method: 'notifications/message', params: { level: 'info', logger: 'x', data: { a: 1 } } });
    await server.ask('ping');
    server.say({ id, result: { content: [] } });
    await call;
    const context = expect.objectContaining({ server: 's', principal: { id: 'ada' } });
    expect(handlers.progress).toHaveBeenCalledWith({ progress: 1, total: 2, message: 'half' }, context);
    expect(handlers.log).toHaveBeenCalledWith({ level: 'info', logger: 'x', data: { a: 1 } }, context);
    expect(renew).toHaveBeenCalled();
    expect(notifications.map(({ method }) => method)).toContain('notifications/message');
    server.say({ method: 'notifications/message', params: { level: 'info', data: 'late' } });
    await server.ask('ping');
    expect(handlers.log).toHaveBeenLastCalledWith(
      { level: 'info', data: 'late' },
      expect.objectContaining({ principal: undefined }),
    );
  });
});

describe('over HTTP', () => {
  it('N7 each of two calls at once is asked on its own stream, and answered with its own headers', async () => {
    const answers = new Map<string, { body: unknown; user: unknown }>();
    const server = await listen((received, response) => {
      const { id, method, params, result } = received.message as typeof received.message & { result?: unknown };
      if (received.method !== 'POST') return void response.writeHead(405).end();
      if (method === 'server/discover') return json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
      if (method === 'initialize') {
        const { protocolVersion } = params as { protocolVersion: string };
        return json(response, {
          jsonrpc: '2.0',
          id,
          result: { protocolVersion, capabilities: {}, serverInfo: { name: 'x', version: '1' } },
        });
      }
      if (result !== undefined) answers.set(String(id), { body: result, user: received.headers['x-user'] });
      if (method !== 'tools/call') return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const { name } = params as { name: string };
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: name, method: 'elicitation/create', params: FORM })}\n\n`);
      const timer = setInterval(() => {
        if (answers.size < 2) return;
        clearInterval(timer);
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`);
      }, 10);
    });
    const { link } = await openHttp(server.url, told(accept));
    const call = (user: string) =>
      link.request(
        'tools/call',
        { name: user },
        {
          signal: signalled().signal,
          headers: new Headers({ 'x-user': user }),
          owner: { handlers: { elicitation: () => ({ action: 'accept', content: { name: user } }) }, principal: { id: user } },
        },
      );
    await Promise.all([call('ada'), call('bob')]);
    for (const user of ['ada', 'bob'])
      expect(answers.get(user)).toEqual({ body: { action: 'accept', content: { name: user, greet: true } }, user });
    await server.close();
  });
});

describe('the everything server', () => {
  const handlers: McpHandlers = {
    elicitation: ({ message }) => ({ action: 'accept', content: { name: message.length > 0 ? 'Ada' : '', check: true } }),
    sampling: ({ messages }) => ({
      role: 'assistant',
      model: 'test-model',
      content: { type: 'text', text: `heard ${messages.length}` },
    }),
    roots: () => [{ uri: 'file:///work', name: 'work' }],
  };

  it.each(['http', 'stdio'])(
    'L4J-31 asks for roots, sampling and elicitation over %s',
    async (kind) => {
      const everything = kind === 'http' ? await startEverything() : undefined;
      const config = stdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] });
      const { link } =
        everything === undefined
          ? await open((await (config.transport as () => unknown)()) as Transport, told(handlers))
          : await openHttp(everything.url, told(handlers));
      const call = async (name: string, input: object = {}) =>
        JSON.stringify(
          await link.request(
            'tools/call',
            { name, arguments: input },
            {
              signal: AbortSignal.timeout(15_000),
              owner: { handlers },
            },
          ),
        );
      expect(await call('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 })).toContain('heard 1');
      const elicited = await call('trigger-elicitation-request');
      expect(elicited).toContain('Ada');
      expect(elicited).toContain('It was a dark and stormy night.');
      // It asks for roots on no call's behalf: over HTTP that needs a listening stream.
      link.listen();
      await vi.waitUntil(() => link.listening);
      expect(await call('get-roots-list')).toContain('file:///work');
      expect(await link.request('ping', {}, { signal: AbortSignal.timeout(5_000) })).toEqual({});
      await everything?.stop();
    },
    40_000,
  );
});

describe('a client that was made elsewhere', () => {
  const asking = () => {
    const server = new McpServer({ name: 'asking', version: '1' });
    server.registerTool('work', {}, async (ctx) => {
      const answer = await ctx.mcpReq.send({ method: 'elicitation/create', params: FORM as never });
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    });
    return server;
  };
  const ask = async (client: { connect(transport: never): Promise<void> }) => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    await asking().connect(far);
    await client.connect(near as never);
    const { link } = await openGiven(client as never);
    const result = await link.request('tools/call', CALL, { signal: AbortSignal.timeout(5_000), owner: { handlers: accept } });
    return JSON.stringify(result);
  };
  const clients = async () => [
    new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } }),
    ...(hasSdkV1 ? [new (await sdkV1()).Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })] : []),
  ];

  it(`is helped out with ours where it has no handler${sdkV1LeftOut}`, async () => {
    for (const client of await clients()) expect(await ask(client)).toContain('Ada');
  });

  it('keeps its own', async () => {
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Own' } }));
    expect(await ask(client)).toContain('Own');
    const fallback = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    fallback.fallbackRequestHandler = async () => ({ action: 'accept', content: { name: 'Fallen back' } });
    expect(await ask(fallback)).toContain('Fallen back');
  });
});
