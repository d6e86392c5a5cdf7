/** What servers ask and tell while they work, and whose handlers answer. */

import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { McpHandlers } from '../../src/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fake } from '../support/fixtures.ts';
import type { Received } from '../support/listen.ts';
import { EVERYTHING, startEverything } from '../support/reference.ts';
import { call, count, failure, type Intercept, provide, textOf } from './support.ts';

type Said = { id?: unknown; method?: string; result?: unknown; error?: { code: number } };

/** A tool call's reply is a stream on which the server first says these; the call is answered with what the client said to them. */
function asking(...messages: readonly ((received: Received) => object)[]): Intercept & { said: Said[] } {
  const said: Said[] = [];
  const waiting = new Set<() => void>();
  let next = 0;
  const intercept = (received: Received, response: ServerResponse): boolean => {
    const message = received.message as Said;
    if (message.id !== undefined && message.method === undefined) {
      said.push(message);
      response.writeHead(202).end();
      for (const look of waiting) look();
      return true;
    }
    if (message.method !== 'tools/call') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (body: object): void => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...body })}\n\n`);
    const asked = messages.map((make) => ({ id: `question-${next++}`, ...make(received) }) as Said);
    const look = (): void => {
      const answers = asked.map(({ id }) => said.find((each) => each.id === id));
      if (answers.includes(undefined)) return;
      waiting.delete(look);
      send({ id: message.id, result: { content: [{ type: 'text', text: JSON.stringify(answers) }] } });
      response.end();
    };
    waiting.add(look);
    for (const each of asked) send(each);
    return true;
  };
  return Object.assign(intercept as Intercept, { said });
}

const form = () => ({
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
});
const accept = (name: string): McpHandlers => ({ elicitation: () => ({ action: 'accept', content: { name } }) });

describe('L4J-32 what a server sends of its own accord', () => {
  it('a ping is answered and an unknown request refused with -32601, in the middle of a call', async () => {
    const asks = asking(
      () => ({ method: 'ping' }),
      () => ({ method: 'made/up', params: {} }),
    );
    const server = await fake({ intercept: asks });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    const [pong, refused] = JSON.parse(await call(tools, 's_echo')) as Said[];
    expect(pong?.result).toEqual({});
    expect(refused?.error?.code).toBe(-32601);
  });

  it('`cancelled` for a call fails it at once, as of unknown outcome, and the next call works', async () => {
    let cancels = true;
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call' || !cancels) return false;
        cancels = false;
        const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id, reason: 'busy' } };
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(notice)}\n\n`);
        return true;
      },
    });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    expect(await failure(call(tools, 's_echo'))).toMatchObject({ code: 'outcome_unknown', server: 's' });
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(count(server, 'tools/call')).toBe(2);
  });
});

describe('handlers', () => {
  it('N7 two calls of two principals at once: each question goes to the handlers of its own call', async () => {
    const server = await fake({ intercept: asking(form) });
    const provider = provide({ servers: { s: { url: server.url } } });
    const seen: string[] = [];
    const ask = async (id: string) => {
      const handlers: McpHandlers = {
        elicitation: async (_, { principal, call: cause, server: key }) => {
          seen.push(`${id} ${principal?.id} ${cause?.tool.originalName} ${key}`);
          await new Promise((resolve) => setTimeout(resolve, 30));
          return { action: 'accept', content: { name: id } };
        },
      };
      const tools = await provider.tools({ principal: { id }, handlers });
      return (await Promise.all([call(tools, 's_echo'), call(tools, 's_echo')])).join();
    };
    const [zoe, bob] = await Promise.all(['zoe', 'bob'].map(ask));
    expect(zoe).toContain('zoe');
    expect(zoe).not.toContain('bob');
    expect(bob).toContain('bob');
    expect(bob).not.toContain('zoe');
    expect(seen.sort()).toEqual(['bob bob echo s', 'bob bob echo s', 'zoe zoe echo s', 'zoe zoe echo s']);
    expect(count(server, 'initialize')).toBe(2);
  });

  it('one request’s own stand in place of the provider’s one by one, on one connection', async () => {
    const server = await fake({ intercept: asking(form, () => ({ method: 'roots/list' })) });
    const provider = provide({
      servers: { s: { url: server.url } },
      handlers: { ...accept('common'), roots: () => [{ uri: 'file:///common' }] },
    });
    const common = await call(await provider.tools(), 's_echo');
    expect(common).toContain('common');
    const own = await call(await provider.tools({ handlers: accept('own') }), 's_echo');
    expect(own).toContain('own');
    expect(own).toContain('file:///common');
    expect(count(server, 'initialize')).toBe(1);
    const called = textOf(await provider.callTool({ server: 's', tool: 'echo', handlers: accept('mine') }));
    expect(called).toContain('mine');
    expect(called).toContain('file:///common');
    expect(count(server, 'initialize')).toBe(1);
  });

  it('a request that can answer more than the rest has one connection of its own', async () => {
    const server = await fake({ intercept: asking(form) });
    const provider = provide({ servers: { s: { url: server.url } }, handlers: { roots: () => [] } });
    await provider.tools();
    const tools = await provider.tools({ handlers: accept('own') });
    expect(await call(tools, 's_echo')).toContain('own');
    await provider.tools({ handlers: accept('another') });
    const told = server.requests
      .filter(({ message }) => message.method === 'initialize')
      .map(({ message }) => message.params?.capabilities);
    expect(told).toEqual([{ roots: { listChanged: true } }, { elicitation: {}, roots: { listChanged: true } }]);
  });

  it('L4J-31 setRoots tells those that were told of roots before, and answers with the new ones from then on', async () => {
    const server = await fake({ intercept: asking(() => ({ method: 'roots/list' })) });
    const provider = provide({ servers: { s: { url: server.url } }, handlers: { roots: () => [{ uri: 'file:///old' }] } });
    const tools = await provider.tools();
    expect(await call(tools, 's_echo')).toContain('file:///old');
    provider.setRoots([{ uri: 'file:///new' }]);
    await expect.poll(() => count(server, 'notifications/roots/list_changed')).toBe(1);
    expect(await call(tools, 's_echo')).toContain('file:///new');
    expect(await call(await provider.tools({ handlers: accept('x') }), 's_echo')).toContain('file:///new');
  });

  it('L4J-31 setRoots where nobody was told of roots tells nobody', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    await provider.tools();
    provider.setRoots([{ uri: 'file:///new' }]);
    await provider.callTool({ server: 's', tool: 'echo' });
    provider.setRoots([{ uri: 'file:///newer' }]);
    await provider.callTool({ server: 's', tool: 'echo' });
    expect(count(server, 'notifications/roots/list_changed')).toBe(0);
  });
});

describe('the everything server asks', () => {
  it.each(['stdio', 'http'])(
    'N7 over %s: the user of the call answers',
    async (kind) => {
      const everything = kind === 'http' ? await startEverything() : undefined;
      const config = stdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] });
      const provider = provide({
        servers: { s: everything === undefined ? config : { url: everything.url } },
        handlers: accept('nobody'),
      });
      const users: unknown[] = [];
      const ask = async (id: string) => {
        const elicitation: McpHandlers['elicitation'] = (_, { principal, call: cause }) => {
          users.push([id, principal?.id, cause?.principal?.id]);
          return { action: 'accept', content: { name: id, check: true } };
        };
        const principal = { id };
        return call(await provider.tools({ principal, handlers: { elicitation } }), 's_trigger-elicitation-request');
      };
      // Over stdio all users share the child, and two calls at once have no single owner: there one after the other.
      const answers = kind === 'http' ? await Promise.all(['zoe', 'bob'].map(ask)) : [await ask('zoe'), await ask('bob')];
      expect(answers[0]).toContain('zoe');
      expect(answers[1]).toContain('bob');
      expect(answers[0]).not.toContain('bob');
      // What is shared has no principal of its own; the call behind it has.
      expect(users.map((user) => (user as string[])[0]).sort()).toEqual(['bob', 'zoe']);
      for (const [id, , cause] of users as string[][]) expect(cause).toBe(id);
      await provider.close();
      await everything?.stop();
    },
    30_000,
  );
});
