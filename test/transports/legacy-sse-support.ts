/** What the tests of the HTTP+SSE transport share: a small server of it, the everything server in that mode, and a driven transport. */

import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { LegacySseTransport, type LegacySseTransportOptions } from '../../src/transports/legacy-sse.ts';
import { carry, type RequestContext } from '../../src/transports/transport.ts';
import { type Listening, listen, type Received } from '../support/listen.ts';
import { EVERYTHING } from '../support/reference.ts';
import { event, reply, until } from './http-support.ts';

export const SESSION = 'sentinel-session';

export interface SseServer extends Listening {
  /** Where the event stream is. */
  readonly sse: string;
  /** Event streams that are open now. */
  readonly streams: Set<ServerResponse>;
  /** Replies that are not over, event streams among them. */
  readonly open: Set<ServerResponse>;
  /** JSON-RPC methods as they were posted. */
  readonly posted: () => string[];
  /** Sends a message on every open stream. */
  send(message: unknown): void;
}

export interface SseServerOptions {
  /** The data of the `endpoint` event; `undefined`: it is never sent. */
  readonly endpoint?: string | undefined;
  /** Answers instead of the server; returns true when it did. */
  readonly intercept?: (request: Received, response: ServerResponse, server: SseServer) => unknown;
  readonly port?: number;
}

/** A server of HTTP+SSE on `/sse` and `/message`; every other path and method is answered with 404. */
export async function serveSse(options: SseServerOptions = {}): Promise<SseServer> {
  const endpoint = 'endpoint' in options ? options.endpoint : `/message?sessionId=${SESSION}`;
  const streams = new Set<ServerResponse>();
  const open = new Set<ServerResponse>();
  const listening = await listen(async (request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    if ((await options.intercept?.(request, response, server)) === true) return;
    const path = request.path.split('?')[0];
    if (request.method === 'GET' && path === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (endpoint !== undefined) response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else if (request.method === 'POST' && path === '/message') {
      response.writeHead(202).end('Accepted');
      if (request.message.id !== undefined) server.send(reply(request, resultFor(request)));
    } else response.writeHead(404).end('<h1>Not Found</h1>');
  }, options.port);
  const server: SseServer = {
    ...listening,
    sse: `http://127.0.0.1:${listening.port}/sse`,
    streams,
    open,
    posted: () => listening.requests.flatMap(({ message }) => message.method ?? []),
    send(message) {
      for (const stream of streams) stream.write(event(message));
    },
  };
  onTestFinished(() => server.close());
  return server;
}

function resultFor({ message: { method, params } }: Received): unknown {
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params as { protocolVersion: string };
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } };
    }
    case 'tools/list':
      return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    case 'tools/call':
      return { content: [{ type: 'text', text: 'called' }] };
    default:
      return {};
  }
}

export interface Driven {
  readonly transport: LegacySseTransport;
  readonly messages: JSONRPCMessage[];
  readonly errors: Error[];
  /** How often `onclose` came. */
  readonly closes: () => number;
  request(method: string, context?: RequestContext, params?: Record<string, unknown>, id?: string | number): Promise<void>;
}

/** A transport without a client, whose events are recorded; closed with the test. */
export function drive(url: string, options: Partial<LegacySseTransportOptions> = {}): Driven {
  const transport = new LegacySseTransport({ server: 'old', url: new URL(url), headers: () => new Headers(), ...options });
  const messages: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  let closes = 0;
  transport.onmessage = (message) => void messages.push(message);
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = () => void closes++;
  onTestFinished(() => transport.close());
  return {
    transport,
    messages,
    errors,
    closes: () => closes,
    request: (method, context, params = {}, id = 1) =>
      transport.send({ jsonrpc: '2.0', id, method, params }, context === undefined ? undefined : { headers: carry(context) }),
  };
}

/** A real client on a transport of ours; both are closed with the test. */
export async function connect(
  url: string,
  options: Partial<LegacySseTransportOptions> = {},
): Promise<{ client: Client; driven: Driven }> {
  const driven = drive(url, options);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(driven.transport);
  return { client, driven };
}

/** Loaded into the everything server: it listens on loopback only, and ends with this process. */
const LOOPBACK = new URL('../../examples/demo/loopback.mjs', import.meta.url).href;

/** The everything server over HTTP+SSE, for one test. */
export async function spawnEverythingSse(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', LOOPBACK, EVERYTHING, 'sse'], {
    env: { PORT: String(port) },
    stdio: 'pipe',
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(stop);
  await until(() => said.includes('running on port') || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`the everything server exited with ${child.exitCode}: ${said}`);
  return { url: `http://127.0.0.1:${port}/sse`, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
