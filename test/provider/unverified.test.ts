/** A snapshot's definitions are claims until the server itself has listed them. */

import { describe, expect, it } from 'vitest';
import type { McpToolProvider, ProviderSnapshot } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, either, failure, type Intercept, provide, status, textOf } from './support.ts';

const HINTED = { name: 'look', description: 'Looks.', annotations: { readOnlyHint: true }, _meta: { x: 1 } };

/** As it would be in a file. */
const written = (provider: McpToolProvider): ProviderSnapshot => JSON.parse(JSON.stringify(provider.snapshot()));

async function warmed(server: { url: string | URL }, more: object = {}): Promise<ProviderSnapshot> {
  const provider = provide({ servers: { s: { url: server.url, ...more } } });
  await provider.tools();
  return written(provider);
}

describe('J6 N8 definitions that nobody has verified', () => {
  const hint =
    (readOnlyHint: boolean): Intercept =>
    (received, response) => {
      if (received.message.method !== 'tools/list') return false;
      const tools = [{ ...HINTED, inputSchema: { type: 'object' }, annotations: { readOnlyHint } }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: received.message.id, result: { tools } }));
      return true;
    };

  it.each(['record', 'callTool'] as const)(
    'readOnly waits for the first real listing before a call (%s), and refuses what is a write by now',
    async (how) => {
      let claims = true;
      const server = await fake({ tools: [HINTED], intercept: either((received, response) => hint(claims)(received, response)) });
      const snapshot = await warmed(server);
      claims = false;
      const provider = provide({ servers: { s: { url: server.url } }, snapshot, middleware: [readOnly()] });
      const lists = count(server, 'tools/list');
      const run =
        how === 'record' ? call(await provider.tools(), 's_look') : provider.callTool({ server: 's', tool: 'look' }).then(textOf);
      expect(await failure(run)).toMatchObject({ code: 'not_allowed' });
      expect(server.executed).toEqual([]);
      expect(count(server, 'tools/list')).toBe(lists + 1);
    },
  );

  it('readOnly lets it through once the server has said the same', async () => {
    const server = await fake({ tools: [HINTED] });
    const snapshot = await warmed(server);
    const provider = provide({ servers: { s: { url: server.url } }, snapshot, middleware: [readOnly()] });
    expect(await call(await provider.tools(), 's_look')).toBe('look {}');
    expect(count(server, 'tools/list')).toBe(2);
    expect(textOf(await provider.callTool({ server: 's', tool: 'look' }))).toBe('look {}');
    expect(count(server, 'tools/list')).toBe(2);
  });

  it('readOnly refuses while the server cannot be asked, each time', async () => {
    let fails = false;
    const server = await fake({
      tools: [HINTED],
      intercept: ({ message }, response) => fails && message.method === 'tools/list' && status(response, 500),
    });
    const snapshot = await warmed(server);
    fails = true;
    const provider = provide({ servers: { s: { url: server.url } }, snapshot, middleware: [readOnly()] });
    const tools = await provider.tools();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failure(call(tools, 's_look'))).toMatchObject({ code: 'not_allowed' });
      expect(await failure(provider.callTool({ server: 's', tool: 'look' }))).toMatchObject({ code: 'not_allowed' });
    }
    expect(server.executed).toEqual([]);
  });

  it('`listTtl: 0` asks before it answers', async () => {
    const server = await fake({ tools: [HINTED] });
    const snapshot = await warmed(server);
    const provider = provide({ servers: { s: { url: server.url } }, snapshot, listTtl: 0 });
    await provider.tools();
    expect(count(server, 'tools/list')).toBe(2);
  });
});
