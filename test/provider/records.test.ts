/** Lists of many pages, and the records that are made of lists. */

import { describe, expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { count, gate, type Intercept, listed, provide } from './support.ts';

describe('pages', () => {
  const paged =
    (next: (cursor: string | undefined) => string | undefined): Intercept =>
    (received, response) => {
      if (received.message.method !== 'tools/list') return false;
      const cursor = received.message.params?.cursor as string | undefined;
      return listed(received, response, [`t${cursor ?? 0}`, 'again'], { nextCursor: next(cursor) });
    };

  it('I1 every page is followed, and names are listed once', async () => {
    const server = await fake({ intercept: paged((cursor = '0') => (cursor === '3' ? undefined : String(Number(cursor) + 1))) });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    expect(Object.keys(tools)).toEqual(['s_again', 's_t0', 's_t1', 's_t2', 's_t3']);
  });

  it.each<[string, (cursor: string | undefined) => string]>([
    ['never moves', () => 'same'],
    ['goes in a circle', (cursor) => (cursor === 'a' ? 'b' : 'a')],
  ])('I2 a cursor that %s ends as an error of that server, in bounded requests', async (_how, next) => {
    const server = await fake({ intercept: paged(next) });
    const good = await fake();
    const tools = await provide({ servers: { s: { url: server.url }, good: { url: good.url } } }).tools();
    expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'failed', error: { code: 'bad_response' } });
    expect(Object.keys(tools)).toEqual(['good_echo']);
    expect(count(server, 'tools/list')).toBeLessThan(5);
  });
});

describe('I4 I10 records', () => {
  it('I10 are frozen, sorted and byte-identical, whatever order the servers answered in', async () => {
    const texts = new Set<string>();
    const [a, b] = [gate(), gate()];
    const slowly =
      (held: { passed: Promise<void> }): Intercept =>
      async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      };
    const tools = [{ name: 'z' }, { name: 'a', description: 'A' }, { name: 'm.m' }];
    const one = await fake({ tools, intercept: slowly(a) });
    const two = await fake({ tools: [...tools].reverse(), intercept: slowly(b) });
    for (const [first, second] of [
      [a, b],
      [b, a],
    ] as const) {
      const provider = provide({ servers: { one: { url: one.url }, two: { url: two.url } } });
      const loading = provider.tools();
      first.open();
      await new Promise((resolve) => setTimeout(resolve, 30));
      second.open();
      const record = await loading;
      texts.add(JSON.stringify(Object.entries(record)));
      expect(Object.keys(record)).toEqual([...Object.keys(record)].sort());
      expect(Object.isFrozen(record)).toBe(true);
      expect(Object.getPrototypeOf(record)).toBeNull();
      texts.add(JSON.stringify(Object.entries(await provider.tools())));
    }
    const swapped = provide({ servers: { two: { url: two.url }, one: { url: one.url } } });
    texts.add(JSON.stringify(Object.entries(await swapped.tools())));
    expect(texts.size).toBe(1);
  });

  it('I4 I5 what a caller does to its record and to a definition reaches nobody else', async () => {
    const server = await fake({ tools: [{ name: 'a', annotations: { readOnlyHint: true } }] });
    const provider = provide({ servers: { s: { url: server.url } } });
    const mine = await provider.tools();
    expect(() => {
      (mine as Record<string, unknown>).s_a = undefined;
    }).toThrow(TypeError);
    const other = await provider.tools();
    expect(other).not.toBe(mine);
    expect(JSON.stringify(other)).toBe(JSON.stringify(mine));
  });
});
