/** A snapshot: tools without a round trip, in another process. */

import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpToolProvider, type ProviderSnapshot } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fixture } from '../node/support.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, gate, type Intercept, listed, provide, silentTo } from './support.ts';

const HINTED = { name: 'look', description: 'Looks.', annotations: { readOnlyHint: true }, _meta: { x: 1 } };

/** As it would be in a file. */
const written = (provider: McpToolProvider): ProviderSnapshot => JSON.parse(JSON.stringify(provider.snapshot()));

async function warmed(server: { url: string | URL }, more: object = {}): Promise<ProviderSnapshot> {
  const provider = provide({ servers: { s: { url: server.url, ...more } } });
  await provider.tools();
  return written(provider);
}

describe('J6 snapshot()', () => {
  it('is plain JSON, the same for the same servers, and has nothing of what was not listed', async () => {
    const [one, two] = [await fake({ tools: [HINTED] }), await fake()];
    const provider = provide({ servers: { two: { url: two.url }, one: { url: one.url } } });
    expect(provider.snapshot()).toEqual({ format: 1, servers: {} });
    await provider.tools({ servers: ['two'] });
    expect(Object.keys(provider.snapshot().servers)).toEqual(['two']);
    await provider.tools();
    const snapshot = provider.snapshot();
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    expect(snapshot).toEqual(structuredClone(snapshot));
    expect(snapshot.servers.one).toMatchObject({ era: 'legacy', tools: [{ name: 'look', annotations: { readOnlyHint: true } }] });
    const other = provide({ servers: { one: { url: one.url }, two: { url: two.url } } });
    await other.tools();
    expect(JSON.stringify(other.snapshot())).toBe(JSON.stringify(snapshot));
  });

  it('a provider made from it answers with the same record before its server has said a word, and lists anew behind', async () => {
    const [held, tools] = [gate(), [HINTED, { name: 'write' }]];
    let cold = false;
    const server = await fake({
      tools,
      intercept: async () => {
        if (cold) await held.passed;
        return false;
      },
    });
    const first = provide({ servers: { s: { url: server.url } } });
    const before = JSON.stringify(await first.tools());
    const snapshot = written(first);
    await first.close();
    cold = true;
    const background: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>): void => void background.push(work);
    const provider = provide({ servers: { s: { url: server.url } }, snapshot, waitUntil });
    const record = await provider.tools();
    expect(JSON.stringify(record)).toBe(before);
    expect(inspectToolSet(record).servers.s).toMatchObject({ state: 'connected', tools: 2, era: 'legacy' });
    tools.pop();
    held.open();
    await Promise.all(background);
    expect(Object.keys(await provider.tools())).toEqual(['s_look']);
    expect(count(server, 'tools/list')).toBe(2);
    // The era came with it.
    expect(count(server, 'server/discover')).toBe(1);
  });

  it.each<[string, (config: { url: string }) => object]>([
    ['path', ({ url }) => ({ url: `${url}/other` })],
    ['header', ({ url }) => ({ url, headers: { 'x-tenant': 'b' } })],
    ['protocol', ({ url }) => ({ url, protocol: '2025-06-18' })],
    ['`headers` function', ({ url }) => ({ url, headers: () => ({}) })],
  ])('what was taken of a server with another %s is ignored', async (_what, change) => {
    const tools = [{ name: 'old' }];
    const server = await fake({ tools });
    const snapshot = await warmed(server);
    tools.splice(0, 1, { name: 'new' });
    const same = provide({ servers: { s: { url: server.url } }, snapshot });
    expect(Object.keys(await same.tools())).toEqual(['s_old']);
    const changed = provide({ servers: { s: change({ url: server.url }) as never }, snapshot });
    expect(Object.keys(await changed.tools())).toEqual(['s_new']);
  });

  it.each<[string, unknown]>([
    ['another format', { format: 2, servers: { s: { place: 'x', tools: [] } } }],
    ['a broken server', { format: 1, servers: { s: null } }],
    ['a server of another kind', { format: 1, servers: { s: 'x', t: 1 } }],
    ['no tools', { format: 1, servers: { s: {} } }],
    ['a name of Object’s', JSON.parse('{"format":1,"servers":{"__proto__":{"place":"x"},"constructor":{"place":"y"}}}')],
  ])('%s in it is ignored', async (_what, snapshot) => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } }, snapshot: snapshot as ProviderSnapshot });
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
  });

  it('tools in it are read as leniently as from a server: a bad one costs itself', async () => {
    const server = await fake({ intercept: silentTo('tools/list') });
    const good = await fake();
    const { s } = (await warmed(good)).servers;
    const provider = provide({
      servers: { s: { url: good.url } },
      snapshot: {
        format: 1,
        servers: { s: { ...(s as never as object), tools: [...(s?.tools ?? []), null, { name: 1 }, 'x'] } as never },
      },
    });
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    await server.close();
  });

  it('what it holds that is no longer true is put right by the first listing, or by the call', async () => {
    const tools = [{ name: 'old' }];
    const server = await fake({ tools });
    const snapshot = await warmed(server);
    tools.splice(0, 1, { name: 'new' });
    const provider = provide({ servers: { s: { url: server.url } }, snapshot, middleware: [readOnly({ allow: ['s/*'] })] });
    const record = await provider.tools();
    expect(Object.keys(record)).toEqual(['s_old']);
    expect(await failure(call(record, 's_old'))).toMatchObject({ code: 'tool_not_found' });
    expect(Object.keys(await provider.tools())).toEqual(['s_new']);
    expect(server.executed).toEqual([]);
  });
});

describe('J6 N7 what is not in it', () => {
  it('no secret: neither header values, nor a query, nor a session, nor variables of a child', async () => {
    const server = await fake();
    const provider = provide({
      servers: {
        s: { url: `${server.url}?key=sentinel-secret`, headers: { authorization: 'sentinel-secret' } },
        child: stdio({ command: process.execPath, args: [fixture('server.mjs')], env: { TOKEN: 'sentinel-secret' } }),
      },
    });
    await provider.tools();
    const text = JSON.stringify(provider.snapshot());
    expect(Object.keys(provider.snapshot().servers)).toEqual(['child', 's']);
    expect(text).not.toContain('sentinel-secret');
    for (const session of server.sessions) expect(text).not.toContain(session);
  });

  it('no listing of a principal, of the provider’s own principal, or behind a `headers` function', async () => {
    const mine: Intercept = (received, response) =>
      received.message.method === 'tools/list' && listed(received, response, [`of_${received.headers.authorization}`]);
    const server = await fake({ intercept: mine });
    const provider = provide({
      servers: { plain: { url: server.url }, asked: { url: server.url, headers: () => ({ authorization: 'secretly' }) } },
    });
    await provider.tools({ principal: { id: 'zoe', headers: { authorization: 'zoe' } } });
    expect(provider.snapshot().servers).toEqual({});
    await provider.tools();
    expect(Object.keys(provider.snapshot().servers)).toEqual(['plain']);
    expect(JSON.stringify(provider.snapshot())).not.toMatch(/zoe|secretly/);
    const own = provide({ servers: { plain: { url: server.url } }, principal: { id: 'zoe' } });
    await own.tools();
    expect(own.snapshot().servers).toEqual({});
    // Nor does a principal start from it.
    const cold = provide({ servers: { plain: { url: server.url } }, snapshot: written(provider) });
    const tools = await cold.tools({ principal: { id: 'bob', headers: { authorization: 'bob' } } });
    expect(Object.keys(tools)).toEqual(['plain_of_bob']);
  });

  it('`share: true` is everyone’s, also behind a `headers` function', async () => {
    const server = await fake();
    const shared = { url: server.url, share: true, headers: () => ({ authorization: 'common' }) };
    const provider = provide({ servers: { s: shared } });
    await provider.tools({ principal: { id: 'zoe' } });
    expect(Object.keys(provider.snapshot().servers)).toEqual(['s']);
    expect(JSON.stringify(provider.snapshot())).not.toContain('common');
  });

  it('a child process with another command is another place', async () => {
    const config = (...args: string[]) => stdio({ command: process.execPath, args: [fixture('server.mjs'), ...args] });
    const first = provide({ servers: { s: config() } });
    await first.tools();
    const placeOf = async (provider: McpToolProvider): Promise<string | undefined> => {
      await provider.tools();
      return provider.snapshot().servers.s?.place;
    };
    const place = await placeOf(first);
    expect(await placeOf(provide({ servers: { s: config() } }))).toBe(place);
    expect(await placeOf(provide({ servers: { s: config('--crlf') } }))).not.toBe(place);
  });
});
