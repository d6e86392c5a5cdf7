/** Closing: the whole process tree goes, and nothing of this process's stays behind. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connect, failure, fixture, makeTransport, members, prepare, runs, until } from './support.ts';

const SIGNALS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** What a child costs this process while it lives. */
function held(): Record<string, number> {
  const resources = process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap' || name === 'PipeWrap');
  return { resources: resources.length, ...Object.fromEntries(SIGNALS.map((name) => [name, process.listenerCount(name)])) };
}

describe('close', () => {
  it('ends a server that behaves without a signal, once, however often it is called', async () => {
    const { client, transport, closes, call } = await connect('server.mjs');
    const { pid } = transport;
    expect(await call('echo', { text: 'x' })).toBe('x');
    const first = transport.close();
    expect(transport.close()).toBe(first);
    await Promise.all([first, transport.close(), client.close()]);
    expect(runs(pid)).toBe(false);
    expect(closes()).toBe(1);
    expect(transport.failure).toBeUndefined();
    expect(await failure(transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }))).toMatchObject({ code: 'closed' });
  });

  it('ends a server that ignores the end of its input and SIGTERM, within a bound', async () => {
    const { client, transport } = await connect('server.mjs', ['--stubborn']);
    const { pid } = transport;
    const start = performance.now();
    await client.close();
    expect(performance.now() - start).toBeLessThan(6_000);
    expect(runs(pid)).toBe(false);
  });

  it('A10 ends the server behind a wrapper, stubborn as it may be', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stdio-'));
    const file = join(folder, 'pid');
    const { client, transport, call } = await connect('wrapper.mjs', ['--stubborn'], { env: { PID_FILE: file } });
    const real = Number(readFileSync(file, 'utf8'));
    const helper = Number(await call('helper'));
    expect(members(transport.pid).sort()).toEqual([transport.pid, real, helper].sort());
    await client.close();
    expect(members(transport.pid)).toEqual([]);
    expect([real, helper].some(runs)).toBe(false);
    await rm(folder, { recursive: true });
  });

  it('A10 ends a helper that stays in the group after its server went', async () => {
    const { client, transport, call } = await connect('server.mjs');
    const helper = Number(await call('helper', { holdPipes: true }));
    await client.close();
    expect(runs(helper)).toBe(false);
    expect(members(transport.pid)).toEqual([]);
  });

  it('fails what is pending, and start itself when it comes during the start', async () => {
    const { client, transport, call } = await connect('server.mjs');
    const pending = failure(call('hang'));
    await call('echo', { text: 'x' });
    await client.close();
    expect(await pending).toMatchObject({ code: 'CONNECTION_CLOSED' });
    const starting = makeTransport({ command: process.execPath, args: [fixture('server.mjs')] });
    let closes = 0;
    starting.onclose = () => void closes++;
    const started = failure(starting.start());
    await starting.close();
    expect(await started).toMatchObject({ code: 'closed' });
    expect(runs(starting.pid)).toBe(false);
    expect(closes).toBe(1);
    expect(transport.pid).not.toBe(starting.pid);
  });

  it('before the start means that nothing is ever started', async () => {
    const transport = makeTransport({ command: process.execPath, args: [fixture('server.mjs')] });
    await transport.close();
    expect(await failure(transport.start())).toMatchObject({ code: 'closed' });
    expect(transport.pid).toBeUndefined();
  });

  it('leaves no listener, no pipe and no process of ours', async () => {
    const before = held();
    const all = await Promise.all(Array.from({ length: 4 }, () => connect('server.mjs')));
    // One listener for all children.
    expect(held()).toMatchObject({ exit: (before.exit ?? 0) + 1, SIGINT: (before.SIGINT ?? 0) + 1 });
    const [first, ...rest] = all;
    await failure(first?.call('exit') ?? Promise.resolve());
    await Promise.all(rest.map(({ client }) => client.close()));
    await until(() => JSON.stringify(held()) === JSON.stringify(before));
    expect(held()).toEqual(before);
  });
});

describe('A13 a server that never answers', () => {
  it.each([[[]], [['--stubborn']]])('leaves no process behind when the connect is aborted (%j)', async (args) => {
    const { client, transport, closes } = prepare('silent.mjs', args);
    const abort = new AbortController();
    const connecting = failure(client.connect(transport, { signal: abort.signal }));
    await until(() => runs(transport.pid));
    abort.abort(new Error('enough'));
    await connecting;
    await transport.close();
    expect(runs(transport.pid)).toBe(false);
    expect(closes()).toBe(1);
  });

  it('nor when it times out', async () => {
    const { client, transport } = prepare('silent.mjs');
    await failure(client.connect(transport, { timeout: 200 }));
    await transport.close();
    expect(members(transport.pid)).toEqual([]);
  });
});
