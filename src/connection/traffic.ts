/** What passes over one connection beside requests and their answers: what the server asks, tells and calls off, and whose it is. */

import type { JSONRPCMessage, JSONRPCRequest, JSONRPCResponse, RequestId, Transport } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import type { McpHandlers } from '../handlers.ts';
import { openScope, type Scope } from '../lib/abort.ts';
import { createOngoing } from '../lib/runtime.ts';
import { carry, type RequestContext } from '../transports/transport.ts';
import type { McpResult, ProtocolEra } from '../types.ts';
import {
  ask,
  type Capabilities,
  canAsk,
  contextFor,
  decline,
  errorFor,
  handlerName,
  INTERNAL_ERROR,
  isObject,
  METHOD_NOT_FOUND,
  type Question,
  unanswered,
} from './questions.ts';
import { tap } from './tap.ts';
import { createUnderWay, type UnderWay } from './under-way.ts';

export interface TrafficOptions {
  readonly server: string;
  readonly capabilities?: Capabilities | undefined;
  readonly now: () => number;
  /** Those of no request in particular: where a server may work, and what it logs of its own accord. */
  handlers?(): McpHandlers | undefined;
  onNoise(error: Error): void;
}

export interface Traffic {
  /** A request begins; the context is the one that it is sent with. `renew`: the server was heard of. */
  begin(method: string, context: RequestContext, renew: (() => void) | undefined): UnderWay;
  end(request: UnderWay): void;
  /** Looks at every message of a transport, from the moment that a client starts it. */
  attach(transport: Transport, era: ProtocolEra): void;
  /** Answers one question. Rejects with what the server may be told. */
  answer(question: Question, origin: RequestContext | undefined, signal: AbortSignal): Promise<McpResult>;
  /** Gives one log message to its handler. */
  log(params: unknown, origin: RequestContext | undefined): void;
  /** Ends every question. */
  close(): void;
}

/** More at once, and the server is at fault. */
const MAX_QUESTIONS = 64;
const CALLED_OFF: unique symbol = Symbol('called off');
/** Milliseconds in which the end of a question that was just answered is no news. */
const CROSSING = 10_000;

/**
 * In the place of a modern result, for the client: of all results it passes this one on unread, where its schemas would refuse a whole
 * answer for one odd field. The result itself is read from `UnderWay`.
 */
const UNREAD = { resultType: 'input_required', requestState: '' };

export function createTraffic(options: TrafficOptions): Traffic {
  const { server, capabilities, now, onNoise } = options;
  const underWay = createUnderWay(now);
  const questions = new Map<RequestId, Scope>();
  /** Both sides number their requests from 0 on, so the last question's id may be that of a request of ours. */
  let answered: { readonly id: RequestId; readonly at: number } | undefined;
  /** What is being answered. */
  const asking = createOngoing<Scope>();
  let closed = false;

  async function answer(question: Question, origin: RequestContext | undefined, signal: AbortSignal): Promise<McpResult> {
    const { method } = question;
    const name = handlerName(method);
    if (name === undefined) throw unanswered(METHOD_NOT_FOUND, `the client does not answer ${JSON.stringify(method)}.`);
    const cause = underWay.causeOf(origin);
    const scope = openScope({ parents: [signal, cause?.context.signal] });
    asking.add(scope);
    if (cause !== undefined) {
      cause.questions ??= new Set();
      cause.questions.add(scope);
    }
    cause?.renew?.();
    try {
      const own = cause?.context.owner;
      if (canAsk(method, own?.handlers)) return await ask(question, own?.handlers, contextFor(server, own, scope.signal));
      // Where a server may work is nobody's secret among those who share it.
      if (name === 'roots') return await ask(question, options.handlers?.(), contextFor(server, undefined, scope.signal));
      if (capabilities?.[name] === undefined) throw unanswered(METHOD_NOT_FOUND, `the client does not answer ${method}.`);
      return decline(
        method,
        cause === undefined ? 'it is not clear which call it belongs to' : 'nobody answers it for this call',
      );
    } catch (error) {
      if (scope.signal.aborted && !signal.aborted) return decline(method, 'the request that it belongs to is over');
      if (McpToolSetError.is(error) && error.data.code === INTERNAL_ERROR) onNoise(error);
      throw error;
    } finally {
      asking.delete(scope);
      cause?.renew?.();
      cause?.questions?.delete(scope);
      scope.release();
    }
  }

  /** Never rejects. */
  async function reply(transport: Transport, message: JSONRPCRequest, origin: RequestContext | undefined): Promise<void> {
    const { id, method } = message;
    const scope = openScope({});
    const known = handlerName(method) !== undefined;
    if (known) questions.set(id, scope);
    const headers = origin && carry({ headers: origin.headers });
    let body: { result: object } | { error: object };
    try {
      if (known && questions.size > MAX_QUESTIONS)
        throw unanswered(INTERNAL_ERROR, 'the client has too many questions to answer.');
      body = { result: method === 'ping' ? {} : await answer(message, origin, scope.signal) };
    } catch (error) {
      body = { error: errorFor(error) };
    }
    if (questions.get(id) === scope) questions.delete(id);
    if (known) answered = { id, at: now() };
    if (scope.signal.aborted || closed) return;
    await transport.send({ jsonrpc: '2.0', id, ...body } as JSONRPCMessage, headers && { headers }).catch(() => {});
  }

  function log(params: unknown, origin: RequestContext | undefined): void {
    const cause = underWay.causeOf(origin);
    const handlers = cause?.context.owner === undefined ? options.handlers?.() : cause.context.owner.handlers;
    const context = contextFor(server, cause?.context.owner, cause?.context.signal ?? new AbortController().signal);
    tell(handlers?.log, isObject(params) ? params : { data: params }, context);
  }

  function settled(message: JSONRPCResponse): JSONRPCMessage {
    underWay.answered(message.id);
    return message;
  }

  function unread(message: JSONRPCResponse): JSONRPCMessage {
    const request = underWay.answered(message.id);
    if (request === undefined || !('result' in message) || !isObject(message.result)) return message;
    request.result = message.result;
    return { ...message, result: UNREAD };
  }

  /** A server takes back a question of its own, or ends a request of ours. Whether the message was about one of them. */
  function callOff(transport: Transport, params: unknown, deliver: (message: JSONRPCMessage) => void): boolean {
    const { requestId } = (isObject(params) ? params : {}) as { requestId?: RequestId };
    if (requestId === undefined) return false;
    const question = questions.get(requestId);
    if (question !== undefined) {
      question.abort(CALLED_OFF);
      return true;
    }
    if (answered?.id === requestId && now() - answered.at < CROSSING) return true;
    const request = underWay.calledOff(requestId);
    if (request === undefined) return false;
    // The client, and a transport that counts what is open, are told in the way that each of them knows.
    const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: request.id } } as JSONRPCMessage;
    if ((transport as { kind?: unknown }).kind !== 'http') transport.send(notice).catch(() => {});
    deliver({ jsonrpc: '2.0', id: request.id, error: { code: -32603, message: 'called off' } } as JSONRPCMessage);
    return true;
  }

  return {
    begin: underWay.begin,
    end: underWay.end,
    answer,
    log,
    close() {
      closed = true;
      for (const scope of [...asking]) scope.abort(undefined);
    },
    attach(transport, era) {
      tap(transport, {
        onSend: (id, context) => underWay.sent(context, id),
        take(message, origin, deliver) {
          if (!('method' in message)) return era === 'modern' ? unread(message) : settled(message);
          if ('id' in message) {
            // The modern era has no requests of the server's: the client drops them.
            if (era === 'modern') return message;
            void reply(transport, message, origin);
            return undefined;
          }
          if (message.method === 'notifications/message') log(message.params, origin);
          const isOver = message.method === 'notifications/cancelled' && callOff(transport, message.params, deliver);
          return isOver ? undefined : message;
        },
      });
    },
  };
}

/** An observer's fault is not the work's fault. */
export function tell<T, C>(handler: ((value: T, context: C) => unknown) | undefined, value: unknown, context: C): void {
  try {
    Promise.resolve(handler?.(value as T, context)).catch(() => {});
  } catch {
    // As above.
  }
}
