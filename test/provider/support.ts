/** What the tests of the provider share: providers that end with their test, and small servers with a push channel. */

import type { ServerResponse } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import {
  createMcpToolProvider,
  type McpErrorCode,
  type McpToolProvider,
  type McpToolProviderOptions,
  type McpToolSet,
  McpToolSetError,
} from '../../src/index.ts';
import type { FakeOptions, FakeServer } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';
import { json, type Received } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';

export type Intercept = NonNullable<FakeOptions['intercept']>;

/** Says nothing on the console, and is closed with the test. */
export function provide(options: McpToolProviderOptions): McpToolProvider {
  const provider = createMcpToolProvider({ onWarning: false, ...options });
  onTestFinished(() => provider.close());
  return provider;
}

export const coded = (code: McpErrorCode) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);

/** What the promise rejects with, which must be an error of ours. */
export async function failure(promise: Promise<unknown> | undefined): Promise<McpToolSetError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!McpToolSetError.is(error)) throw error;
  return error;
}

export const count = (server: FakeServer, method: string): number => server.log().filter((each) => each === method).length;

/** Calls a tool of a record as the AI SDK does. */
export async function call(tools: McpToolSet, name: string, input: unknown = {}, signal?: AbortSignal): Promise<string> {
  const tool = tools[name];
  if (tool === undefined) throw new Error(`there is no "${name}" among ${Object.keys(tools).join(', ')}`);
  return textOf(await tool.execute?.(input, executeOptions(signal)));
}

export function textOf(result: unknown): string {
  return ((result as { content?: { text?: string }[] })?.content ?? []).map(({ text = '' }) => text).join();
}

/** Answers a request of the client's; `true` for the interceptor. */
export function answer({ message }: Received, response: ServerResponse, result: object): true {
  json(response, { jsonrpc: '2.0', id: message.id, result });
  return true;
}

export function refuse({ message }: Received, response: ServerResponse, code: number): true {
  json(response, { jsonrpc: '2.0', id: message.id, error: { code, message: 'refused' } });
  return true;
}

export function status(response: ServerResponse, code: number): true {
  response.writeHead(code).end();
  return true;
}

/** Never answers this method. */
export const silentTo =
  (...methods: string[]): Intercept =>
  ({ message }) =>
    methods.includes(message.method ?? '') ? new Promise(() => {}) : false;

/** The first that answers. */
export const either =
  (...intercepts: Intercept[]): Intercept =>
  async (received, response) => {
    for (const intercept of intercepts) if (await intercept(received, response)) return true;
    return false;
  };

export const PONG: Intercept = (received, response) =>
  received.message.method === 'ping' ? answer(received, response, {}) : false;

/** A list of tools that a test can change. */
export const listed = (received: Received, response: ServerResponse, names: readonly string[], more: object = {}): true =>
  answer(received, response, { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })), ...more });

export interface Gate {
  readonly open: () => void;
  readonly passed: Promise<void>;
}

export function gate(): Gate {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

export interface Pushing extends FakeServer {
  /** Open streams on which the server tells of changes. */
  readonly streams: Set<ServerResponse>;
  push(method: string, params?: object): void;
}

/** A fake whose GET is a stream, and which says that it tells of changes. */
export async function pushing(options: FakeOptions = {}): Promise<Pushing> {
  const streams = new Set<ServerResponse>();
  const stream: Intercept = ({ method }, response) => {
    if (method !== 'GET') return false;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    streams.add(response);
    response.on('close', () => streams.delete(response));
    return true;
  };
  const server = await fake({
    capabilities: { tools: { listChanged: true } },
    ...options,
    intercept: either(options.intercept ?? (() => false), stream),
  });
  return {
    ...server,
    streams,
    push(method, params) {
      for (const each of streams) each.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
    },
  };
}
