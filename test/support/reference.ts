/** The official reference servers, as real processes of one test file. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export const EVERYTHING = bin('server-everything');
export const FILESYSTEM = bin('server-filesystem');
export const MEMORY = bin('server-memory');

/** By itself it listens on every interface. */
const LOOPBACK = new URL('../../examples/demo/loopback.mjs', import.meta.url).href;

function bin(name: string): string {
  return fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url));
}

export interface Everything {
  readonly url: string;
  readonly port: number;
  /** What it has printed. */
  output(): string;
  stop(): Promise<void>;
}

/** The everything server over Streamable HTTP. */
export async function startEverything(port?: number): Promise<Everything> {
  const chosen = port ?? (await freePort());
  const child = spawn(process.execPath, ['--import', LOOPBACK, EVERYTHING, 'streamableHttp'], {
    env: { PORT: String(chosen) },
    stdio: 'pipe',
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the everything server exited with ${code}: ${said}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (said.includes('listening')) resolve();
      });
    }
  });
  return { url: `http://127.0.0.1:${chosen}/mcp`, port: chosen, output: () => said, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
