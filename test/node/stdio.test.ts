/** `stdio()`: its options, and real servers behind it. */

import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { McpToolSetError } from '../../src/errors.ts';
import { type StdioOptions, stdio } from '../../src/node/stdio.ts';
import { connect, failure, fixture, makeTransport, members, runs } from './support.ts';

const bin = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'stdio-')));
});
afterEach(() => rm(folder, { recursive: true }));

describe('options', () => {
  it.each<[object, string]>([
    [{}, 'command'],
    [{ command: ' ' }, 'command'],
    [{ command: ['npx', '-y'] }, 'command'],
    [{ command: 'npx', args: 'one' }, 'args'],
    [{ command: 'npx', args: ['-y', 1] }, 'args[1]'],
    [{ command: 'npx', env: { TOKEN: undefined } }, 'env.TOKEN'],
    [{ command: 'npx', cwd: new URL('https://example.com') }, 'cwd'],
    [{ command: 'npx', inheritEnv: 'PATH' }, 'inheritEnv'],
    [{ command: 'npx', onStderr: 'log' }, 'onStderr'],
    [{ command: 'npx', maxMessageBytes: 0 }, 'maxMessageBytes'],
    [{ command: 'npx', enabled: 'yes' }, 'enabled'],
    [{ command: 'npx', timeouts: { conect: 1 } }, 'timeouts.conect'],
    [{ command: 'npx', comand: 'npx' }, 'comand'],
  ])('refuses %j at once and names %s', (options, path) => {
    let error: unknown;
    try {
      stdio(options as StdioOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(McpToolSetError.is(error) && error.code).toBe('config_invalid');
    expect((error as McpToolSetError).data).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path })]),
    });
  });

  it('shares by default, hands settings on, and starts nothing', () => {
    const server = stdio({ command: 'no-such-command', required: true, share: undefined, timeouts: { connect: 5 } });
    expect(server).toEqual({ required: true, share: true, timeouts: { connect: 5 }, transport: expect.any(Function) });
    expect(stdio({ command: 'x', share: false }).share).toBe(false);
  });

  it('can be compared with others as data, which nobody sees who does not look for it', () => {
    const symbol = Symbol.for('mcp-tool-set.config');
    const configOf = (options: Partial<StdioOptions>) =>
      JSON.stringify((stdio({ command: 'npx', ...options }) as { [symbol]?: unknown })[symbol]);
    const full = { args: ['-y'], env: { A: '1', TOKEN: 'sentinel' }, cwd: folder, inheritEnv: ['B'], maxMessageBytes: 5 };
    expect(configOf(full)).toContain('sentinel');
    expect(configOf({ ...full, env: { TOKEN: 'sentinel', A: '1' }, cwd: pathToFileURL(folder), onStderr() {} })).toBe(
      configOf(full),
    );
    expect(configOf({})).toBe(
      configOf({ args: [], env: {}, inheritEnv: false, maxMessageBytes: 16 * 1024 * 1024, share: false }),
    );
    const others = [
      { command: 'uvx' },
      { args: [] },
      { env: { A: '1' } },
      { cwd: tmpdir() },
      { inheritEnv: true },
      { maxMessageBytes: 6 },
    ];
    for (const other of others) expect(configOf({ ...full, ...other })).not.toBe(configOf(full));
    expect(`${inspect(stdio({ command: 'npx', ...full }))}${JSON.stringify(stdio({ command: 'npx', ...full }))}`).not.toContain(
      'sentinel',
    );
  });

  it('makes a new process for each connection', async () => {
    const server = stdio({ command: process.execPath, args: [fixture('server.mjs')] });
    const [one, other] = [0, 1].map(() => (server.transport as () => ReturnType<typeof makeTransport>)());
    await Promise.all([one?.start(), other?.start()]);
    expect(one?.pid).not.toBe(other?.pid);
    await Promise.all([one?.close(), other?.close()]);
  });

  it('takes cwd as a path and as a URL', async () => {
    for (const cwd of [folder, pathToFileURL(folder)]) {
      const { client, call } = await connect('server.mjs', [], { cwd });
      expect(await call('cwd')).toBe(folder);
      await client.close();
    }
  });
});

describe('a command that cannot be started', () => {
  it('says that there is no such command, and how to mend it', async () => {
    const transport = makeTransport({ command: 'no-such-command-here', args: ['--token=hunter22'] });
    const error = await failure(new Client({ name: 'test', version: '1' }).connect(transport));
    expect(error).toMatchObject({ code: 'unavailable', data: { errno: 'ENOENT' } });
    expect(error.message).toMatch(/"no-such-command-here".*PATH.*absolute path/);
    expect(error.message).not.toContain('hunter22');
    expect(transport.failure).toBe(error);
    await transport.close();
  });

  it('says when a file is not executable', async () => {
    const file = join(folder, 'plain.txt');
    await writeFile(file, 'text', { mode: 0o644 });
    const error = await failure(makeTransport({ command: file }).start());
    expect(error).toMatchObject({ code: 'unavailable', data: { errno: 'EACCES' } });
    expect(error.message).toContain('Make it executable');
  });

  it('tells a missing cwd from a missing command', async () => {
    const cwd = join(folder, 'nowhere');
    const error = await failure(makeTransport({ command: process.execPath, cwd }).start());
    expect(error.message).toContain(`\`cwd\` does not exist: ${cwd}`);
  });

  it('sends nothing, and can still be closed', async () => {
    const transport = makeTransport({ command: 'no-such-command-here' });
    let closes = 0;
    transport.onclose = () => void closes++;
    await failure(transport.start());
    expect(await failure(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({ code: 'unavailable' });
    await transport.close();
    expect(closes).toBe(1);
  });
});

describe('L4J-55 real servers', () => {
  it('lists and calls the memory server, which keeps its file', async () => {
    const file = join(folder, 'memory.jsonl');
    const lines: string[] = [];
    const transport = makeTransport({
      command: process.execPath,
      args: [bin('server-memory')],
      env: { MEMORY_FILE_PATH: file },
      onStderr: (line) => void lines.push(line),
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect((await client.listTools()).tools).toHaveLength(9);
    const entities = [{ name: 'Ünïcode 🦊', entityType: 'animal', observations: ['quick'] }];
    await client.callTool({ name: 'create_entities', arguments: { entities } });
    const { structuredContent } = await client.callTool({ name: 'read_graph', arguments: {} });
    expect(structuredContent).toMatchObject({ entities });
    const { pid } = transport;
    await client.close();
    expect(runs(pid)).toBe(false);
    expect(await readFile(file, 'utf8')).toContain('Ünïcode 🦊');
    expect(lines.join('\n')).toContain('Knowledge Graph MCP Server');
  });

  it('reads a large file through the filesystem server, many calls at once', async () => {
    const text = 'ä€🦊\n'.repeat(50_000);
    await writeFile(join(folder, 'large.txt'), text);
    const transport = makeTransport({ command: process.execPath, args: [bin('server-filesystem'), folder] });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    const path = join(folder, 'large.txt');
    const calls = Array.from({ length: 8 }, () => client.callTool({ name: 'read_text_file', arguments: { path } }));
    for (const { content } of await Promise.all(calls)) expect((content[0] as { text: string }).text).toBe(text);
    await client.close();
    expect(members(transport.pid)).toEqual([]);
  });
});
