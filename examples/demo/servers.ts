/** The demo's three servers, all of them official ones: everything over HTTP, filesystem and memory over stdio. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from 'mcp-tool-set';
import { stdio } from 'mcp-tool-set/node';
import type { Documents } from './documents.ts';

export type ServerName = 'everything' | 'files' | 'memory';
export const SERVER_NAMES: readonly ServerName[] = ['everything', 'files', 'memory'];

export interface DemoServers extends AsyncDisposable {
  readonly servers: Readonly<Record<ServerName, ServerConfig>>;
  /** What the everything server had to say when it did not start. */
  readonly failure: string | undefined;
}

/** Those in `broken` are set up so that they cannot start. */
export async function startServers(documents: Documents, broken: readonly ServerName[] = []): Promise<DemoServers> {
  const everything = await startEverything(broken.includes('everything'));
  return {
    servers: {
      everything: { url: everything.url },
      files: stdio({
        command: broken.includes('files') ? 'mcp-server-that-is-not-installed' : process.execPath,
        args: [script('filesystem'), documents.folder],
        cwd: documents.folder,
      }),
      memory: stdio({
        command: process.execPath,
        args: [script(broken.includes('memory') ? 'that-is-not-installed' : 'memory')],
        env: { MEMORY_FILE_PATH: documents.graph },
        cwd: documents.folder,
      }),
    },
    failure: everything.failure,
    [Symbol.asyncDispose]: everything[Symbol.asyncDispose],
  };
}

export interface HttpServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly failure: string | undefined;
}

/** The everything server on a free loopback port, as a child process of this one. Resolves when it listens, or has failed. */
export async function startEverything(broken = false): Promise<HttpServerProcess> {
  const port = await freePort();
  const preload = new URL('loopback.mjs', import.meta.url).href;
  const child = spawn(
    process.execPath,
    ['--import', preload, script(broken ? 'that-is-not-installed' : 'everything'), 'streamableHttp'],
    // Its tool `get-env` shows its whole environment to whoever asks, so it gets nothing but its port.
    { env: { PORT: String(port) }, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill();
    await exited;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, failure: await whyNot(child.stderr), [Symbol.asyncDispose]: stop };
}

/** Nothing once it listens; what it had to say where it ended instead. */
async function whyNot(stderr: Readable): Promise<string | undefined> {
  let error = 'it ended at once';
  for await (const line of createInterface({ input: stderr })) {
    if (/Error/.test(line)) error = line.trim();
    if (!line.includes('listening on port')) continue;
    // Read on, so that it never blocks on a full pipe.
    stderr.resume();
    return undefined;
  }
  return error;
}

/** The installed server's own start file. */
function script(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
