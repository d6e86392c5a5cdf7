import { describe, expect, it } from 'vitest';
import type { McpWarning } from '../../src/index.ts';
import { coded, count, failure, provide, refuse, silentTo, status } from '../provider/support.ts';
import { fake } from '../support/fixtures.ts';
import { all, prompting, sent, settle } from './support.ts';

const DEAD = 'http://127.0.0.1:9/mcp';
const row = (name: string) => ({ name });
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe('provider.prompts.list', () => {
  it('L4J-52 gives the prompts of all servers in the order of the servers, with what else they say', async () => {
    const review = {
      name: 'review',
      title: 'Review',
      description: 'Reviews code',
      arguments: [{ name: 'code', description: 'The code', required: true, extra: 1 }, { name: 'style' }],
      icons: [{ src: 'data:,' }],
      _meta: { a: 1 },
      category: 'work',
    };
    const b = await prompting({ pages: [[review]] });
    const a = await prompting({ pages: [[row('hello')]] });
    const provider = provide({ servers: { b: { url: b.url }, a: { url: a.url } } });
    expect(await all(provider.prompts.list())).toEqual([
      { server: 'b', ...review },
      { server: 'a', name: 'hello' },
    ]);
    expect(names(await all(provider.prompts.list({ server: 'a' })))).toEqual(['hello']);
  });

  it('G5 nothing is asked of a server without the capability, and a missing method is no failure', async () => {
    const plain = await fake();
    const lying = await prompting({ intercept: (r, s) => r.message.method === 'prompts/list' && refuse(r, s, -32601) });
    const good = await prompting({ pages: [[row('hello')]] });
    const warnings: McpWarning[] = [];
    const servers = { plain: { url: plain.url }, lying: { url: lying.url }, good: { url: good.url } };
    const provider = provide({ servers, onWarning: (warning) => warnings.push(warning) });
    await settle(provider, 'lying');
    expect(names(await all(provider.prompts.list()))).toEqual(['hello']);
    expect(count(plain, 'prompts/list')).toBe(0);
    expect(count(lying, 'prompts/list')).toBe(1);
    expect(await all(provider.prompts.list({ server: 'plain' }))).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('G5 I1 follows three pages, and only as far as rows are asked for', async () => {
    const server = await prompting({ pages: [[row('a')], [row('b')], [row('c')]] });
    const provider = provide({ servers: { s: { url: server.url } } });
    for await (const { name } of provider.prompts.list()) if (name === 'b') break;
    expect(count(server, 'prompts/list')).toBe(2);
    expect(names(await all(provider.prompts.list()))).toEqual(['a', 'b', 'c']);
    expect(sent(server, 'prompts/list').slice(2)).toMatchObject([{}, { cursor: '1' }, { cursor: '2' }]);
  });

  it('I2 a cursor that comes back costs that server’s remaining rows', async () => {
    const looping = await prompting({
      intercept: (received, response) => {
        if (received.message.method !== 'prompts/list') return false;
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: received.message.id, result: { prompts: [row('x')], nextCursor: '1' } }));
        return true;
      },
    });
    const good = await prompting({ pages: [[row('y')]] });
    const provider = provide({ servers: { looping: { url: looping.url }, good: { url: good.url } } });
    expect(names(await all(provider.prompts.list()))).toEqual(['x', 'x', 'y']);
    await expect(all(provider.prompts.list({ server: 'looping' }))).rejects.toThrow(coded('bad_response'));
  });

  it('reads what servers send leniently: the nameless go, odd fields are left out', async () => {
    const odd = {
      name: 'odd',
      title: 7,
      description: null,
      arguments: [null, { description: 'x' }, { name: 'a', required: 'yes' }],
    };
    const server = await prompting({
      pages: [[null, 'text', {}, { name: '' }, { name: 3 }, odd, { name: 'bare', arguments: 'none', server: 'liar' }]],
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    expect(await all(provider.prompts.list())).toEqual([
      { server: 's', name: 'odd', arguments: [{ name: 'a' }] },
      { server: 's', name: 'bare' },
    ]);
    const none = await prompting({
      intercept: (r, s) => {
        if (r.message.method !== 'prompts/list') return false;
        s.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({ jsonrpc: '2.0', id: r.message.id, result: { prompts: 'none' } }),
        );
        return true;
      },
    });
    expect(await all(provide({ servers: { s: { url: none.url } } }).prompts.list())).toEqual([]);
  });

  it('a server that fails costs its own rows and a warning; it is thrown where it was asked for, or all fail', async () => {
    const good = await prompting({ pages: [[row('hello')]] });
    const bad = await prompting({ intercept: (r, s) => r.message.method === 'prompts/list' && status(s, 500) });
    const warnings: McpWarning[] = [];
    const provider = provide({
      servers: { dead: { url: DEAD }, bad: { url: bad.url }, good: { url: good.url } },
      onWarning: (warning) => warnings.push(warning),
    });
    expect(names(await all(provider.prompts.list()))).toEqual(['hello']);
    expect(warnings.map(({ kind, server }) => [kind, server])).toEqual([
      ['server_failed', 'dead'],
      ['server_failed', 'bad'],
    ]);
    expect(warnings[0]?.message).toContain('Its prompts are left out');
    expect(await failure(all(provider.prompts.list({ server: 'dead' })))).toMatchObject({ code: 'unavailable', server: 'dead' });
    await provider.removeServer('good');
    await expect(all(provider.prompts.list())).rejects.toThrow(coded('unavailable'));
  });

  it('a server that does not answer holds up nobody once the caller has gone', async () => {
    const good = await prompting({ pages: [[row('hello')]] });
    const hanging = await prompting({ intercept: silentTo('prompts/list') });
    const provider = provide({ servers: { good: { url: good.url }, hanging: { url: hanging.url } } });
    const controller = new AbortController();
    const seen: string[] = [];
    const listing = (async () => {
      for await (const { name } of provider.prompts.list({ signal: controller.signal })) {
        seen.push(name);
        setTimeout(() => controller.abort(), 50);
      }
    })();
    await expect(listing).rejects.toThrow(coded('aborted'));
    expect(seen).toEqual(['hello']);
    await expect(all(provider.prompts.list({ signal: AbortSignal.abort() }))).rejects.toThrow(coded('aborted'));
  });

  it('a principal’s headers go with it, a disabled server is left out, and mistakes are told', async () => {
    const server = await prompting({ pages: [[row('hello')]] });
    const off = await prompting({ pages: [[row('off')]] });
    const provider = provide({ servers: { s: { url: server.url }, off: { url: off.url, enabled: false } } });
    const principal = { id: 'ann', headers: { 'x-user': 'ann' } };
    expect(names(await all(provider.prompts.list({ principal })))).toEqual(['hello']);
    const asked = server.requests.filter(({ message }) => message.method === 'prompts/list');
    expect(asked.map(({ headers }) => headers['x-user'])).toEqual(['ann']);
    expect(off.requests).toEqual([]);
    await expect(all(provider.prompts.list({ server: 'off' }))).rejects.toThrow(coded('unavailable'));
    await expect(all(provider.prompts.list({ server: 'nope' }))).rejects.toThrow(/no server "nope".*There are: s, off/);
    expect(() => provider.prompts.list({ princpal: principal } as never)).toThrow(/Did you mean "principal"/);
    await provider.close();
    await expect(all(provider.prompts.list())).rejects.toThrow(coded('closed'));
  });
});
