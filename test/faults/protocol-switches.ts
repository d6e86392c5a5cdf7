/** Switches of the protocol: versions, capabilities, the era probe, and what a server sends of its own accord. */

import type { ServerResponse } from 'node:http';
import { answerJson, type Exchange, type Fault, frame, gone, type Message, openStream, wait } from './fault.ts';

/** Milliseconds between two notifications of progress. */
const STEP = 60;

const LIST_CHANGED = frame({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

function initialized(change: (result: Message) => unknown): Fault {
  return { on: 'initialize', result: change };
}

function version(protocolVersion: unknown): Fault {
  return initialized((result) => ({ ...result, protocolVersion }));
}

function capabilities(value: unknown): Fault {
  return initialized((result) => ({ ...result, capabilities: value }));
}

function refusal(code: unknown, message: unknown = 'no', on?: string): Fault {
  return {
    ...(on !== undefined && { on }),
    act({ request, response }) {
      const body = { jsonrpc: '2.0', id: request.message.id, error: { code, message } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  };
}

function probe(status: number): Fault {
  return { on: 'server/discover', act: ({ response }) => void response.writeHead(status).end('what is that?') };
}

/** The call is answered only after the client has answered a question of the server's. */
function asks(method: string, params?: object): Fault {
  return {
    async act({ response, state, answer }) {
      openStream(response);
      await state.ask(response, method, params);
      response.end(frame(answer()));
    },
  };
}

async function listenTo(response: ServerResponse, say: () => unknown): Promise<void> {
  openStream(response);
  await say();
}

/** Other messages, then the reply. */
function before(text: (exchange: Exchange) => string): Fault {
  return {
    act(exchange) {
      openStream(exchange.response, text(exchange));
      exchange.response.end(frame(exchange.answer()));
    },
  };
}

function notification(method: string, params: object): string {
  return frame({ jsonrpc: '2.0', method, params });
}

function tokenOf({ request }: Exchange): unknown {
  return (request.message.params?._meta as Message | undefined)?.progressToken;
}

/** Progress at a steady pace: so many times, then the reply; or for ever. */
function progress(times: number, token: (exchange: Exchange) => unknown = tokenOf): Fault {
  return {
    async act(exchange) {
      const { response } = exchange;
      const reply = frame(exchange.answer());
      openStream(response);
      const end = gone(response);
      for (let step = 1; step <= times && !response.destroyed; step++) {
        response.write(notification('notifications/progress', { progressToken: token(exchange), progress: step }));
        await Promise.race([wait(STEP), end]);
      }
      response.end(reply);
    },
  };
}

/** A server of the modern era: what it says of itself, and what it adds to each result. */
function modern(itself: Message, more: Message): Fault {
  return {
    on: ['server/discover', 'tools/list', 'tools/call'],
    act(exchange) {
      const { request, response } = exchange;
      if (request.message.method !== 'server/discover') return answerJson(exchange);
      const result = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...itself, ...more };
      const body = { jsonrpc: '2.0', id: request.message.id, result };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
    result: (result) => ({ ...result, ...more }),
  };
}

export const PROTOCOL_FAULTS = {
  modern: modern(
    { serverInfo: { name: 'faults', version: '1' } },
    { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' },
  ),
  'modern-bare': modern({}, {}),
  'modern-other-version': modern({ supportedVersions: ['2031-01-01'] }, {}),
  'version-newer': version('2099-01-01'),
  'version-older': version('2024-11-05'),
  'version-ancient': version('2023-01-01'),
  'version-missing': version(undefined),
  'strict-header': {
    on: ['tools/list', 'tools/call'],
    act(exchange) {
      const { headers } = exchange.request;
      if (headers['mcp-protocol-version'] === '2025-06-18') answerJson(exchange);
      else exchange.response.writeHead(400).end(`Bad Request: Unsupported protocol version`);
    },
  },
  'speaks-2025-06-18': version('2025-06-18'),
  'probe-32601': refusal(-32_601, 'Method not found', 'server/discover'),
  'probe-32602': refusal(-32_602, 'Invalid params', 'server/discover'),
  'probe-400': probe(400),
  'probe-404': probe(404),
  'probe-500': probe(500),
  'probe-silence': { on: 'server/discover', act: () => {} },
  'probe-reset': { on: 'server/discover', act: ({ response }) => void response.destroy() },
  'initialize-error': refusal(-32_603, 'not today', 'initialize'),
  'initialize-empty': initialized(() => ({})),
  'initialize-silence': { on: 'initialize', act: () => {} },
  'no-server-info': initialized(({ serverInfo, ...result }) => result),
  'initialized-refused': { on: 'notifications/initialized', act: ({ response }) => void response.writeHead(500).end() },
  'initialized-silence': { on: 'notifications/initialized', act: () => {} },
  'no-capabilities': capabilities({}),
  'capabilities-missing': capabilities(undefined),
  'resources-declared': capabilities({ tools: {}, resources: {} }),
  'list-changed-declared': capabilities({ tools: { listChanged: true } }),
  'asks-ping': asks('ping'),
  'asks-sampling': asks('sampling/createMessage', { messages: [], maxTokens: 1 }),
  'asks-elicitation': asks('elicitation/create', {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: {} },
  }),
  'asks-roots': asks('roots/list'),
  'asks-unknown': asks('x/unknown', { a: 1 }),
  /** On the listening stream, which stays open after. */
  'get-asks-ping': { on: 'GET', act: ({ response, state }) => listenTo(response, () => state.ask(response, 'ping')) },
  'get-list-changed': { on: 'GET', act: ({ response }) => listenTo(response, () => response.write(LIST_CHANGED)) },
  'list-changed-burst': before(() => LIST_CHANGED.repeat(50)),
  'unknown-notification': before(
    () => notification('notifications/x', {}) + notification('notifications/tools/list_changed/x', {}),
  ),
  'odd-notifications': before(
    () => frame({ jsonrpc: '2.0', method: 'notifications/message', params: null }) + frame({ jsonrpc: '2.0', method: 42 }),
  ),
  'server-cancels': before(({ request }) =>
    notification('notifications/cancelled', { requestId: request.message.id, reason: 'changed my mind' }),
  ),
  progress: progress(12),
  'progress-endless': progress(Number.POSITIVE_INFINITY),
  'progress-without-token': progress(2, () => undefined),
  'progress-foreign-token': progress(Number.POSITIVE_INFINITY, () => 'some other call'),
  'error-32602': refusal(-32_602, 'Invalid arguments for tool write: [path] is required'),
  'error-32601': refusal(-32_601, 'Method not found'),
  'error-odd-code': refusal('E_ODD', 'code is a text'),
  'error-without-message': refusal(-32_000, undefined),
  'error-null-id': {
    act({ response }) {
      const body = { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'could not read it' } };
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  },
} as const satisfies Record<string, Fault>;

export type ProtocolSwitch = keyof typeof PROTOCOL_FAULTS;
