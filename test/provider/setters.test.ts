/** What a provider shows and under which names, from options and at run time. */

import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpWarning, type ToolDefinition } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, coded, failure, gate, provide } from './support.ts';

const NAMES = ['read', 'read_all', 'write'];
const abc = () => fake({ tools: NAMES.map((name) => ({ name })) });

describe('filters', () => {
  it('L4J-03 all filters must agree, on original names, before any renaming; a filter may be async', async () => {
    const server = await abc();
    const asked: ToolDefinition[] = [];
    const provider = provide({
      servers: { s: { url: server.url } },
      filter: [
        (tool) => asked.push(tool) > 0 && tool.originalName !== 'write',
        async ({ originalName }) => originalName.startsWith('read'),
      ],
      toolName: (tool) => `x_${tool.originalName}`,
    });
    expect(Object.keys(await provider.tools())).toEqual(['x_read', 'x_read_all']);
    expect(asked.map(({ name, originalName, server }) => [name, originalName, server])).toEqual(
      NAMES.map((name) => [name, name, 's']),
    );
    const one = provide({ servers: { s: { url: server.url } }, filter: ({ originalName }) => originalName === 'write' });
    const tools = await one.tools();
    expect(Object.keys(tools)).toEqual(['s_write']);
    expect(inspectToolSet(tools).notes).toContainEqual(
      expect.objectContaining({ server: 's', originalName: 'read', what: 'filtered' }),
    );
  });

  it('L4J-04 `tools` of a server takes exact names and globs on original names; deny wins, what matches nothing is a warning', async () => {
    const server = await abc();
    const warnings: McpWarning[] = [];
    const provider = provide({
      servers: {
        exact: { url: server.url, tools: { allow: ['read'] } },
        glob: { url: server.url, tools: { allow: ['read*', 'reed'], deny: ['*_all'] } },
        dropped: { url: server.url, tools: { deny: ['write', 'glob_read'] } },
      },
      toolName: 'prefixed',
      onWarning: (warning) => void warnings.push(warning),
    });
    expect(Object.keys(await provider.tools())).toEqual(['dropped_read', 'dropped_read_all', 'exact_read', 'glob_read']);
    const unmatched = warnings.filter(({ kind }) => kind === 'pattern_unmatched');
    expect(
      unmatched.map(({ server: key, message }) => [key, message.includes('"reed"') || message.includes('"glob_read"')]),
    ).toEqual([
      ['glob', true],
      ['dropped', true],
    ]);
  });

  it('L4J-14 addFilter is one more, setFilter stands in place of all, resetFilters takes all away', async () => {
    const server = await abc();
    const provider = provide({ servers: { s: { url: server.url } } });
    const shown = async () => Object.keys(await provider.tools()).map((name) => name.slice(2));
    expect(await shown()).toEqual(NAMES);
    provider.addFilter(({ originalName }) => originalName !== 'write');
    expect(await shown()).toEqual(['read', 'read_all']);
    provider.addFilter(({ originalName }) => originalName !== 'read');
    expect(await shown()).toEqual(['read_all']);
    provider.setFilter(({ originalName }) => originalName === 'write');
    expect(await shown()).toEqual(['write']);
    provider.setFilter([({ originalName }) => originalName !== 'write', ({ originalName }) => originalName !== 'read']);
    expect(await shown()).toEqual(['read_all']);
    provider.resetFilters();
    expect(await shown()).toEqual(NAMES);
    expect(() => provider.addFilter('read' as never)).toThrow(coded('config_invalid'));
    expect(() => provider.setFilter(['read'] as never)).toThrow(coded('config_invalid'));
    expect(await shown()).toEqual(NAMES);
    expect(server.log().filter((method) => method === 'tools/list')).toHaveLength(1);
  });
});

describe('names', () => {
  it('L4J-05 toolName and mapTool exclude each other, in options and in setters', async () => {
    const server = await abc();
    const servers = { s: { url: server.url } };
    const name = ({ originalName }: ToolDefinition) => `n_${originalName}`;
    const map = (tool: ToolDefinition) => ({ ...tool, name: `m_${tool.originalName}`, description: 'mapped' });
    expect(() => provide({ servers, toolName: name, mapTool: map })).toThrow(coded('config_invalid'));

    const provider = provide({ servers });
    provider.setToolName(name);
    expect(() => provider.setMapTool(map)).toThrow(coded('config_invalid'));
    expect(Object.keys(await provider.tools())).toEqual(['n_read', 'n_read_all', 'n_write']);
    provider.setToolName(undefined);
    provider.setMapTool(map);
    expect(() => provider.setToolName(name)).toThrow(coded('config_invalid'));
    expect(() => provider.setToolName('original')).toThrow(coded('config_invalid'));
    const tools = await provider.tools();
    expect(Object.keys(tools)).toEqual(['m_read', 'm_read_all', 'm_write']);
    expect(tools.m_read?.description).toBe('mapped');
    expect(await call(tools, 'm_read')).toBe('read {}');
    provider.setMapTool(undefined);
    provider.setToolName('original');
    expect(Object.keys(await provider.tools())).toEqual(NAMES);
    provider.setToolName('prefixed');
    expect(Object.keys(await provider.tools())).toEqual(['s_read', 's_read_all', 's_write']);
    expect(() => provider.setToolName('suffixed' as never)).toThrow(coded('config_invalid'));
    expect(() => provider.setMapTool('x' as never)).toThrow(coded('config_invalid'));
  });

  it('L4J-07 equal names of a mapper set at run time name both owners; the next mapper mends it', async () => {
    const [one, two] = [await fake(), await fake()];
    const provider = provide({ servers: { one: { url: one.url }, two: { url: two.url } } });
    provider.setToolName(() => 'same');
    const error = await failure(provider.tools());
    expect(error.code).toBe('name_conflict');
    for (const owner of ['one', 'two']) expect(error.message).toContain(owner);
    provider.setToolName(undefined);
    expect(Object.keys(await provider.tools())).toEqual(['one_echo', 'two_echo']);
  });

  it('L4J-07 equal default names are told apart by a stable hash, whatever the order', async () => {
    const server = await fake({ tools: [{ name: 'a.b' }, { name: 'a_b' }, { name: 'a b' }] });
    const reversed = await fake({ tools: [{ name: 'a b' }, { name: 'a_b' }, { name: 'a.b' }] });
    const namesAt = async (url: string) => {
      const tools = await provide({ servers: { s: { url } } }).tools();
      return Object.entries(tools).map(([name, { metadata }]) => [name, metadata?.toolName]);
    };
    const names = await namesAt(server.url);
    expect(new Set(names.map(([name]) => name)).size).toBe(3);
    expect(await namesAt(reversed.url)).toEqual(names);
  });
});

describe('while calls and listings are under way', () => {
  it('L4J-14 L4J-62 changes in the middle of a listing are not lost, and none applies by halves', async () => {
    const held = gate();
    const server = await fake({
      tools: NAMES.map((name) => ({ name })),
      intercept: async ({ message }) => {
        if (message.method === 'tools/list') await held.passed;
        return false;
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const early = provider.tools();
    await expect.poll(() => server.log()).toContain('tools/list');
    provider.addFilter(({ originalName }) => originalName !== 'write');
    provider.setToolName(({ originalName }) => `n_${originalName}`);
    held.open();
    // What was asked before may show either state, but whole.
    expect([
      ['s_read', 's_read_all', 's_write'],
      ['n_read', 'n_read_all'],
    ]).toContainEqual(Object.keys(await early));
    expect(Object.keys(await provider.tools())).toEqual(['n_read', 'n_read_all']);
  });

  it('L4J-14 L4J-62 a setter between the filter of a build and its end is in the next record', async () => {
    const held = gate();
    const server = await abc();
    const provider = provide({ servers: { s: { url: server.url } }, filter: async () => held.passed.then(() => true) });
    const early = provider.tools();
    await expect.poll(() => server.log()).toContain('tools/list');
    provider.setToolName('original');
    provider.resetFilters();
    expect(Object.keys(await provider.tools())).toEqual(NAMES);
    held.open();
    await early;
    expect(Object.keys(await provider.tools())).toEqual(NAMES);
  });

  it('L4J-14 a call that is under way ends well under the names it was made with', async () => {
    const held = gate();
    const server = await fake({
      intercept: async ({ message }) => {
        if (message.method === 'tools/call') await held.passed;
        return false;
      },
    });
    const provider = provide({ servers: { s: { url: server.url } } });
    const tools = await provider.tools();
    const calling = call(tools, 's_echo');
    await expect.poll(() => server.log()).toContain('tools/call');
    provider.setToolName('original');
    provider.setFilter(() => false);
    provider.refresh();
    expect(Object.keys(await provider.tools())).toEqual([]);
    held.open();
    expect(await calling).toBe('echo {}');
    expect(await call(tools, 's_echo')).toBe('echo {}');
  });

  it('L4J-62 two hundred calls, listings, adds and removes at once: no lost update and one connection each', async () => {
    const [base, other] = [await abc(), await fake()];
    const provider = provide({ servers: { base: { url: base.url } } });
    const errors: unknown[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        provider.addServer(`extra${index}`, { url: other.url });
        const tools = await provider.tools();
        await Promise.all([
          call(tools, 'base_read').catch((error) => errors.push(error)),
          provider.callTool({ server: 'base', tool: 'write' }).catch((error) => errors.push(error)),
          provider.tools(),
        ]);
        if (index % 2 === 1) await provider.removeServer(`extra${index}`);
      }),
    );
    expect(errors).toEqual([]);
    const left = Object.keys(await provider.tools());
    expect(left).toHaveLength(3 + 25);
    expect(left).toEqual([...left].sort());
    expect(base.log().filter((method) => method === 'initialize')).toHaveLength(1);
    expect(base.executed).toHaveLength(100);
    // A connection for each server that was needed, and none of those that were removed is left.
    expect(other.sessions.size).toBe(25);
  });
});
