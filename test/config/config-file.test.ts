// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a config's variables are written like that

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkToolSetOptions } from '../../src/config/options.ts';
import { McpToolSetError } from '../../src/errors.ts';
import { loadMcpConfig } from '../../src/node/config-file.ts';
import type { TransportLike, TransportServer } from '../../src/servers.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-config-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(config: unknown): Promise<string> {
  const file = join(folder, 'mcp.json');
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config));
  return file;
}

async function errorOf(loading: Promise<unknown>): Promise<McpToolSetError> {
  const error = await loading.catch((thrown: unknown) => thrown);
  if (!McpToolSetError.is(error)) throw new Error('no McpToolSetError');
  expect(error.code).toBe('config_invalid');
  return error;
}

/** Asks the server for its first answer to `ping` over a real transport. */
async function answerOf(server: unknown): Promise<unknown> {
  const { transport } = server as TransportServer;
  const opened = (await (typeof transport === 'function' ? transport() : transport)) as TransportLike & {
    onmessage?: (message: object) => void;
  };
  try {
    const answer = new Promise<{ result?: unknown }>((resolve) => {
      opened.onmessage = resolve;
    });
    await opened.start();
    await opened.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    return (await answer).result;
  } finally {
    await opened.close();
  }
}

// A server that tells how it was started.
const TELL = `
  process.stdin.once('data', () => console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {
    cwd: process.cwd(), args: process.argv.slice(2), mode: process.env.MODE } })));
`;

describe('loadMcpConfig', () => {
  test('TNX-01 gives servers that are ready for createMcpToolSet', async () => {
    const file = await write({
      mcpServers: { docs: { url: 'https://a.example/mcp', timeout: 5000 }, local: { command: 'node', required: true } },
    });
    const servers = await loadMcpConfig(file);
    expect(() => checkToolSetOptions({ servers })).not.toThrow();
    expect(servers.docs).toEqual({ url: 'https://a.example/mcp', timeouts: { request: 5000 } });
    expect(servers.local).toMatchObject({ required: true, transport: expect.any(Function) });
  });

  test('TNX-02 a command starts with its args and env, in a cwd that is relative to the file', async () => {
    await mkdir(join(folder, 'servers'));
    await writeFile(join(folder, 'servers', 'tell.mjs'), TELL);
    const file = await write({
      mcpServers: {
        tell: { command: [process.execPath, 'tell.mjs'], args: ['${WORD}'], environment: { MODE: 'fast' }, cwd: 'servers' },
      },
    });
    const { tell } = await loadMcpConfig(pathToFileURL(file), { env: { WORD: 'hello' } });
    expect(await answerOf(tell)).toEqual({ cwd: join(folder, 'servers'), args: ['hello'], mode: 'fast' });
  });

  test('TNX-04 variables come from process.env unless env is given', async () => {
    const file = await write({ docs: { url: 'https://${TNX_04_HOST}/mcp' } });
    process.env.TNX_04_HOST = 'from-process.example';
    try {
      expect(await loadMcpConfig(file)).toEqual({ docs: { url: 'https://from-process.example/mcp' } });
      expect((await errorOf(loadMcpConfig(file, { env: {} }))).message).toMatch(
        /docs\.url: needs the environment variable TNX_04_HOST/,
      );
    } finally {
      delete process.env.TNX_04_HOST;
    }
  });

  test('TNX-05 what is wrong names the file', async () => {
    const file = await write('{ "mcpServers": { "docs": { "urls": "x" } } }');
    const error = await errorOf(loadMcpConfig(file));
    expect(error.message).toContain(file);
    expect(error.message).toContain('did you mean "url"?');
    await write('{ "mcpServers": ');
    expect((await errorOf(loadMcpConfig(file))).message).toMatch(/line 1, column 17/);
  });

  test('TNX-05 a file that is not there, a folder, an address', async () => {
    const missing = join(folder, 'nowhere.json');
    const error = await errorOf(loadMcpConfig(missing));
    expect(error.message).toContain(missing);
    expect(error.message).toContain('there is no such file');
    expect((await errorOf(loadMcpConfig(folder))).message).toContain('it is a folder');
    expect((await errorOf(loadMcpConfig(new URL('https://a.example/mcp.json')))).message).toContain('parseMcpConfig()');
  });

  test('TNX-03 unknown fields reach onWarning', async () => {
    const file = await write({ docs: { url: 'https://a.example', alwaysAllow: [] } });
    const warnings: unknown[] = [];
    await loadMcpConfig(file, { onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([
      { kind: 'setting_ignored', server: 'docs', message: 'docs.alwaysAllow is not a known field and is ignored.' },
    ]);
  });
});
