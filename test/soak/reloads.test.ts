/** 20 reloads of the module that makes the provider, as a development server does them: its connections are taken over, not doubled. */

import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runs, until } from '../node/support.ts';
import { fake } from '../support/fixtures.ts';
import { call, heap } from './support.ts';

const RELOADS = 20;
const script = fileURLToPath(new URL('./fixtures/pid.mjs', import.meta.url));

test('SOAK 20 module reloads keep one session, one child and one set of sockets', { timeout: 180_000 }, async () => {
  const server = await fake();
  const pids = new Set<number>();
  let sessions = 0;
  let provider: { close(): Promise<void> } | undefined;
  onTestFinished(() => provider?.close());

  async function reload(): Promise<void> {
    // What a reload is: every module of the library is evaluated anew, and nobody closes what the old ones had opened.
    vi.resetModules();
    const [{ createMcpToolProvider }, { stdio }] = await Promise.all([
      import('../../src/index.ts'),
      import('../../src/node/index.ts'),
    ]);
    const next = createMcpToolProvider({
      singleton: 'soak',
      servers: { web: { url: server.url }, child: stdio({ command: process.execPath, args: [script] }) },
    });
    provider = next;
    const tools = await next.tools();
    pids.add(Number(await call(tools, 'child_pid')));
    expect(await call(tools, 'web_echo')).toBe('echo {}');
    sessions = Math.max(sessions, server.sessions.size);
  }

  await reload();
  const [first] = pids;
  const before = await heap();
  for (let n = 0; n < RELOADS; n++) await reload();
  // The runner keeps some of each evaluation itself.
  expect((await heap()) - before).toBeLessThan(RELOADS * 1_500_000);

  expect([...pids]).toEqual([first]);
  expect(sessions).toBe(1);
  expect(server.sockets.size).toBeLessThanOrEqual(4);

  await provider?.close();
  await until(() => !runs(first));
  expect(server.sessions.size).toBe(0);
});
