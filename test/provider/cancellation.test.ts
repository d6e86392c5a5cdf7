/** What a time-out and an abort tell, and what they leave behind. */

import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { McpToolProviderOptions, Timeouts } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import type { Received } from '../support/listen.ts';
import { answer, call, count, either, failure, type Intercept, provide, silentTo } from './support.ts';

const SHORT = 120;
const elapsed = async (work: Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work;
  return performance.now() - start;
};

async function hangs(timeouts: Partial<Record<'set' | 'server', Timeouts>>, options: Partial<McpToolProviderOptions> = {}) {
  const server = await fake({ tools: [{ name: 'slow_read' }, { name: 'other' }], intercept: silentTo('tools/call') });
  const provider = provide({
    servers: { s: { url: server.url, timeouts: timeouts.server } },
    timeouts: timeouts.set,
    ...options,
  });
  return { server, tools: await provider.tools(), provider };
}

describe('L4J-22 H1 what a time-out and an abort tell', () => {
  const reasons = (requests: readonly Received[]) =>
    requests.filter(({ message }) => message.method === 'notifications/cancelled').map(({ message }) => message.params);

  it('L4J-22 the server hears `cancelled` with the id and a neutral reason; the model reads timeoutMessage, as an error', async () => {
    const { tools, server } = await hangs(
      { set: { tools: { '*': { request: SHORT } } } },
      { timeoutMessage: 'Too slow: tell the user.' },
    );
    const error = await failure(call(tools, 's_slow_read', { secret: 'sentinel-secret' }));
    expect(error.code).toBe('timeout');
    expect(error.message).toContain('Too slow: tell the user.');
    await expect.poll(() => count(server, 'notifications/cancelled')).toBe(1);
    const asked = server.requests.find(({ message }) => message.method === 'tools/call');
    expect(reasons(server.requests)).toEqual([
      { requestId: asked?.message.id, reason: 'The client no longer waits for this request.' },
    ]);
  });

  it('L4J-22 without a timeoutMessage the text says how long was waited and what to raise', async () => {
    const { tools } = await hangs({ set: { tools: { '*': { request: SHORT } } } });
    expect((await failure(call(tools, 's_other'))).message).toMatch(/120 ms.*timeouts\.request/);
  });

  it('H1 an abort rejects at once, is told without its reason, and a late answer is ignored', async () => {
    let late = (): void => {};
    const hold: Intercept = (received, response) => {
      if (received.message.method !== 'tools/call' || late.name === 'done') return false;
      return new Promise((resolve) => {
        late = () => resolve(answer(received, response, { content: [{ type: 'text', text: 'late' }] }));
      });
    };
    const server = await fake({ intercept: either(hold) });
    const tools = await provide({ servers: { s: { url: server.url } } }).tools();
    const caller = new AbortController();
    const calling = failure(call(tools, 's_echo', {}, caller.signal));
    await expect.poll(() => count(server, 'tools/call')).toBe(1);
    const took = elapsed(calling);
    caller.abort(new Error('sentinel-secret'));
    expect(await calling).toMatchObject({ code: 'aborted' });
    expect(await took).toBeLessThan(2_000);
    await expect.poll(() => count(server, 'notifications/cancelled')).toBe(1);
    expect(JSON.stringify(server.requests)).not.toContain('sentinel-secret');
    late();
    late = function done() {};
    expect(await call(tools, 's_echo')).toBe('echo {}');
  });

  it('H1 an abort before the call sends nothing', async () => {
    const { tools, server } = await hangs({});
    expect(await failure(call(tools, 's_other', {}, AbortSignal.abort()))).toMatchObject({ code: 'aborted' });
    expect(count(server, 'tools/call')).toBe(0);
  });

  it('K2 fifty calls and listings with one signal leave no listener on it', async () => {
    const server = await fake();
    const provider = provide({ servers: { s: { url: server.url } } });
    const { signal } = new AbortController();
    const tools = await provider.tools({ signal });
    await Promise.all(Array.from({ length: 50 }, () => call(tools, 's_echo', {}, signal)));
    await Promise.all(Array.from({ length: 50 }, () => provider.callTool({ server: 's', tool: 'echo', signal })));
    provider.refresh();
    await Promise.all(Array.from({ length: 50 }, () => provider.tools({ signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
