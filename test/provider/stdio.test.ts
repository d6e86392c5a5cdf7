/** Child processes behind a provider. */

import { describe, expect, it } from 'vitest';
import { stdio } from '../../src/node/stdio.ts';
import { fixture, runs, until } from '../node/support.ts';
import { call, failure, provide } from './support.ts';

const script = `process.stderr.write(process.pid + '\\n'); await import(${JSON.stringify(fixture('server.mjs'))});`;

function child(more: object = {}) {
  const pids: number[] = [];
  const config = stdio({
    command: process.execPath,
    args: ['--input-type=module', '-e', script],
    onStderr: (line) => void (/^\d+$/.test(line) && pids.push(Number(line))),
    ...more,
  });
  return { config, pids };
}

describe('L4J-71 a child that ends', () => {
  it('L4J-71 A23 fails every pending call at once, with exit code and the last lines of stderr, and the next call heals', async () => {
    const { config, pids } = child();
    const provider = provide({ servers: { s: config } });
    const tools = await provider.tools();
    const pending = [call(tools, 's_hang'), call(tools, 's_hang'), provider.callTool({ server: 's', tool: 'hang' })].map(failure);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const start = performance.now();
    const last = failure(call(tools, 's_exit', { code: 3, stderr: 'the last words\n' }));
    for (const error of await Promise.all([...pending, last])) {
      expect(error).toMatchObject({ code: 'outcome_unknown', server: 's', data: { exitCode: 3 } });
      expect(error.message).toContain('the last words');
    }
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(await call(tools, 's_echo', { text: 'again' })).toBe('again');
    expect(pids).toHaveLength(2);
    expect(runs(pids[0])).toBe(false);
  });

  it('A5 K5 ten first calls at once start one child, and all principals share it', async () => {
    const { config, pids } = child();
    const provider = provide({ servers: { s: config } });
    const ask = (index: number) =>
      provider.callTool({ server: 's', tool: 'echo', input: { text: 'x' }, principal: { id: `u${index}` } });
    await Promise.all(Array.from({ length: 10 }, (_, index) => ask(index)));
    expect(pids).toHaveLength(1);
  });

  it('L4J-66 A11 removing the server, and forgetting who has one of their own, end the process', async () => {
    const [shared, own] = [child(), child({ share: false })];
    const provider = provide({ servers: { shared: shared.config, own: own.config } });
    await Promise.all(['zoe', 'bob'].map((id) => provider.tools({ principal: { id } })));
    expect([shared.pids.length, own.pids.length]).toEqual([1, 2]);
    await provider.forget('zoe');
    await until(() => own.pids.filter((pid) => runs(pid)).length === 1);
    expect(runs(shared.pids[0])).toBe(true);
    await provider.removeServer('shared');
    await until(() => !runs(shared.pids[0]));
    await provider.close();
    await until(() => !own.pids.some((pid) => runs(pid)));
  });

  it('A8 L4J-23 nothing is started again after close, whatever was under way', async () => {
    const { config, pids } = child();
    const provider = provide({ servers: { s: config }, healthCheck: { interval: 20 } });
    const tools = await provider.tools();
    const hanging = failure(call(tools, 's_hang'));
    await new Promise((resolve) => setTimeout(resolve, 60));
    await provider.close();
    expect(await hanging).toMatchObject({ code: 'closed' });
    expect(await failure(call(tools, 's_echo'))).toMatchObject({ code: 'closed' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(pids).toHaveLength(1);
    expect(runs(pids[0])).toBe(false);
  });
});
