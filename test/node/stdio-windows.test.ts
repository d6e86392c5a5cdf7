/** What is different on Windows, as far as another system can tell: how commands are found, and what an error says of it. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childEnv } from '../../src/node/child-env.ts';
import { startFailure } from '../../src/node/stdio-failure.ts';
import { fixture } from './support.ts';

const run = promisify(execFile);

/** Stands in for cmd.exe: writes down its last argument, and knows one command. */
const SHELL = `#!/bin/sh
for last; do :; done
printf '%s' "$last" > "$LOG"
case "$last" in
  *npx*) exec "$NODE" "$SERVER" ;;
  *) echo "not recognized as an internal or external command" >&2; exit 1 ;;
esac
`;

async function onWindows(command: string): Promise<{ result: Record<string, string>; line: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'windows-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'cmd.exe'), SHELL, { mode: 0o755 });
  await writeFile(join(folder, 'npx.cmd'), '');
  const { stdout } = await run(process.execPath, ['--import', 'tsx', fixture('windows.mjs'), folder, command], {
    timeout: 15_000,
  });
  return { result: JSON.parse(stdout), line: await readFile(join(folder, 'log'), 'utf8') };
}

function pretendWindows(): void {
  const real = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  onTestFinished(() => void Object.defineProperty(process, 'platform', real));
}

describe('A16 a command on Windows', () => {
  it('that is a shim is found and run, and its arguments stay arguments', async () => {
    const { result, line } = await onWindows('npx');
    expect(result).toEqual({ text: 'through the shim' });
    // In quotes and with every character that the shell knows escaped.
    expect(line).toMatch(/^"npx .*\^"-y\^" \^"a\^ b\^" \^"\^&\^ calc\^""$/);
  });

  it('that does not exist is told at once, with what to do', async () => {
    const { result } = await onWindows('uvx');
    expect(result).toMatchObject({ code: 'unavailable', errno: 'ENOENT' });
    expect(result.message).toMatch(/"uvx".*no such command.*PATH.*uvx\.cmd/);
  });

  it('names the shim in the error, and only there', () => {
    const missing = Object.assign(new Error('spawn npx ENOENT'), { code: 'ENOENT' });
    expect(startFailure('npx', undefined, missing).message).not.toContain('.cmd');
    pretendWindows();
    expect(startFailure('npx', undefined, missing).message).toMatch(/could not start "npx".*absolute path.*nodejs\\npx\.cmd/);
    expect(startFailure('npx.cmd', undefined, missing).message).not.toContain('On Windows');
  });
});

it('A15 a variable is one there, however it is written', () => {
  pretendWindows();
  process.env.Path = 'inherited';
  onTestFinished(() => void delete process.env.Path);
  const { env } = childEnv({ path: 'declared' }, ['Path']);
  expect(Object.entries(env).filter(([name]) => name.toLowerCase() === 'path')).toEqual([['path', 'declared']]);
});
