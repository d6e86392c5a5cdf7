/** When a connection of a tool set falls back to HTTP+SSE, and what is told when that fails as well. */

import { describe, expect, test } from 'vitest';
import { mayFallBack } from '../../src/connection/open-http.ts';
import { McpToolSetError } from '../../src/errors.ts';
import { inspectToolSet } from '../../src/index.ts';
import type { HttpServer } from '../../src/servers.ts';
import { toolSet } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';
import { serveSse, spawnEverythingSse } from './legacy-sse-support.ts';

const load = (server: HttpServer) => toolSet({ servers: { old: server }, onServerError: 'throw' });

async function refusal(server: HttpServer): Promise<McpToolSetError> {
  const error = await load(server).then(
    () => new Error('it loaded'),
    (reason: unknown) => reason,
  );
  if (!McpToolSetError.is(error)) throw error;
  return error;
}

describe('L4J-54 a server that only knows HTTP+SSE', () => {
  test('is found behind its URL, and called', async () => {
    const { url } = await spawnEverythingSse();
    const tools = await load({ url });
    expect(inspectToolSet(tools).servers).toMatchObject({ old: { state: 'connected', era: 'legacy' } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => tools.old_echo?.execute?.({ message: `m${index}` }, executeOptions())),
    );
    expect(answers[9]).toMatchObject({ content: [{ text: 'Echo: m9' }] });
  });

  test('is not asked in vain a second time, and heals when its stream is gone', async () => {
    const server = await serveSse();
    const tools = await load({ url: server.sse, protocol: '2025-06-18' });
    const inVain = (): number => server.requests.filter(({ method, path }) => method === 'POST' && path === '/sse').length;
    expect(inVain()).toBe(1);
    for (const stream of server.streams) stream.end();
    await expect.poll(() => server.streams.size).toBe(0);
    expect(await tools.old_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'called' }] });
    expect(inVain()).toBe(1);
  });

  test('`transport: "sse"` goes straight there, "http" never does', async () => {
    const server = await serveSse();
    expect(await load({ url: server.sse, transport: 'sse' })).toHaveProperty('old_echo');
    expect(server.requests.some(({ method, path }) => method === 'POST' && path === '/sse')).toBe(false);
    const gets = server.requests.filter(({ method }) => method === 'GET').length;
    expect(await refusal({ url: server.sse, transport: 'http' })).toMatchObject({ code: 'http_error', data: { status: 404 } });
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(gets);
  });
});

describe('B8 the fallback', () => {
  test.each([400, 404, 405])('is tried on %d', async (status) => {
    const server = await serveSse({
      intercept: ({ method, path }, response) => method === 'POST' && path === '/sse' && response.writeHead(status).end() && true,
    });
    expect(await load({ url: server.sse })).toHaveProperty('old_echo');
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [429, 'rate_limited'],
    [500, 'http_error'],
    [503, 'http_error'],
  ])('hides no %d: the first error is told and no stream is opened', async (status, code) => {
    const server = await serveSse({
      intercept: ({ method, path }, response) => method === 'POST' && path === '/sse' && response.writeHead(status).end() && true,
    });
    expect(await refusal({ url: server.sse, protocol: '2025-06-18' })).toMatchObject({ code });
    expect(server.requests.filter(({ method }) => method === 'GET')).toEqual([]);
  });

  test.each([
    // What the fallback ran into is what is wrong.
    [404, 401, 'unauthorized', 401],
    [405, 503, 'http_error', 503],
    // The server knows neither: it is told by its first answer.
    [404, 405, 'http_error', 404],
    [400, 404, 'http_error', 400],
  ])('that fails as well (POST %d, GET %d) keeps the first error as cause', async (post, get, code, status) => {
    const server = await serveSse({
      intercept: ({ method }, response) => response.writeHead(method === 'POST' ? post : get).end() && true,
    });
    const error = await refusal({ url: server.sse, protocol: '2025-06-18' });
    expect(error).toMatchObject({ code, data: { status }, server: 'old' });
    expect(error.cause).toMatchObject({ code: 'http_error', data: { status: post } });
    for (const text of [`HTTP ${post}`, `HTTP ${get}`, 'was tried as well']) expect(error.message).toContain(text);
  });

  test('is no answer to anything but a refusal by status', () => {
    const coded = (code: 'http_error' | 'session_expired' | 'protocol_error', status?: number) =>
      new McpToolSetError(code, 'text', { data: { status } });
    expect([400, 404, 405].map((status) => mayFallBack(coded('http_error', status)))).toEqual([true, true, true]);
    expect([401, 403, 406, 410, 500, undefined].some((status) => mayFallBack(coded('http_error', status)))).toBe(false);
    expect(mayFallBack(coded('session_expired', 404))).toBe(false);
    expect(mayFallBack(coded('protocol_error'))).toBe(false);
    expect(mayFallBack(new Error('404'))).toBe(false);
  });
});
