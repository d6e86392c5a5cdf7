/** A misbehaving MCP server over HTTP: right in everything but the switches that are on, and counting what it does. */

import type { ServerResponse } from 'node:http';
import { json, type Listening, listen, type Received } from '../support/listen.ts';
import { type Exchange, type Fault, type FaultState, frame, type Message } from './fault.ts';
import { HTTP_FAULTS, type HttpSwitch } from './http-switches.ts';
import { LIST_FAULTS, type ListSwitch } from './list-switches.ts';
import { PROTOCOL_FAULTS, type ProtocolSwitch } from './protocol-switches.ts';
import { RESULT_FAULTS, type ResultSwitch } from './result-switches.ts';
import { SCHEMA_FAULTS, type SchemaSwitch } from './schema-switches.ts';
import { STREAM_FAULTS, type StreamSwitch } from './stream-switches.ts';

export type Switch = HttpSwitch | StreamSwitch | ProtocolSwitch | ListSwitch | SchemaSwitch | ResultSwitch;

/** A switch, or where and how often it acts, where that is not the usual (on its own methods, each time). */
export type SwitchUse =
  | Switch
  | { readonly name: Switch; readonly on?: string | readonly string[]; readonly times?: number; readonly after?: number };

export interface FaultOptions {
  /** Where several answer the same request, the first stands. Changes of results add up. */
  readonly switches?: readonly SwitchUse[];
  readonly elsewhere?: string;
  readonly port?: number;
}

export interface FaultServer extends Listening, FaultState {
  /** Methods as they arrived; a GET or DELETE by that name. */
  methods(): string[];
  /** How many requests of one method came. */
  count(method: string): number;
}

/** The name that makes most switches act. It has no hints, so it may change things and must not be called twice. */
export const WRITE = 'write';
export const READ = 'read';
const SESSION = 'mcp-session-id';
const FAULTS = { ...HTTP_FAULTS, ...STREAM_FAULTS, ...PROTOCOL_FAULTS, ...LIST_FAULTS, ...SCHEMA_FAULTS, ...RESULT_FAULTS };

interface ActiveFault extends Fault {
  readonly methods: readonly string[];
  /** Requests that it lets pass first, and acts on after. */
  wait: number;
  left: number;
}

export async function startFaultServer(options: FaultOptions = {}): Promise<FaultServer> {
  const faults = (options.switches ?? []).map(activate);
  const answers = new Map<unknown, (answer: Message) => void>();
  const open = new Set<ServerResponse>();
  const listening = new Set<ServerResponse>();
  let asked = 0;
  const state: FaultState = {
    executed: [],
    sessions: new Set(),
    open,
    listening,
    replies: [],
    elsewhere: options.elsewhere ?? 'http://elsewhere.invalid/mcp',
    ask(stream, method, params = {}) {
      const id = `question-${++asked}`;
      stream.write(frame({ jsonrpc: '2.0', id, method, params }));
      return new Promise((resolve) => answers.set(id, resolve));
    },
  };

  const server = await listen(async (request, response) => {
    track(response, request.method === 'GET' ? [open, listening] : [open]);
    const reply = request.message as Message;
    if (reply.method === undefined && reply.id !== undefined) {
      state.replies.push(reply);
      answers.get(reply.id)?.(reply);
      return void response.writeHead(202).end();
    }
    const active = faults.filter((fault) => applies(fault, request));
    const exchange = createExchange(request, response, state, active);
    const act = active.find((fault) => fault.act !== undefined)?.act;
    return act === undefined ? behave(exchange) : act(exchange);
  }, options.port);
  const methods = (): string[] => server.requests.map(nameOf);
  return {
    ...server,
    ...state,
    methods,
    count: (method) => methods().filter((each) => each === method).length,
  };
}

function activate(use: SwitchUse): ActiveFault {
  const { name, on, times = Number.POSITIVE_INFINITY, after = 0 } = typeof use === 'string' ? { name: use } : use;
  const made: Fault | (() => Fault) = FAULTS[name];
  const fault = typeof made === 'function' ? made() : made;
  return { ...fault, methods: [on ?? fault.on ?? 'tools/call'].flat(), wait: after, left: times };
}

function applies(fault: ActiveFault, request: Received): boolean {
  if (!fault.methods.includes(nameOf(request))) return false;
  if (fault.wait > 0) {
    fault.wait--;
    return false;
  }
  return fault.left-- > 0;
}

function nameOf({ method, message }: Received): string {
  return message.method ?? method;
}

function track(response: ServerResponse, sets: readonly Set<ServerResponse>[]): void {
  for (const set of sets) set.add(response);
  response.on('close', () => {
    for (const set of sets) set.delete(response);
  });
}

function createExchange(request: Received, response: ServerResponse, state: FaultState, active: readonly Fault[]): Exchange {
  return {
    request,
    response,
    state,
    answer() {
      const { id } = request.message;
      const right = resultOf(request, response, state);
      if (right === undefined) return { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Method not found' } };
      const result = active.reduce<unknown>((value, fault) => fault.result?.(value as Message, request, state) ?? value, right);
      return { jsonrpc: '2.0', id, result };
    },
  };
}

/** What a right server answers; `undefined` for a method that it does not have. */
function resultOf({ message }: Received, response: ServerResponse, { executed, sessions }: FaultState): Message | undefined {
  const { method, params } = message;
  if (method === 'initialize') {
    const session = crypto.randomUUID();
    sessions.add(session);
    response.setHeader(SESSION, session);
    const { protocolVersion } = params as { protocolVersion: string };
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'faults', version: '1' } };
  }
  if (method === 'ping') return {};
  if (method === 'tools/list') {
    const read = { name: READ, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
    return { tools: [{ name: WRITE, inputSchema: { type: 'object' } }, read] };
  }
  if (method !== 'tools/call') return undefined;
  const { name } = params as { name: string };
  executed.push(name);
  return { content: [{ type: 'text', text: `${name} done` }] };
}

/** Everything as it should be. */
function behave({ request, response, state, answer }: Exchange): void {
  const session = String(request.headers[SESSION]);
  if (request.method === 'DELETE') {
    state.sessions.delete(session);
    return void response.writeHead(204).end();
  }
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { method, id } = request.message;
  const opens = method === 'initialize' || method === 'server/discover';
  const isModern = request.headers['mcp-protocol-version'] === '2026-07-28';
  if (!opens && !isModern && !state.sessions.has(session)) return void response.writeHead(404).end();
  if (id === undefined) return void response.writeHead(202).end();
  json(response, answer());
}
