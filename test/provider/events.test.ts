/** What a provider tells its listeners. */

import { describe, expect, it } from 'vitest';
import type { McpEventName, McpEvents, McpToolProvider } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, provide, pushing, status } from './support.ts';

const NAMES = [
  'call',
  'call_result',
  'call_error',
  'request',
  'request_result',
  'request_error',
  'notification',
  'connected',
  'disconnected',
  'session_reset',
  'list_changed',
  'warning',
] as const satisfies readonly McpEventName[];

type Told = { [Name in McpEventName]: McpEvents[Name][] };

function listen(provider: McpToolProvider): { told: Told; order: string[] } {
  const order: string[] = [];
  const told = Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Told;
  for (const name of NAMES) {
    provider.on(name, (event) => {
      (told[name] as unknown[]).push(event);
      order.push(name);
    });
  }
  return { told, order };
}

describe('L4J-28 L4J-69 events', () => {
  it('L4J-69 each request and each call, with request, result, call, principal and milliseconds', async () => {
    let now = 1_000;
    const server = await fake({
      tools: [{ name: 'echo' }, { name: 'bad' }],
      intercept: ({ message }, response) => {
        now += 7;
        return message.method === 'tools/call' && message.params?.name === 'bad' && status(response, 500);
      },
    });
    const provider = provide({
      servers: { s: { url: server.url } },
      now: () => now,
      middleware: [
        {
          name: 'twice',
          request: async (request, next) =>
            request.method === 'tools/call' ? next(request).then(() => next(request)) : next(request),
        },
      ],
    });
    const { told, order } = listen(provider);
    const principal = { id: 'zoe', attributes: { plan: 'paid' } };
    const tools = await provider.tools({ principal });
    expect(told.request.map(({ request }) => request.method)).toEqual(['server/discover', 'initialize', 'tools/list']);
    expect(told.request.every((event) => event.call === undefined && event.server === 's')).toBe(true);
    expect(told.connected).toMatchObject([{ server: 's', principal, generation: 1, era: 'legacy' }]);
    expect(told.request_error.map(({ request, error }) => [request.method, error.code])).toEqual([
      ['server/discover', 'protocol_error'],
    ]);
    expect(told.request_result.at(-1)).toMatchObject({
      request: { method: 'tools/list' },
      principal,
      result: { tools: [{ name: 'echo' }, { name: 'bad' }] },
    });

    order.length = 0;
    await call(tools, 's_echo', { text: 'x' });
    // A request event for each attempt that a middleware makes, one call event for each call.
    expect(order).toEqual(['call', 'request', 'request_result', 'request', 'request_result', 'call_result']);
    const [begun, ended, answered] = [told.call[0], told.call_result[0], told.request_result.at(-1)];
    expect(begun?.call).toMatchObject({ tool: { originalName: 'echo' }, input: { text: 'x' }, principal });
    expect(ended).toMatchObject({ result: { content: [{ text: 'echo {"text":"x"}' }] }, milliseconds: 14 });
    expect(ended?.call).toBe(begun?.call);
    expect(answered).toMatchObject({
      server: 's',
      principal,
      milliseconds: 7,
      result: { content: [{ text: 'echo {"text":"x"}' }] },
    });
    expect(answered?.call).toBe(begun?.call);
    expect(answered?.request.params).toMatchObject({ name: 'echo', arguments: { text: 'x' } });

    await failure(call(tools, 's_bad'));
    expect(told.call_error).toMatchObject([
      { call: { tool: { originalName: 'bad' } }, error: { code: 'http_error' }, milliseconds: 7 },
    ]);
    expect(told.request_error.at(-1)).toMatchObject({
      call: { tool: { originalName: 'bad' } },
      error: { code: 'http_error', server: 's' },
    });
  });

  it('L4J-28 connections, sessions, changes, notifications, warnings', async () => {
    const server = await pushing();
    const provider = provide({ servers: { s: { url: server.url }, bad: { url: 'http://127.0.0.1:1/mcp' } } });
    const { told } = listen(provider);
    const tools = await provider.tools();
    expect(told.warning).toMatchObject([{ kind: 'server_failed', server: 'bad' }]);
    await expect.poll(() => server.streams.size).toBe(1);
    for (const list of ['tools', 'resources', 'prompts']) server.push(`notifications/${list}/list_changed`);
    server.push('notifications/custom', { x: 1 });
    await expect.poll(() => told.notification).toHaveLength(4);
    expect(told.notification.at(-1)).toEqual({
      server: 's',
      principal: undefined,
      method: 'notifications/custom',
      params: { x: 1 },
    });
    expect(told.list_changed.map(({ list, server: key }) => [key, list])).toEqual([
      ['s', 'tools'],
      ['s', 'resources'],
      ['s', 'prompts'],
    ]);
    server.sessions.clear();
    await call(tools, 's_echo');
    expect(told.session_reset).toEqual([{ server: 's', principal: undefined }]);
    expect(told.connected.map(({ generation }) => generation)).toEqual([1, 2]);
    expect(told.disconnected.map(({ generation }) => generation)).toEqual([1]);
    await provider.close();
    expect(told.disconnected.map(({ generation }) => generation)).toEqual([1, 2]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('listener');
      },
    ],
    ['rejects', () => Promise.reject(new Error('listener'))],
    [
      'rejects later',
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new Error('listener');
      },
    ],
    ['never settles', () => new Promise(() => {})],
  ])('L4J-28 a listener that %s breaks nothing, nor keeps another from hearing', async (_how, listener) => {
    const server = await pushing();
    const provider = provide({
      servers: { s: { url: server.url }, bad: { url: 'http://127.0.0.1:1/mcp' } },
    });
    for (const name of NAMES) provider.on(name, listener);
    const { told } = listen(provider);
    const tools = await provider.tools();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    await expect.poll(() => server.streams.size).toBe(1);
    server.push('notifications/tools/list_changed');
    await expect.poll(() => told.list_changed).toHaveLength(1);
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    await provider.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(told.call_result).toHaveLength(1);
  });

  it('L4J-28 an `onWarning` that rejects breaks nothing either', async () => {
    const onWarning = async (): Promise<void> => {
      throw new Error('listener');
    };
    const provider = provide({ servers: { bad: { url: 'http://127.0.0.1:1/mcp' } }, onWarning });
    expect(Object.keys(await provider.tools())).toEqual([]);
    // An unhandled rejection fails the run.
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('L4J-28 `off` ends one listener alone, also of two that are the same; twice is fine', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    let heard = 0;
    const listener = (): void => void heard++;
    const [one, two] = [provider.on('call', listener), provider.on('call', listener)];
    const tools = await provider.tools();
    await call(tools, 's_echo');
    expect(heard).toBe(2);
    one();
    one();
    await call(tools, 's_echo');
    expect(heard).toBe(3);
    two();
    await call(tools, 's_echo');
    expect(heard).toBe(3);
  });

  it('L4J-28 L4J-53 the stream for changes is open while somebody listens for them, and no longer', async () => {
    const server = await pushing();
    const provider = provide({ servers: { s: { url: server.url } } });
    await provider.tools();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(count(server, 'GET')).toBe(0);
    const off = provider.on('notification', () => {});
    await expect.poll(() => server.streams.size).toBe(1);
    const also = provider.on('list_changed', () => {});
    off();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.streams.size).toBe(1);
    also();
    await expect.poll(() => server.streams.size).toBe(0);
    expect(server.sessions.size).toBe(1);
  });
});
