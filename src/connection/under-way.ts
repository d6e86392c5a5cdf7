/** The requests under way on one connection, and which of them a message of the server's belongs to. */

import type { RequestId } from '@modelcontextprotocol/client';
import type { QuestionOwner } from '../handlers.ts';
import type { Scope } from '../lib/abort.ts';
import type { RequestContext } from '../transports/transport.ts';
import type { McpResult } from '../types.ts';

export interface UnderWay {
  readonly method: string;
  readonly context: RequestContext;
  /** Tells that the server is not silent. */
  readonly renew: (() => void) | undefined;
  /** What the server asks on its behalf, and ends with it; absent until it asks. */
  questions: Set<Scope> | undefined;
  /** Under which it was last sent. */
  id: RequestId | undefined;
  /** What came, where the client was not let read it. */
  result: McpResult | undefined;
  /** The server said that it will not answer. */
  calledOff: boolean;
}

export interface Requests {
  begin(method: string, context: RequestContext, renew: (() => void) | undefined): UnderWay;
  end(request: UnderWay): void;
  /** A message with this context got its id. */
  sent(context: RequestContext | undefined, id: RequestId): void;
  /** A reply came. */
  answered(id: RequestId | undefined): UnderWay | undefined;
  calledOff(id: RequestId): UnderWay | undefined;
  /** The one request that a message can belong to: that on whose stream it came, or the only one there is. */
  causeOf(origin: RequestContext | undefined): UnderWay | undefined;
}

/** Milliseconds that a server may still work, and ask, on behalf of a request that nobody waits for any more. */
const AFTERMATH = 300_000;

const MAX_ABANDONED = 1_000;

export function createUnderWay(now: () => number): Requests {
  const live = new Map<RequestContext, UnderWay>();
  const byId = new Map<number, UnderWay>();
  /** Somebody's, given up before they were answered; lists say nothing of anybody. */
  const abandoned = new Map<number, { readonly owner: QuestionOwner; readonly until: number }>();

  function end(request: UnderWay): void {
    live.delete(request.context);
    for (const question of request.questions ?? []) question.abort(undefined);
    const id = Number(request.id);
    if (byId.get(id) !== request) return;
    byId.delete(id);
    const { owner } = request.context;
    if (request.calledOff || owner === undefined || request.method.endsWith('/list')) return;
    abandoned.set(id, { owner, until: now() + AFTERMATH });
    const [oldest] = abandoned.keys();
    if (abandoned.size > MAX_ABANDONED && oldest !== undefined) abandoned.delete(oldest);
  }

  /** Whether somebody else's request, given up, may be what the server asks about. */
  function isUnclear(only: UnderWay): boolean {
    for (const [id, { owner, until }] of abandoned) {
      if (until <= now()) abandoned.delete(id);
      else if (!isSameParty(owner, only.context.owner)) return true;
    }
    return false;
  }

  return {
    begin(method, context, renew) {
      const request = { method, context, renew, questions: undefined, id: undefined, result: undefined, calledOff: false };
      // Nothing is asked on behalf of a sign of life.
      if (method !== 'ping') live.set(context, request);
      return request;
    },
    end,
    sent(context, id) {
      const request = context && live.get(context);
      if (request === undefined) return;
      request.id = id;
      byId.set(Number(id), request);
    },
    answered(id) {
      // Servers answer 7 with "7" now and then.
      const key = Number(id);
      const request = byId.get(key);
      if (request === undefined) abandoned.delete(key);
      else byId.delete(key);
      return request;
    },
    calledOff(id) {
      const request = byId.get(Number(id));
      if (request !== undefined) request.calledOff = true;
      return request;
    },
    causeOf(origin) {
      if (origin !== undefined) return live.get(origin);
      const [only, another] = live.values();
      return only === undefined || another !== undefined || isUnclear(only) ? undefined : only;
    },
  };
}

function isSameParty(one: QuestionOwner, other: QuestionOwner | undefined): boolean {
  return one.principal?.id === other?.principal?.id && one.handlers === other?.handlers;
}
