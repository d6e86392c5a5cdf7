import type { Readable } from 'node:stream';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForEdge } from '../support/bundle.ts';
import { ROOT } from '../support/dist.ts';
import { type FakeServer, startFake } from '../support/fake-server.ts';
import { type Everything, startEverything } from '../support/reference.ts';

const major = Number(process.versions.node.split('.')[0]);
const left =
  major < 22 ? ` (LEFT OUT: workerd runs here from Node 22 on, this is ${process.version}; CI runs it on Node 24)` : '';

describe.skipIf(left !== '')(`CARD-07 one provider in module scope, in workerd${left}`, () => {
  let everything: Everything;
  let slow: FakeServer;
  let worker: Miniflare;
  let base: URL;
  const printed: string[] = [];

  beforeAll(async () => {
    everything = await startEverything();
    // Slow to connect and slower to take `initialized`, so that a request can end in the middle of either.
    slow = await startFake({
      intercept: async ({ message }) => {
        const wait = { initialize: 300, 'notifications/initialized': 400 }[message.method ?? ''];
        if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
        return false;
      },
    });
  });
  afterAll(async () => {
    await slow.close();
    await everything.stop();
  });

  /** A fresh isolate, whose module scope has met no request. */
  async function start(servers: Record<string, { url: string }>): Promise<void> {
    const { text } = await bundleForEdge({
      entryPoints: [`${ROOT}test/edge/worker.ts`],
      define: { SERVERS: JSON.stringify(servers) },
    });
    worker = new Miniflare({
      modules: true,
      script: text,
      compatibilityDate: '2026-04-01',
      host: '127.0.0.1',
      cf: false,
      handleRuntimeStdio(out: Readable, err: Readable) {
        for (const stream of [out, err]) stream.on('data', (chunk: Buffer) => printed.push(String(chunk)));
      },
    });
    base = await worker.ready;
  }
  async function get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(new URL(path, base), { signal: AbortSignal.timeout(10_000) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
  const ofOtherRequest = (): string[] => printed.filter((line) => /different request|hang|hung/i.test(line));

  it('two successive requests share it: one connection, tools and resources', async () => {
    await start({ every: { url: everything.url }, slow: { url: slow.url } });
    for (const round of [1, 2]) {
      const { body } = await get('/list');
      expect([round, body.states]).toEqual([round, { every: 'connected', slow: 'connected' }]);
      expect(body.names).toEqual(expect.arrayContaining(['every_echo', 'slow_echo', 'list_resources', 'get_resource']));
    }
    expect(slow.log().filter((method) => method === 'initialize')).toHaveLength(1);
    const used = await get('/use?server=every&uri=demo://resource/dynamic/text/1');
    expect(used.body).toMatchObject({
      echo: { content: [{ text: 'Echo: hi' }] },
      resource: { content: [{ text: expect.stringContaining('Resource 1') }] },
    });
    expect((await get('/use?server=slow')).body).toMatchObject({
      echo: { content: [{ text: expect.stringContaining('echo') }] },
    });
    await worker.dispose();
    expect(ofOtherRequest()).toEqual([]);
  });

  it('two overlapping requests, the first answering early while it connects: all get their tools', async () => {
    await start({ slow: { url: slow.url } });
    const [early, ...others] = await Promise.all([
      get('/early'),
      ...[20, 40, 60].map(async (delay) => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        return get('/list');
      }),
    ]);
    expect(early.body).toEqual({ early: true });
    for (const { status, body } of others)
      expect([status, body.names, body.states]).toEqual([200, ['slow_echo'], { slow: 'connected' }]);
    expect((await get('/list')).body.names).toEqual(['slow_echo']);
    expect((await get('/use?server=slow')).body).toMatchObject({
      echo: { content: [{ text: expect.stringContaining('echo') }] },
    });
    await worker.dispose();
    expect(ofOtherRequest()).toEqual([]);
  });

  it('a session that expired between two requests is opened again', async () => {
    await start({ slow: { url: slow.url } });
    await get('/list');
    slow.sessions.clear();
    expect((await get('/use?server=slow')).body).toMatchObject({
      echo: { content: [{ text: expect.stringContaining('echo') }] },
    });
    await worker.dispose();
    expect(ofOtherRequest()).toEqual([]);
  });
});
