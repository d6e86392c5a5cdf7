/** Sends one request on a connection, with everything that may come before its answer: progress, questions, the end of it. */

import { CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import type { McpHandlers } from '../handlers.ts';
import { carry, type RequestContext } from '../transports/transport.ts';
import type { McpResult } from '../types.ts';
import type { Engine } from './engine.ts';
import { announced, contextFor, isObject } from './questions.ts';
import { runRounds } from './rounds.ts';
import { type Traffic, tell } from './traffic.ts';

export interface SendingOptions {
  readonly server: string;
  readonly engine: Engine;
  readonly traffic: Traffic;
  /** Whether results reach us as they came. */
  readonly attached: boolean;
}

/** `onprogress`: the server was heard of on behalf of this request. */
export type Send = (
  method: string,
  params: object,
  context: RequestContext & { readonly signal: AbortSignal },
  onprogress?: () => void,
) => Promise<McpResult>;

export function createSending({ server, engine, traffic, attached }: SendingOptions): Send {
  const isRaw = attached && engine.facts.era === 'modern';

  return async (method, params, given, renew) => {
    const { owner, signal } = given;
    // Its identity is what a message of the server's is traced back by.
    const context = { ...given };
    const headers = carry(context);
    const hears = owner?.handlers?.progress;
    const onprogress =
      hears === undefined
        ? renew
        : (progress: unknown): void => {
            renew?.();
            tell(hears, progress, contextFor(server, owner, signal));
          };
    const request = traffic.begin(method, context, renew);
    const send = async (sent: object): Promise<McpResult> => {
      const result = await engine.request(method, sent, { signal, onprogress, headers, allowInputRequired: isRaw });
      const raw = request.result ?? result;
      request.result = undefined;
      return raw;
    };
    try {
      if (!isRaw) return await send(params);
      const announcing = withHandlers(params, owner?.handlers);
      return await runRounds(announcing, { server, method, owner, signal, send, renew: renew ?? (() => {}) });
    } catch (error) {
      throw request.calledOff && !signal.aborted ? calledOff(method, error) : error;
    } finally {
      traffic.end(request);
    }
  };
}

/** A modern server is told with each request what the client can do for it. */
function withHandlers(params: object, handlers: McpHandlers | undefined): object {
  if (handlers === undefined) return params;
  const { _meta } = params as { _meta?: unknown };
  const capabilities = announced(handlers, 'modern');
  const log = handlers.log !== undefined && { [LOG_LEVEL_META_KEY]: 'info' };
  return { ...params, _meta: { ...(isObject(_meta) && _meta), [CLIENT_CAPABILITIES_META_KEY]: capabilities, ...log } };
}

/** It was sent, and how far the server had come with it nobody says. */
function calledOff(method: string, cause: unknown): McpToolSetError {
  const detail = `the server cancelled ${method}. It may have been executed in part: check before repeating it.`;
  return new McpToolSetError('outcome_unknown', detail, { cause });
}
