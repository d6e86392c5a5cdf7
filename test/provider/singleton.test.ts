/** Development reloads: a provider of the same name takes over. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { McpToolProvider, McpToolProviderOptions } from '../../src/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fixture, runs, until } from '../node/support.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, PONG, provide, pushing, silentTo } from './support.ts';

let names = 0;
/** A name of its own for each test: the registry outlives it. */
const name = (): string => `test-${names++}`;

describe('J3 singleton', () => {
  it('J3 twenty re-creations adopt the session of an equal place, and take the new functions', async () => {
    const server = await fake();
    const singleton = name();
    let provider: McpToolProvider | undefined;
    for (let reload = 0; reload < 20; reload++) {
      provider = provide({
        servers: { s: { url: server.url, headers: () => ({ authorization: `reload ${reload}` }) } },
        principal: { id: 'me' },
        singleton,
      });
      expect(await call(await provider.tools(), 's_echo')).toBe('echo {}');
      expect(server.requests.at(-1)?.headers.authorization).toBe(`reload ${reload}`);
    }
    expect(count(server, 'initialize')).toBe(1);
    expect(count(server, 'tools/list')).toBe(1);
    expect(server.sessions.size).toBe(1);
    await provider?.close();
    expect(server.sessions.size).toBe(0);
  });

  it('J3 twenty re-creations keep one child process, and closing ends it', async () => {
    const singleton = name();
    const pids = new Set<number>();
    let provider: McpToolProvider | undefined;
    const script = `process.stderr.write(process.pid + '\\n'); await import(${JSON.stringify(fixture('server.mjs'))});`;
    for (let reload = 0; reload < 20; reload++) {
      const child = stdio({
        command: process.execPath,
        args: ['--input-type=module', '-e', script],
        onStderr: (line) => void pids.add(Number(line)),
      });
      provider = provide({ servers: { s: child }, singleton });
      expect(Object.keys(await provider.tools())).toContain('s_echo');
    }
    expect(pids.size).toBe(1);
    const [pid] = pids;
    expect(runs(pid)).toBe(true);
    await provider?.close();
    await until(() => !runs(pid));
  });

  it('J3 what is reached otherwise, and what is left out, is ended', async () => {
    const [kept, moved, gone] = [await fake(), await fake(), await fake()];
    const singleton = name();
    const servers = (more: object, url = moved.url): McpToolProviderOptions['servers'] => ({
      kept: { url: kept.url },
      moved: { url },
      ...more,
    });
    const first = provide({ servers: servers({ gone: { url: gone.url } }), singleton });
    await first.tools();
    expect([kept, moved, gone].map(({ sessions }) => sessions.size)).toEqual([1, 1, 1]);
    const [session] = moved.sessions;
    const second = provide({ servers: servers({}, `${moved.url}/other`), singleton });
    expect(Object.keys(await second.tools())).toEqual(['kept_echo', 'moved_echo']);
    await expect.poll(() => gone.sessions.size).toBe(0);
    await expect.poll(() => moved.sessions.has(String(session))).toBe(false);
    expect(count(kept, 'initialize')).toBe(1);
  });

  it('J3 the listeners, the health check and the settings of the old one are gone', async () => {
    const server = await pushing({ intercept: PONG, tools: [{ name: 'a' }, { name: 'b' }] });
    const singleton = name();
    const config = { url: server.url };
    const first = provide({
      servers: { s: config },
      singleton,
      healthCheck: { interval: 20 },
      filter: ({ originalName }) => originalName === 'a',
    });
    const heard: string[] = [];
    first.on('notification', () => void heard.push('old notification'));
    first.on('call', () => void heard.push('old call'));
    expect(Object.keys(await first.tools())).toEqual(['s_a']);
    await expect.poll(() => count(server, 'ping')).toBeGreaterThan(0);

    const second = provide({ servers: { s: config }, singleton, filter: ({ originalName }) => originalName === 'b' });
    second.on('call', () => void heard.push('new call'));
    const tools = await second.tools();
    expect(Object.keys(tools)).toEqual(['s_b']);
    await call(tools, 's_b');
    expect(heard).toEqual(['new call']);
    await new Promise((resolve) => setTimeout(resolve, 60));
    const pings = count(server, 'ping');
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(count(server, 'ping')).toBe(pings);
  });

  it('J3 closing the old one is harmless, and a record of it goes on working', async () => {
    const server = await fake();
    const singleton = name();
    const options = { servers: { s: { url: server.url } }, singleton };
    const first = provide(options);
    const record = await first.tools();
    const second = provide(options);
    await second.tools();
    await first.close();
    await first.close();
    expect(server.sessions.size).toBe(1);
    expect(await call(await second.tools(), 's_echo')).toBe('echo {}');
    expect(await call(record, 's_echo')).toBe('echo {}');
    expect(await failure(first.tools())).toMatchObject({ code: 'closed' });
    await second.close();
    expect(await failure(call(record, 's_echo'))).toMatchObject({ code: 'closed' });
  });

  it('J3 after the present one closed, the next starts from nothing; other names have nothing to do with it', async () => {
    const server = await fake();
    const [singleton, other] = [name(), name()];
    const options = { servers: { s: { url: server.url } } };
    const first = provide({ ...options, singleton });
    await first.tools();
    const apart = provide({ ...options, singleton: other });
    await apart.tools();
    const alone = provide(options);
    await alone.tools();
    expect(server.sessions.size).toBe(3);
    await first.close();
    expect(server.sessions.size).toBe(2);
    const next = provide({ ...options, singleton });
    expect(await call(await next.tools(), 's_echo')).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(4);
  });

  it('J3 a reload in the middle of a call and of a listing loses neither', async () => {
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/call' || message.method === 'tools/list')
          await new Promise((resolve) => setTimeout(resolve, 60));
        return false;
      },
    });
    const singleton = name();
    const options = { servers: { s: { url: server.url } }, singleton };
    const first = provide(options);
    const listing = first.tools();
    await expect.poll(() => server.log()).toContain('tools/list');
    const second = provide(options);
    const tools = await second.tools();
    expect(Object.keys(await listing)).toEqual(['s_echo']);
    const calling = call(tools, 's_echo');
    await expect.poll(() => server.log()).toContain('tools/call');
    const third = provide(options);
    expect(await calling).toBe('echo {}');
    await third.tools();
    expect(count(server, 'initialize')).toBe(1);
    expect(count(server, 'tools/list')).toBe(1);
  });

  it('J3 new middleware runs for what was adopted, handshakes and pings included, and the old one no longer', async () => {
    const server = await fake({ intercept: PONG });
    const singleton = name();
    const seen: string[] = [];
    const make = (mark: string) =>
      provide({
        servers: { s: { url: server.url } },
        singleton,
        middleware: [
          {
            name: mark,
            async request(request, next) {
              seen.push(`${mark} ${request.method}`);
              return next(request);
            },
          },
        ],
      });
    await make('old').tools();
    seen.length = 0;
    const second = make('new');
    await call(await second.tools(), 's_echo');
    await second.status({ probe: true });
    server.sessions.clear();
    await call(await second.tools(), 's_echo');
    expect(seen.filter((each) => each.startsWith('old'))).toEqual([]);
    expect(seen).toEqual(expect.arrayContaining(['new tools/call', 'new ping', 'new initialize']));
  });

  it('J3 options that are wrong take nothing over', async () => {
    const server = await fake({ intercept: silentTo('never') });
    const singleton = name();
    const first = provide({ servers: { s: { url: server.url } }, singleton });
    await first.tools();
    expect(() => provide({ servers: { s: { url: 'nonsense' } }, singleton })).toThrow();
    expect(server.sessions.size).toBe(1);
    expect(Object.keys(await first.tools())).toEqual(['s_echo']);
    onTestFinished(() => first.close());
  });
});
