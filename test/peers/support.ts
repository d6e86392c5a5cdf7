/** What is asked of every real server, and what must be left of it afterwards: nothing. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { inspectToolSet, type McpToolSet, type ServerConfig } from '../../src/index.ts';
import { members } from '../node/support.ts';
import { toolSet } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';

/** A call of one of the server's tools, and what its result has in it. */
export interface Call {
  readonly tool: string;
  readonly input: object;
  readonly result: object;
}

export const moduleFile = (path: string): string => fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
export const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
export const GIT: string = moduleFile('@cyanheads/git-mcp-server/dist/index.js');

export const ADD: Call = { tool: 'add', input: { a: 2, b: 40 }, result: { content: [{ type: 'text', text: '42' }] } };

/** Loaded into a server before its own code: it listens on loopback only, and ends with this process. */
const LOOPBACK = new URL('../../examples/demo/loopback.mjs', import.meta.url).href;

/** A set with this one server, whose tools are all there, under names that every provider takes. */
export async function connect(peer: ServerConfig): Promise<McpToolSet> {
  const tools = await toolSet({ servers: { peer }, resources: false });
  const { servers, notes } = inspectToolSet(tools);
  const names = Object.keys(tools);
  expect(servers.peer).toMatchObject({ state: 'connected', tools: names.length });
  expect(names).not.toEqual([]);
  expect(names.filter((name) => !/^peer_[A-Za-z0-9_-]{1,59}$/.test(name))).toEqual([]);
  expect(notes).toEqual([]);
  return tools;
}

export async function make(tools: McpToolSet, { tool, input, result }: Call): Promise<void> {
  expect(await tools[`peer_${tool}`]?.execute?.(input, executeOptions())).toMatchObject(result);
}

/** A folder that is gone after the test. */
export function temporary(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'peer-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A repository on `main` with one new file, and the call that says so. */
export function repository(): { cwd: string; status: Call } {
  const cwd = temporary();
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', cwd]);
  execFileSync('touch', [join(cwd, 'new.txt')]);
  const structuredContent = { success: true, currentBranch: 'main', isClean: false, untrackedFiles: ['new.txt'] };
  return { cwd, status: { tool: 'git_status', input: { path: cwd }, result: { structuredContent } } };
}

/** Children of this process; each is the head of a process group of its own. */
export function children(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,pgid=,comm='], { encoding: 'utf8' }).trim().split('\n');
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([pid, parent, group, command]) => Number(parent) === process.pid && pid === group && command !== 'ps')
    .map(([pid]) => Number(pid));
}

/** What lives of these and of everything that they started. */
export const living = (heads: readonly number[]): number[] => heads.flatMap((head) => members(head));

export interface HttpPeer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server that prints its address; it is gone after the test. */
export async function startHttp(args: readonly string[], env: Record<string, string> = {}): Promise<HttpPeer> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', LOOPBACK, ...args], { env: { PATH, HOME, ...env }, stdio: 'pipe' });
  onTestFinished(() => stop(child));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}: ${said}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        const [address] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? [];
        if (address !== undefined) resolve(address);
      });
    }
  });
  return { url, port: Number(new URL(url).port), stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
