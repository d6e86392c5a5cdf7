/** Every option of a server behind a URL, as a provider passes it on. */

import { describe, expect, it } from 'vitest';
import { type HttpLogEntry, type HttpServer, inspectToolSet } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { listen } from '../support/listen.ts';
import { serveSse } from '../transports/legacy-sse-support.ts';
import { call, count, failure, provide, pushing, status } from './support.ts';

const only = (server: HttpServer, more: object = {}) => provide({ servers: { s: server }, ...more });

describe('L4J-53 options of a URL server', () => {
  it('`headers` as an object, a Headers and a function', async () => {
    const server = await fake();
    for (const headers of [
      { 'x-key': '1' },
      new Headers({ 'x-key': '1' }),
      [['x-key', '1']] as [string, string][],
      () => ({ 'x-key': '1' }),
    ]) {
      const before = server.requests.length;
      const provider = only({ url: server.url, headers });
      await call(await provider.tools(), 's_echo');
      await provider.close();
      const sent = server.requests.slice(before).map(({ headers: seen }) => seen['x-key']);
      expect(sent.length).toBeGreaterThan(4);
      expect(new Set(sent)).toEqual(new Set(['1']));
    }
  });

  it('`fetch` of the server goes over that of the set; both are used for everything', async () => {
    const server = await fake();
    const used: string[] = [];
    const via = (label: string) => (url: string | URL, init?: RequestInit) => {
      used.push(`${label} ${init?.method}`);
      return fetch(url, init);
    };
    const provider = provide({
      servers: { own: { url: server.url, fetch: via('own') }, common: { url: server.url } },
      fetch: via('set'),
    });
    await provider.tools();
    await provider.close();
    expect(used.filter((each) => each.startsWith('own'))).toHaveLength(5);
    expect(used.filter((each) => each.startsWith('set'))).toHaveLength(5);
    expect(used).toContain('own DELETE');
    expect(server.requests).toHaveLength(10);
  });

  it('`log` hears each exchange, without query, header or body, and its fault breaks nothing', async () => {
    const server = await fake();
    const entries: HttpLogEntry[] = [];
    const provider = only({
      url: `${server.url}?key=sentinel-secret`,
      headers: { authorization: 'sentinel-secret' },
      log(entry) {
        entries.push(entry);
        throw new Error('logger');
      },
    });
    expect(await call(await provider.tools(), 's_echo', { text: 'sentinel-secret' })).toContain('sentinel-secret');
    await provider.close();
    expect(entries.length).toBe(server.requests.length);
    expect(entries[0]).toMatchObject({ server: 's', method: 'POST', address: server.url, status: 200 });
    expect(entries.at(-1)).toMatchObject({ method: 'DELETE', status: 204 });
    expect(entries.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
    expect(JSON.stringify(entries)).not.toContain('sentinel-secret');
  });

  it.each(['same-origin', 'refuse'] as const)('`redirect: "%s"`', async (redirect) => {
    const server = await fake({
      intercept: ({ path }, response) => {
        if (path !== '/old') return false;
        response.writeHead(307, { location: '/mcp' }).end();
        return true;
      },
    });
    const tools = await only({ url: new URL('/old', server.url), redirect }).tools();
    const { s } = inspectToolSet(tools).servers;
    if (redirect === 'same-origin') expect(await call(tools, 's_echo')).toBe('echo {}');
    else expect(s).toMatchObject({ state: 'failed', error: { code: 'redirect_refused' } });
  });

  it.each(['same-origin', 'refuse'] as const)(
    'N1 N2 `redirect: "%s"` follows no redirect to another origin, and no header goes there',
    async (redirect) => {
      const elsewhere = await fake();
      const server = await fake({
        intercept: (_, response) => {
          response.writeHead(307, { location: elsewhere.url }).end();
          return true;
        },
      });
      const tools = await only({ url: server.url, redirect, headers: { 'x-api-key': 'sentinel-secret' } }).tools();
      expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'failed', error: { code: 'redirect_refused' } });
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it('`stream`: false never, true always, auto while somebody listens; a refused one harms nothing (B2)', async () => {
    const server = await pushing();
    const states = await Promise.all(
      ([false, true, 'auto'] as const).map(async (stream) => {
        const provider = only({ url: server.url, stream });
        const tools = await provider.tools();
        return { provider, tools };
      }),
    );
    await expect.poll(() => server.streams.size).toBe(1);
    states[2]?.provider.on('list_changed', () => {});
    await expect.poll(() => server.streams.size).toBe(2);
    states[0]?.provider.on('list_changed', () => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.streams.size).toBe(2);
    const refusing = await fake();
    const tools = await only({ url: refusing.url, stream: true }).tools();
    await expect.poll(() => count(refusing, 'GET')).toBe(1);
    expect(await call(tools, 's_echo')).toBe('echo {}');
    expect(refusing.sessions.size).toBe(1);
  });

  it('`sessionId` is sent from the first message on', async () => {
    const server = await fake();
    server.sessions.add('given');
    const provider = only({ url: server.url, sessionId: 'given', protocol: '2025-06-18' });
    const tools = await provider.tools();
    expect(await call(tools, 's_echo')).toBe('echo {}');
    const called = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(called?.headers['mcp-session-id']).toBe('given');
    expect(count(server, 'initialize')).toBe(0);
  });

  it('`maxResponseBytes` caps a reply', async () => {
    const server = await fake({ tools: [{ name: 'big', result: { content: [{ type: 'text', text: 'x'.repeat(5_000) }] } }] });
    const tools = await only({ url: server.url, maxResponseBytes: 2_000 }).tools();
    expect(await failure(call(tools, 's_big'))).toMatchObject({ code: 'too_large' });
    expect(count(server, 'tools/call')).toBe(1);
  });

  it('B1 404 is healed once for each call: a server that always says it is given up, and the call was never executed', async () => {
    const server = await fake({ intercept: ({ message }, response) => message.method === 'tools/call' && status(response, 404) });
    const tools = await only({ url: server.url }).tools();
    expect(await failure(call(tools, 's_echo'))).toMatchObject({ code: 'session_expired' });
    expect(count(server, 'tools/call')).toBe(2);
    expect(count(server, 'initialize')).toBe(2);
    expect(server.executed).toEqual([]);
  });

  it('H5 a read is asked again after its connection was cut, a call is not', async () => {
    const cut = new Set<string>();
    const server = await fake({
      intercept: ({ message: { method = '' } }, response) => {
        if (!['tools/list', 'tools/call'].includes(method) || cut.has(method)) return false;
        cut.add(method);
        response.socket?.destroy();
        return true;
      },
    });
    const tools = await only({ url: server.url }).tools();
    expect(count(server, 'tools/list')).toBe(2);
    expect(await failure(call(tools, 's_echo'))).toMatchObject({ code: 'outcome_unknown' });
    expect(count(server, 'tools/call')).toBe(1);
  });

  it('H5 M2 429 is told with its Retry-After, not waited for and not repeated by the connection', async () => {
    const server = await fake({
      intercept: ({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        response.writeHead(429, { 'retry-after': '7' }).end();
        return true;
      },
    });
    const tools = await only({ url: server.url }).tools();
    expect(await failure(call(tools, 's_echo'))).toMatchObject({ code: 'rate_limited', data: { retryAfter: 7_000 } });
    expect(count(server, 'tools/call')).toBe(1);
  });
});

describe('L4J-54 HTTP+SSE', () => {
  it('is fallen back to on 404, and gone straight to with `transport: "sse"`; healing included', async () => {
    const server = await serveSse();
    const provider = provide({ servers: { found: { url: server.sse }, told: { url: server.sse, transport: 'sse' } } });
    const tools = await provider.tools();
    expect(await Promise.all(['found_echo', 'told_echo'].map((name) => call(tools, name)))).toEqual(['called', 'called']);
    for (const stream of server.streams) stream.end();
    await expect.poll(() => server.streams.size).toBe(0);
    expect(await call(tools, 'found_echo')).toBe('called');
    expect(await call(tools, 'told_echo')).toBe('called');
    await provider.close();
    await expect.poll(() => server.streams.size).toBe(0);
    await server.close();
  });

  it.each([401, 403, 500, 503])('B8 is not fallen back to on %i', async (code) => {
    const server = await listen((_, response) => void response.writeHead(code).end());
    const { s } = inspectToolSet(await only({ url: server.url }).tools()).servers;
    expect(s?.state).not.toBe('connected');
    expect(server.requests.map(({ method }) => method)).not.toContain('GET');
    await server.close();
  });
});
