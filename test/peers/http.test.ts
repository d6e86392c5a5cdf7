/** Real servers over Streamable HTTP. */

import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { closeToolSet, type FetchLike, inspectToolSet } from '../../src/index.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { startEverything } from '../support/reference.ts';
import { hasSdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { ADD, type Call, connect, fixture, GIT, make, repository, startHttp } from './support.ts';

const gitOptions = { MCP_TRANSPORT_TYPE: 'http', MCP_HTTP_HOST: '127.0.0.1' };

interface Exchange {
  /** The JSON-RPC method, or the HTTP method of what is no message. */
  readonly what: string;
  readonly version: string | null;
  readonly session: string | null;
  readonly status: number;
}

/** Connects, makes the call, closes, and finds no session left. */
async function visit(url: string, protocol: string, call: Call) {
  const exchanges: Exchange[] = [];
  const tools = await connect({ url, protocol, fetch: recording(exchanges) });
  await make(tools, call);
  await closeToolSet(tools);
  const { session = null } = exchanges.find(({ what }) => what === 'tools/call') ?? {};
  if (session !== null) {
    expect(exchanges.at(-1)).toMatchObject({ what: 'DELETE', session, status: expect.toSatisfy((status) => status < 300) });
    expect(await statusOf(url, session)).toBeGreaterThanOrEqual(400);
  }
  const { era, version } = inspectToolSet(tools).servers.peer ?? {};
  return { exchanges, spoken: { era, version, session: session !== null } };
}

function recording(exchanges: Exchange[]): FetchLike {
  return async (target, init) => {
    const response = await fetch(target, init);
    const headers = new Headers(init?.headers);
    const { method } = typeof init?.body === 'string' ? JSON.parse(init.body) : { method: init?.method };
    const [version, session] = [headers.get('mcp-protocol-version'), headers.get('mcp-session-id')];
    exchanges.push({ what: method, version, session, status: response.status });
    return response;
  };
}

/** How the server answers to a session that should be gone. */
async function statusOf(url: string, session: string): Promise<number> {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': session,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.body?.cancel();
  return response.status;
}

/** Connects and calls, kills the server, starts it again at its address, and calls again. */
async function outlive(args: readonly string[], env: (port: string) => Record<string, string>, call: Call): Promise<void> {
  const first = await startHttp(args, env('0'));
  const tools = await connect({ url: first.url });
  await make(tools, call);
  await first.stop();
  const second = await startHttp(args, env(String(first.port)));
  expect(second.url).toBe(first.url);
  await make(tools, call);
}

describe('real servers over HTTP', () => {
  it('peer everything, every legacy revision since sessions exist', async () => {
    const server = await startEverything();
    onTestFinished(server.stop);
    const call: Call = { tool: 'get-sum', input: { a: 2, b: 40 }, result: { content: [{ text: 'The sum of 2 and 40 is 42.' }] } };
    const revisions = { auto: '2025-11-25', '2025-11-25': '2025-11-25', '2025-06-18': '2025-06-18', '2025-03-26': '2025-03-26' };
    for (const [protocol, version] of Object.entries(revisions)) {
      const { exchanges, spoken } = await visit(server.url, protocol, call);
      expect(spoken).toEqual({ era: 'legacy', version, session: true });
      const sent = exchanges.filter(({ what }) => what !== 'server/discover' && what !== 'initialize');
      expect(new Set(sent.map((exchange) => exchange.version))).toEqual(new Set([version]));
    }
  });

  it('peer git, whose 500 to the probe is not the end', async () => {
    const { url } = await startHttp([GIT], { ...gitOptions, MCP_HTTP_PORT: '0' });
    const { exchanges, spoken } = await visit(url, 'auto', repository().status);
    expect(exchanges[0]).toMatchObject({ what: 'server/discover', status: 500 });
    expect(spoken).toEqual({ era: 'legacy', version: '2025-11-25', session: true });
  });

  it('A18 peer git: restarted between two calls, the second works', async () => {
    await outlive([GIT], (port) => ({ ...gitOptions, MCP_HTTP_PORT: port }), repository().status);
  });

  it.skipIf(!hasSdkV1)(`peer SDK 1.x${sdkV1LeftOut}`, async () => {
    const { url } = await startHttp([fixture('sdk-v1.mjs'), 'http']);
    const structured = { ...ADD, result: { ...ADD.result, structuredContent: { sum: 42 } } };
    const { spoken } = await visit(url, 'auto', structured);
    expect(spoken).toEqual({ era: 'legacy', version: '2025-11-25', session: true });
  });

  it.skipIf(!hasSdkV1)(`A18 peer SDK 1.x: restarted between two calls, the second works${sdkV1LeftOut}`, async () => {
    await outlive([fixture('sdk-v1.mjs'), 'http'], (port) => ({ PORT: port }), ADD);
  });

  it.each([
    ['auto', { era: 'modern', version: '2026-07-28' }, ['server/discover', 'tools/list', 'tools/call']],
    ['2026-07-28', { era: 'modern', version: '2026-07-28' }, ['server/discover', 'tools/list', 'tools/call']],
    [
      '2025-11-25',
      { era: 'legacy', version: '2025-11-25' },
      ['initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
    ],
  ])('peer SDK 2.x, both eras on one URL, protocol %s', async (protocol, spoken, methods) => {
    const server = await startSdkServer((mcp) => {
      const inputSchema = z.object({ a: z.number(), b: z.number() });
      mcp.registerTool('add', { description: 'Adds two numbers.', inputSchema }, async ({ a, b }) => ({
        content: [{ type: 'text', text: String(a + b) }],
      }));
    });
    onTestFinished(server.close);
    const visited = await visit(server.url, protocol, ADD);
    expect(visited.spoken).toEqual({ ...spoken, session: false });
    expect(visited.exchanges.map(({ what }) => what)).toEqual(methods);
  });
});
