/** What the tests of a single connection share: a link on any transport, and small servers that say what a test wants. */

import { InMemoryTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type Link, type LinkOptions, openClient, openTransport } from '../../src/connection/link.ts';
import { announced } from '../../src/connection/questions.ts';
import type { McpHandlers } from '../../src/handlers.ts';
import type { ClientServer } from '../../src/servers.ts';
import { HttpTransport } from '../../src/transports/http.ts';

export interface Opened {
  readonly link: Link;
  readonly notifications: { method: string; params: unknown }[];
  readonly noise: Error[];
}

function linkOptions(opened: Omit<Opened, 'link'>, options: Partial<LinkOptions> = {}): LinkOptions {
  return {
    server: 's',
    clientInfo: { name: 'test', version: '1' },
    protocol: 'auto',
    memory: {},
    headers: undefined,
    signal: new AbortController().signal,
    probeBudget: 2_000,
    now: Date.now,
    wrap: (request, last) => last(request),
    onNotification: (method, params) => void opened.notifications.push({ method, params }),
    onEnd() {},
    onNoise: (error) => void opened.noise.push(error),
    ...options,
  };
}

/** A link on a transport of its own; closed with the test. */
export async function open(transport: Transport, options?: Partial<LinkOptions>): Promise<Opened> {
  const seen = { notifications: [], noise: [] };
  const link = await openTransport(transport, true, linkOptions(seen, options));
  onTestFinished(() => link.close());
  return { ...seen, link };
}

export function openHttp(url: string, options?: Partial<LinkOptions>): Promise<Opened> {
  return open(new HttpTransport({ server: 's', url: new URL(url), headers: () => new Headers() }), options);
}

/** A link on a client that the test made. */
export async function openGiven(client: ClientServer['client'], options?: Partial<LinkOptions>): Promise<Opened> {
  const seen = { notifications: [], noise: [] };
  const link = await openClient(client, linkOptions(seen, options));
  onTestFinished(() => link.close());
  return { ...seen, link };
}

export const told = (handlers: McpHandlers) => ({ capabilities: announced(handlers), handlers: () => handlers });

type Message = { id?: number | string; method?: string; params?: Record<string, unknown>; result?: unknown; error?: unknown };

export interface Scripted {
  readonly transport: Transport;
  /** What the client sent, in order. */
  readonly received: Message[];
  say(message: object): void;
  /** Asks the client, and waits for its answer. */
  ask(method: string, params?: object): Promise<Message>;
  /** The first message that fits, once it is there. */
  until(fits: (message: Message) => boolean): Promise<Message>;
}

/** A legacy server in memory that shakes hands; what else it says is up to the test. */
export function scripted(onRequest: (message: Message, say: Scripted['say']) => void = () => {}): Scripted {
  const [transport, far] = InMemoryTransport.createLinkedPair();
  const received: Message[] = [];
  const waiting = new Set<() => void>();
  let asked = 0;
  const say = (message: object): void => void far.send({ jsonrpc: '2.0', ...message } as JSONRPCMessage);
  far.onmessage = (raw) => {
    const message = raw as Message;
    received.push(message);
    for (const look of waiting) look();
    const { id, method, params } = message;
    if (method === 'initialize') {
      const { protocolVersion } = params as { protocolVersion: string };
      say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } } });
    } else if (id !== undefined && method !== undefined) onRequest(message, say);
  };
  void far.start();
  const until: Scripted['until'] = (fits) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = received.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    transport,
    received,
    say,
    until,
    async ask(method, params = {}) {
      const id = `question-${asked++}`;
      say({ id, method, params });
      return until((message) => message.id === id && message.method === undefined);
    },
  };
}

export const FORM = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' }, greet: { type: 'boolean', default: true } } },
};
