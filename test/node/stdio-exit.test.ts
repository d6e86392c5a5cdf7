/** A child process that ends, or stops talking, by itself. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, failure, members, prepare, runs, until } from './support.ts';

describe('A23 a server that dies at the start', () => {
  it('is explained at once with exit code and last words', async () => {
    const { client, transport } = prepare('crash.mjs');
    const start = performance.now();
    await failure(client.connect(transport));
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(transport.failure).toMatchObject({ code: 'unavailable', data: { exitCode: 1, signal: null } });
    expect(transport.failure?.message).toMatch(/exited with code 1 before it answered.*by hand/);
    expect(transport.failure?.message).toContain('Error: no database here');
    await client.close();
  });

  it('takes what follows the last line break, and what was written to stdout, for last words too', async () => {
    const script =
      'process.stdout.write("usage: server <folder>\\n"); process.stderr.write("missing folder"); process.exitCode = 64;';
    const { client, transport } = prepare('', [], { args: ['-e', script] });
    await failure(client.connect(transport));
    expect(transport.failure?.data).toEqual({ exitCode: 64, signal: null });
    for (const words of ['usage: server <folder>', 'missing folder']) expect(transport.failure?.message).toContain(words);
  });

  it('shows no more than the last 20 lines and 4 KiB', async () => {
    const script = `
      for (let i = 1; i <= 1000; i++) console.error('line ' + i);
      console.error('x'.repeat(5_000));
      process.exitCode = 1;`;
    const { client, transport } = prepare('', [], { args: ['-e', script] });
    await failure(client.connect(transport));
    expect(transport.failure?.message).toMatch(/line 1000\nx/);
    expect(transport.failure?.message).not.toMatch(/line 980\n/);
    expect(transport.failure?.message.length).toBeLessThan(4_600);
  });

  it('is reported with its exit code whether it reads its input or not', async () => {
    const { client, transport } = prepare('', [], { args: ['-e', 'process.stdin.destroy(); process.exit(9)'] });
    await failure(client.connect(transport));
    expect(transport.failure?.data).toMatchObject({ exitCode: 9 });
  });
});

describe('a server that dies in the middle of a call', () => {
  it('L4J-71 A23 fails all pending calls at once as unknown, with exit code and last words', async () => {
    const { transport, closes, call } = await connect('server.mjs');
    const pending = [call('hang'), call('hang'), call('exit', { code: 7, stderr: 'disk full\n' })];
    const errors = await Promise.all(pending.map(failure));
    expect(errors.map(({ code }) => code)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
    expect(transport.failure).toMatchObject({ code: 'outcome_unknown', data: { exitCode: 7, signal: null } });
    expect(transport.failure?.message).toMatch(/exited with code 7.*may have been executed[\s\S]*disk full/);
    expect(closes()).toBe(1);
    await transport.close();
    expect(closes()).toBe(1);
  });

  it('names the signal that ended it', async () => {
    const { transport, call } = await connect('server.mjs');
    await failure(call('die', { signal: 'SIGKILL' }));
    expect(transport.failure?.data).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(transport.failure?.message).toContain('was ended by SIGKILL');
  });

  it('A10 does so although a helper holds the pipes, and takes the helper along', async () => {
    const { transport, call } = await connect('server.mjs');
    const { pid } = transport;
    const helper = Number(await call('helper', { holdPipes: true }));
    expect(runs(helper)).toBe(true);
    const start = performance.now();
    await failure(call('exit', { code: 1 }));
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(transport.failure).toMatchObject({ code: 'outcome_unknown', data: { exitCode: 1 } });
    await until(() => members(pid).length === 0);
    expect(runs(helper)).toBe(false);
  });

  it('L4J-71 does so although a helper in another group holds the pipes, and closing is bounded', async () => {
    const { client, transport, closes, call } = await connect('server.mjs');
    const helper = Number(await call('helper', { holdPipes: true, detached: true }));
    onTestFinished(() => void process.kill(helper, 'SIGKILL'));
    const start = performance.now();
    const pending = [call('hang'), call('exit', { code: 5, stderr: 'gone\n' })];
    for (const error of await Promise.all(pending.map(failure))) expect(error.code).toBe('CONNECTION_CLOSED');
    expect(transport.failure).toMatchObject({ code: 'outcome_unknown', data: { exitCode: 5 } });
    expect(transport.failure?.message).toContain('gone');
    await client.close();
    await transport.close();
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(closes()).toBe(1);
    // It left the tree of its own will, and with nothing of ours in its hands.
    expect(runs(helper)).toBe(true);
  });

  it('leaves nothing unknown when nothing was under way, and sends nothing more', async () => {
    const { transport, closes, client, call } = await connect('server.mjs');
    expect(await call('echo', { text: 'x' })).toBe('x');
    process.kill(transport.pid ?? 0, 'SIGKILL');
    await until(() => closes() === 1);
    expect(transport.failure).toMatchObject({ code: 'unavailable', data: { signal: 'SIGKILL' } });
    const error = await failure(transport.send({ jsonrpc: '2.0', id: 99, method: 'ping' }));
    expect(error).toMatchObject({ code: 'unavailable', data: { signal: 'SIGKILL' } });
    expect(error.message).toContain('nothing was sent');
    await client.close();
  });
});

describe('a server that lives but does not talk', () => {
  it('that closed its input fails the next request as not sent', async () => {
    const { transport, closes, call } = await connect('server.mjs');
    const { pid } = transport;
    await call('closeInput');
    const other = failure(call('hang'));
    expect(await failure(call('echo', { text: 'x' }))).toMatchObject({ code: 'unavailable' });
    expect(await other).toMatchObject({ code: 'unavailable' });
    expect(transport.failure?.message).toContain('closed its input');
    await until(() => closes() === 1 && members(pid).length === 0);
  });

  it('that closed its output fails what is pending', async () => {
    const { transport, call } = await connect('server.mjs');
    const { pid } = transport;
    await failure(call('closeOutput'));
    expect(transport.failure).toMatchObject({ code: 'outcome_unknown' });
    expect(transport.failure?.message).toContain('closed its output');
    expect(members(pid)).toEqual([]);
  });

  it('that does not read its input neither blocks other messages nor fills the memory, and what is pending ends with close', async () => {
    const { transport, closes, call } = await connect('server.mjs', [], { maxMessageBytes: 1024 * 1024 });
    await call('deaf');
    const text = 'x'.repeat(900_000);
    const send = (id: number): Promise<void> =>
      transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } });
    const stuck = [failure(send(100))];
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 100 } });
    stuck.push(failure(send(101)));
    expect(await failure(send(102))).toMatchObject({ code: 'unavailable' });
    await transport.close();
    for (const error of await Promise.all(stuck)) expect(error).toMatchObject({ code: 'closed' });
    expect(closes()).toBe(1);
  });
});

describe('stderr', () => {
  it('L4J-55 reaches onStderr line by line, and a listener that throws harms nothing', async () => {
    const lines: string[] = [];
    const { client, call } = await connect('server.mjs', [], {
      onStderr: (line) => {
        lines.push(line);
        throw new Error('a bad listener');
      },
    });
    await call('say', { line: 'one ä\ntwo' });
    await until(() => lines.length === 2);
    expect(lines).toEqual(['one ä', 'two']);
    expect(await call('echo', { text: 'fine' })).toBe('fine');
    await client.close();
  });

  it('is drained when nobody listens', async () => {
    const { client, call } = await connect('server.mjs');
    await call('say', { line: 'x'.repeat(1_000_000) });
    expect(await call('echo', { text: 'fine' })).toBe('fine');
    await client.close();
  });
});
