/** What one request has of its own, and calls by the application itself. */

import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  closeToolSet,
  type HttpServer,
  inspectToolSet,
  type McpMiddleware,
  type McpWarning,
  parseMcpConfig,
  type ToolCall,
} from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { loadMcpConfig } from '../../src/node/config-file.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { call, coded, count, failure, provide, silentTo, textOf } from './support.ts';

const LOOKING = { readOnlyHint: true };

/** Notes whatever passes it. */
function noting(name: string, into: string[]): McpMiddleware {
  return {
    name,
    list: (tools, next) => next(tools),
    async call(input, next) {
      into.push(`${name} call ${input.tool.originalName} ${input.principal?.id}`);
      return next(input);
    },
    async request(input, next) {
      if (input.method === 'tools/call') into.push(`${name} request ${input.call?.tool.originalName} ${input.principal?.id}`);
      return next(input);
    },
  };
}

describe('L4J-15 provider.tools() for one request', () => {
  it('has its own principal, servers, filter and middleware, which leave no trace in the next', async () => {
    const [one, two] = [await fake({ tools: [{ name: 'a' }, { name: 'b' }] }), await fake()];
    const notes: string[] = [];
    const provider = provide({
      servers: { one: { url: one.url }, two: { url: two.url } },
      middleware: [noting('common', notes)],
    });
    const tools = await provider.tools({
      principal: { id: 'zoe', headers: { authorization: 'zoe' } },
      servers: ['one'],
      filter: [({ originalName }) => originalName === 'a', async () => true],
      middleware: [noting('own', notes)],
    });
    expect(Object.keys(tools)).toEqual(['one_a']);
    await call(tools, 'one_a');
    expect(notes).toEqual(['own call a zoe', 'common call a zoe', 'own request a zoe', 'common request a zoe']);
    expect(one.requests.at(-1)?.headers.authorization).toBe('zoe');
    expect(two.requests).toEqual([]);
    notes.length = 0;
    const plain = await provider.tools();
    expect(Object.keys(plain)).toEqual(['one_a', 'one_b', 'two_echo']);
    await call(plain, 'one_b');
    expect(notes).toEqual(['common call b undefined', 'common request b undefined']);
  });

  it('a signal ends its own listing at once and nobody else’s', async () => {
    const server = await fake({ intercept: async () => void (await new Promise((resolve) => setTimeout(resolve, 40))) as never });
    const provider = provide({ servers: { s: { url: server.url } } });
    const caller = new AbortController();
    const [mine, other] = [failure(provider.tools({ signal: caller.signal })), provider.tools()];
    setTimeout(() => caller.abort(new Error('sentinel-secret')), 30);
    expect(await mine).toMatchObject({ code: 'aborted' });
    expect(Object.keys(await other)).toEqual(['s_echo']);
    expect(count(server, 'initialize')).toBe(1);
  });

  it('what it cannot be is refused: unknown servers, misspelled options', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    for (const options of [{ servers: ['t'] }, { principle: { id: 'x' } }, { principal: { id: '' } }, { filter: 'x' }]) {
      expect(await failure(provider.tools(options as never))).toMatchObject({ code: 'config_invalid' });
    }
    expect(server.requests).toEqual([]);
  });

  it('a record that is disposed ends alone', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const [ended, other] = [await provider.tools(), await provider.tools()];
    await closeToolSet(ended);
    await expect(call(ended, 's_echo')).rejects.toThrow(coded('closed'));
    expect(await call(other, 's_echo')).toBe('echo {}');
  });
});

describe('L4J-27 headers', () => {
  it('are asked for each HTTP request, async, with whose and what it is, and the principal’s come on top', async () => {
    const server = await fake();
    let turn = 0;
    const provider = provide({
      servers: {
        s: {
          url: server.url,
          headers: async ({ principal, request, server: key }) => {
            await new Promise((resolve) => setTimeout(resolve, 1));
            return { 'x-turn': String(turn++), 'x-what': `${key} ${principal?.id} ${request?.method}`, 'x-plan': 'free' };
          },
        },
      },
    });
    const tools = await provider.tools({ principal: { id: 'zoe', headers: { 'X-Plan': 'paid' } } });
    await call(tools, 's_echo');
    await call(tools, 's_echo');
    const calls = server.requests.filter(({ message }) => message.method === 'tools/call').map(({ headers }) => headers);
    expect(calls.map((headers) => headers['x-what'])).toEqual(['s zoe tools/call', 's zoe tools/call']);
    expect(calls[0]?.['x-turn']).not.toBe(calls[1]?.['x-turn']);
    expect(server.requests.every(({ headers }) => headers['x-plan'] === 'paid')).toBe(true);
    expect(count(server, 'initialize')).toBe(1);
  });
});

describe('L4J-63 provider.callTool()', () => {
  it('runs the original name through the same middleware; filters and mappers do not apply', async () => {
    const server = await fake({ tools: [{ name: 'a.b' }, { name: 'bad', result: { content: [], isError: true } }] });
    const notes: string[] = [];
    const provider = provide({
      servers: { s: { url: server.url } },
      filter: () => false,
      toolName: () => 'same',
      middleware: [noting('m', notes)],
      mapResult: (result) => ({ ...result, mapped: true }),
    });
    const result = await provider.callTool({ server: 's', tool: 'a.b', input: { x: 1 }, principal: { id: 'zoe' } });
    expect(textOf(result)).toBe('a.b {"x":1}');
    expect(result.mapped).toBe(true);
    expect(notes).toEqual(['m call a.b zoe', 'm request a.b zoe']);
    expect(await provider.callTool({ server: 's', tool: 'bad' })).toMatchObject({ isError: true });
    const missing = await failure(provider.callTool({ server: 's', tool: 'a.c' }));
    expect(missing).toMatchObject({ code: 'tool_not_found', server: 's', tool: 'a.c' });
    expect(missing.message).toContain('a.b');
    for (const options of [
      { server: 't', tool: 'x' },
      { server: 's', tool: 'a.b', args: {} },
      { server: 's', tool: 'a.b', input: [] },
    ]) {
      expect(await failure(provider.callTool(options as never))).toMatchObject({ code: 'config_invalid' });
    }
    expect(server.executed).toEqual(['a.b', 'bad']);
  });

  it('a policy of the provider refuses it, an abort ends it at once, and after close it says so', async () => {
    const server = await fake({
      tools: [{ name: 'look', annotations: LOOKING }, { name: 'write' }],
      intercept: silentTo('tools/call'),
    });
    const provider = provide({ servers: { s: { url: server.url } }, middleware: [readOnly()] });
    expect(await failure(provider.callTool({ server: 's', tool: 'write' }))).toMatchObject({ code: 'not_allowed' });
    expect(count(server, 'tools/call')).toBe(0);
    const caller = new AbortController();
    const calling = failure(provider.callTool({ server: 's', tool: 'look', signal: caller.signal }));
    await expect.poll(() => count(server, 'tools/call')).toBe(1);
    caller.abort();
    expect(await calling).toMatchObject({ code: 'aborted', server: 's', tool: 'look' });
    await provider.close();
    expect(await failure(provider.callTool({ server: 's', tool: 'look' }))).toMatchObject({ code: 'closed' });
  });

  it('what the application calls is seen as such', async () => {
    const server = await fake();
    const seen: ToolCall[] = [];
    const provider = provide({
      servers: { s: { url: server.url } },
      middleware: [
        {
          name: 'see',
          call: async (input, next) => {
            seen.push(input);
            return next(input);
          },
        },
      ],
    });
    await provider.callTool({ server: 's', tool: 'echo', input: { a: 1 } });
    expect(seen[0]).toMatchObject({ input: { a: 1 }, messages: [], toolCallId: 'application', tool: { originalName: 'echo' } });
  });
});

describe('config files and records', () => {
  it('TNX-10 a `tools` map on original names: any true is an allow-list, only false a drop-list, unknown warns', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const server = await fake({ tools: ['a', 'b', 'c'].map((name) => ({ name })) });
    const entry = (tools: object) => ({ type: 'http', url: server.url, tools });
    const file = { mcpServers: { allow: entry({ a: true, b: false, nope: true }), drop: entry({ a: false }), all: entry({}) } };
    await writeFile(join(folder, 'mcp.json'), JSON.stringify(file));
    const warnings: McpWarning[] = [];
    const onWarning = (warning: McpWarning): void => void warnings.push(warning);
    for (const servers of [await loadMcpConfig(join(folder, 'mcp.json')), parseMcpConfig(file) as Record<string, HttpServer>]) {
      const tools = await toolSet({ servers, onWarning });
      expect(Object.keys(tools)).toEqual(['all_a', 'all_b', 'all_c', 'allow_a', 'drop_b', 'drop_c']);
      expect(warnings.splice(0).filter(({ kind }) => kind === 'pattern_unmatched')).toMatchObject([{ server: 'allow' }]);
    }
  });

  it('TNX-16 the provider of a record is reachable, also of a spread, and is the one to use', async () => {
    const server = await fake();
    const tools = await toolSet({
      servers: parseMcpConfig({ mcpServers: { s: { type: 'http', url: server.url } } }) as Record<string, HttpServer>,
    });
    const { provider } = inspectToolSet({ ...tools, own: {} });
    expect(Object.keys(await provider.tools())).toEqual(['s_echo']);
    expect(textOf(await provider.callTool({ server: 's', tool: 'echo' }))).toBe('echo {}');
    expect(count(server, 'initialize')).toBe(1);
    const own = provide({ servers: { s: { url: server.url } } });
    expect(inspectToolSet(await own.tools()).provider).toBe(own);
    await provider.close();
    await expect(call(tools, 's_echo')).rejects.toThrow(coded('closed'));
  });
});
