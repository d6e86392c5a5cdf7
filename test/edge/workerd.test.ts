/** The provider in workerd, where promises, timers and streams belong to the request that made them. */

import type { Readable } from 'node:stream';
import type { Miniflare } from 'miniflare';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundleForEdge } from '../support/bundle.ts';
import { type FakeServer, startFake } from '../support/fake-server.ts';
import type { Received } from '../support/listen.ts';
import { type Everything, startEverything } from '../support/reference.ts';

const canRun = Number(process.versions.node.split('.')[0]) >= 22;
const leftOut = canRun ? '' : ` (LEFT OUT: workerd needs Node 22 or newer, this is ${process.version})`;
// Reporters do not show the titles of what is skipped.
if (!canRun) console.warn(`test/edge:${leftOut}`);

describe.skipIf(!canRun)(`CARD-07 one provider in module scope, in workerd${leftOut}`, () => {
  let everything: Everything;
  let slow: SlowServer;
  let worker: Worker;

  beforeAll(async () => {
    everything = await startEverything();
  });
  afterAll(() => everything.stop());
  beforeEach(async () => {
    slow = await startSlowServer();
    worker = await startWorker({ every: { url: everything.url }, slow: { url: slow.url } }, `${slow.origin}/board`);
  });
  afterEach(async () => {
    await worker.stop();
    await slow.close();
    expect(worker.log()).not.toMatch(/different request|unhandled|uncaught|hung/i);
  });

  it('two successive requests share connections and listings', async () => {
    const first = await worker.get('/list');
    expect(first).toEqual(all);
    const asked = slow.requests.length;
    expect(await worker.get('/list')).toEqual(first);
    expect(slow.requests.slice(asked).map(({ path }) => path)).toEqual(['/board/list']);
    expect(await worker.get('/use')).toEqual(used);
    expect(slow.log().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('two overlapping requests get all tools, although the first one leaves while it connects', async () => {
    const [leave, initialize] = [slow.hold('/leave'), slow.hold('initialize')];
    const leaving = worker.get('/leave');
    await initialize.reached();
    const listing = worker.get('/list');
    await slow.seen('/list');
    leave.release();
    expect(await leaving).toEqual({ left: true });
    initialize.release();
    expect(await listing).toEqual(all);
    expect(await worker.get('/list')).toEqual(all);
    expect(await worker.get('/use')).toEqual(used);
  });

  it('a request that comes after one which left in the middle of the handshake is not held up by it', async () => {
    const [leave, initialized] = [slow.hold('/leave'), slow.hold('notifications/initialized')];
    const leaving = worker.get('/leave');
    await initialized.reached();
    leave.release();
    expect(await leaving).toEqual({ left: true });
    initialized.release();
    expect(await worker.get('/use')).toEqual(used);
    expect(await worker.get('/list')).toEqual(all);
  });

  it('two overlapping requests that both stay get all tools', async () => {
    const initialize = slow.hold('initialize');
    const listings = [worker.get('/list'), worker.get('/list')];
    await slow.seen('/list', 2);
    initialize.release();
    expect(await Promise.all(listings)).toEqual([all, all]);
    expect(await worker.get('/use')).toEqual(used);
  });

  it('closing does not wait for the end of a request that left', async () => {
    const [initialize, end] = [slow.hold('initialize'), slow.hold('DELETE')];
    const listings = [worker.get('/list'), worker.get('/list')];
    await slow.seen('/list', 2);
    initialize.release();
    // One of the two sessions is not needed, and its end is not answered while its request lives.
    expect(await Promise.all(listings)).toEqual([all, all]);
    end.release();
    expect(await worker.get('/close')).toEqual({ closed: true });
  });

  it('a session that is gone is replaced, although a call of a request that left is still on it', async () => {
    const [leave, call] = [slow.hold('/leave-call'), slow.hold('tools/call')];
    const leaving = worker.get('/leave-call');
    await call.reached();
    leave.release();
    expect(await leaving).toEqual({ left: true });
    slow.sessions.clear();
    call.release();
    expect(await worker.get('/use')).toEqual(used);
    expect(slow.log().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('one request closes what others opened', async () => {
    const [leave, call] = [slow.hold('/leave-call'), slow.hold('tools/call')];
    const leaving = worker.get('/leave-call');
    await call.reached();
    leave.release();
    expect(await leaving).toEqual({ left: true });
    expect(await worker.get('/close')).toEqual({ closed: true });
    expect([...slow.sessions]).toEqual([]);
    expect(await worker.get('/use')).toEqual({ error: expect.stringContaining('was closed before this call') });
  });
});

const all = {
  names: expect.arrayContaining(['every_echo', 'every_get-sum', 'get_resource', 'list_resources', 'slow_echo']),
  states: { every: 'connected', slow: 'connected' },
};
const used = [
  { content: [{ type: 'text', text: 'Echo: hi' }] },
  { content: [{ type: 'text', text: 'Echo: ho' }] },
  { content: [{ type: 'text', text: expect.stringContaining('Resource 1') }] },
];

interface Worker {
  get(path: string): Promise<unknown>;
  /** What the runtime and the worker have printed. */
  log(): string;
  stop(): Promise<void>;
}

async function startWorker(servers: Record<string, { url: string }>, board: string): Promise<Worker> {
  const { Log, LogLevel, Miniflare } = await import('miniflare');
  const { text } = await bundleForEdge({
    entryPoints: ['test/edge/worker.ts'],
    define: { SERVERS: JSON.stringify(servers), BOARD: JSON.stringify(board) },
  });
  let printed = '';
  const miniflare: Miniflare = new Miniflare({
    modules: true,
    script: text,
    compatibilityDate: '2026-04-01',
    host: '127.0.0.1',
    port: 0,
    // It would be fetched from afar.
    cf: false,
    log: new Log(LogLevel.NONE),
    handleRuntimeStdio(...streams: Readable[]) {
      for (const stream of streams) stream.on('data', (chunk) => (printed += chunk));
    },
  });
  const origin = await miniflare.ready;
  return {
    async get(path) {
      const response = await fetch(new URL(path, origin), { signal: AbortSignal.timeout(10_000) });
      return response.json();
    },
    log: () => printed,
    stop: () => miniflare.dispose(),
  };
}

interface Hold {
  /** Resolves when a request has come that is held. */
  reached(): Promise<void>;
  release(): void;
}

interface SlowServer extends FakeServer {
  readonly origin: string;
  /** Keeps back the answers to these until they are released: a JSON-RPC method, or a path of the board. */
  hold(what: string): Hold;
  /** Resolves when that many of these have come. */
  seen(what: string, times?: number): Promise<void>;
}

/** An MCP server of the legacy era that answers when the test wants it to, and the board of the worker. */
async function startSlowServer(): Promise<SlowServer> {
  const holds = new Map<string, Promise<void>>();
  const server = await startFake({
    tools: [{ name: 'echo', result: { content: [{ type: 'text', text: 'Echo: ho' }] } }],
    async intercept(request, response) {
      await holds.get(nameOf(request));
      if (!request.path.startsWith('/board')) return response.destroyed;
      response.end();
      return true;
    },
  });
  const seen = (what: string, times = 1): Promise<void> =>
    vi.waitFor(() => expect(server.requests.filter((request) => nameOf(request) === what).length).toBeGreaterThanOrEqual(times), {
      timeout: 5_000,
      interval: 10,
    });
  return {
    ...server,
    origin: new URL(server.url).origin,
    hold(what) {
      let release = (): void => {};
      holds.set(what, new Promise((resolve) => (release = resolve)));
      return { reached: () => seen(what), release: () => release() };
    },
    seen,
  };
}

function nameOf({ method, path, message }: Received): string {
  return path.startsWith('/board') ? path.replace('/board', '') : (message.method ?? method);
}
