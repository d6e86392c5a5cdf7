/** A small server that behaves as it is told, a provider over it, and what became of each call: for tests of several middlewares. */

import type { ServerResponse } from 'node:http';
import type { Tracer } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { McpToolSetError } from '../../src/errors.ts';
import { createMcpToolProvider, listMcpTools, type McpToolProvider } from '../../src/index.ts';
import { type LogEvent, lockOf, type PinLock } from '../../src/middleware/index.ts';
import type { CallToolResult, McpMiddleware } from '../../src/types.ts';
import { type FakeTool, startFake } from '../support/fake-server.ts';
import { json, type Received } from '../support/listen.ts';
import { listeners } from './foreign.ts';

/** How the server treats calls: it may answer, be busy once (429), never answer, answer 503, or execute and hang up. */
export type Mood = 'well' | 'busy' | 'hangs' | 'fails' | 'drops';

/** What is asked of a person, who says yes, says no, never answers, or cannot. */
export type Answer = 'yes' | 'no' | 'never' | 'throws';

/** What the middlewares of one scene tell the test. */
export interface Probe {
  readonly events: LogEvent[];
  /** Which tools somebody was asked about, and how many calls had been sent by then. */
  readonly asked: [tool: string, sent: number][];
  sent(): number;
  answer: Answer;
  readonly tracer: Tracer;
  readonly lock: PinLock;
  /** Milliseconds that `timeout` gives a call. */
  readonly limit: number;
}

export interface Ending {
  /** `ok`, or the code of the error. */
  readonly code: string;
  /** All text of the result, or of the error. */
  readonly text: string;
  readonly error?: McpToolSetError | undefined;
  readonly result?: CallToolResult | undefined;
}

/** The server's, and it may change. */
export interface Behaviour {
  mood: Mood;
  /** Milliseconds for which a server asks that is busy. */
  busyFor: number;
}

export interface Scene {
  readonly probe: Probe;
  readonly provider: McpToolProvider;
  readonly behaviour: Behaviour;
  /** Calls as they arrived at the server, by tool; all of them without a name. */
  sent(tool?: string): number;
  /** Everything that arrived. */
  readonly received: readonly Received[];
  /** Ended spans of calls, in the order in which they ended. */
  spans(): readonly ReadableSpan[];
  /** Spans that began and have not ended. */
  open(): number;
  call(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Ending>;
  /** Calls, and ends the call by its signal as soon as `when` holds. */
  abort(tool: string, when: () => boolean): Promise<Ending>;
}

export const LONG = 'x'.repeat(20_000);

const READS = { annotations: { readOnlyHint: true } };

/** Each middleware that refuses refuses one of these, and lets the others through. */
const OFFERED: FakeTool[] = [
  { name: 'read', ...READS },
  { name: 'big', ...READS, result: { content: [{ type: 'text', text: LONG }], structuredContent: { text: LONG } } },
  { name: 'bad', ...READS, result: { content: [{ type: 'text', text: LONG }], isError: true } },
  { name: 'save' },
  { name: 'wipe' },
  { name: 'drifted', ...READS },
  { name: 'guarded', ...READS },
];

let lock: Promise<PinLock> | undefined;

/** Made of a server whose `drifted` is not what it will be. */
async function makeLock(): Promise<PinLock> {
  const server = await startFake({
    tools: OFFERED.map((tool) => ({ ...tool, ...(tool.name === 'drifted' && { description: 'Reads.' }) })),
  });
  try {
    return await lockOf(await listMcpTools({ s: { url: server.url } }));
  } finally {
    await server.close();
  }
}

function react(behaviour: Behaviour, { message }: Received, response: ServerResponse): boolean {
  if (message.method !== 'tools/call') return false;
  switch (behaviour.mood) {
    case 'well':
      return false;
    case 'busy':
      behaviour.mood = 'well';
      json(response, { error: 'busy' }, 429, { 'retry-after': String(behaviour.busyFor / 1_000) });
      return true;
    case 'hangs':
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      return true;
    case 'fails':
      json(response, { error: 'broken' }, 503);
      return true;
    case 'drops':
      response.destroy();
      return true;
  }
}

/** Runs on a server and a provider of its own, and leaves nothing behind. */
export async function withScene(
  make: (probe: Probe) => readonly McpMiddleware[],
  play: (scene: Scene) => Promise<void>,
  { limit = 2_000, request = 10_000 }: { readonly limit?: number; readonly request?: number } = {},
): Promise<void> {
  lock ??= makeLock();
  const behaviour: Behaviour = { mood: 'well', busyFor: 0 };
  const server = await startFake({ tools: OFFERED, intercept: (received, response) => react(behaviour, received, response) });
  const { tracers, ...spans } = tracer();
  const calls = (): Received[] => server.requests.filter(({ message }) => message.method === 'tools/call');
  const sent = (tool?: string): number =>
    calls().filter(({ message }) => tool === undefined || message.params?.name === tool).length;
  const probe: Probe = {
    events: [],
    asked: [],
    answer: 'yes',
    tracer: tracers.getTracer('scene'),
    lock: await lock,
    limit,
    sent,
  };
  const provider = createMcpToolProvider({
    servers: { s: { url: server.url } },
    middleware: make(probe),
    principal: { id: 'ann' },
    // Of calls alone: on a busy machine a handshake or a listing may take longer, and nothing is promised of them here.
    timeouts: { tools: { '*': { request } } },
    onWarning: false,
  });
  try {
    await provider.tools();
    await play({ probe, provider, behaviour, sent, received: server.requests, ...spans, ...callers(provider) });
  } finally {
    await provider.close();
    await server.close();
    await tracers.shutdown();
  }
}

function tracer(): Pick<Scene, 'spans' | 'open'> & { readonly tracers: NodeTracerProvider } {
  const exporter = new InMemorySpanExporter();
  let open = 0;
  const count = { onStart: () => void open++, onEnd: () => void open--, forceFlush: async () => {}, shutdown: async () => {} };
  return {
    tracers: new NodeTracerProvider({ spanProcessors: [count, new SimpleSpanProcessor(exporter)] }),
    spans: () => exporter.getFinishedSpans().filter(({ name }) => name.startsWith('tools/call')),
    open: () => open,
  };
}

function callers(provider: McpToolProvider): Pick<Scene, 'call' | 'abort'> {
  const call = (tool: string, input: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Ending> =>
    endingOf(provider.callTool({ server: 's', tool, input, signal }));
  return {
    call: (tool, input = {}) => call(tool, input),
    async abort(tool, when) {
      const controller = new AbortController();
      const ending = call(tool, {}, controller.signal);
      await until(when);
      controller.abort(new Error('enough'));
      const ended = await ending;
      if (listeners(controller.signal) > 0) throw new Error(`${tool} left a listener on its signal`);
      return ended;
    },
  };
}

async function endingOf(work: Promise<CallToolResult>): Promise<Ending> {
  try {
    const result = await work;
    const text = result.content.map((block) => ('text' in block ? block.text : '')).join('');
    return { code: 'ok', text, result };
  } catch (error) {
    if (!McpToolSetError.is(error)) throw error;
    return { code: error.code, text: error.message, error };
  }
}

/** Until it holds; two seconds at most. */
export async function until(holds: () => boolean): Promise<void> {
  for (let left = 400; !holds(); left--) {
    if (left === 0) throw new Error(`it never came: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
