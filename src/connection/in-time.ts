/** One request over a link that stands, within its budgets; what goes wrong comes out as one of our errors. */

import type { Scope } from '../lib/abort.ts';
import type { McpRequest, McpResult } from '../types.ts';
import { toFailure } from './failure.ts';
import { mergeHeaders } from './headers.ts';
import type { Link } from './link.ts';
import type { ConnectionOptions } from './options.ts';

export async function requestInTime(
  link: Link,
  request: McpRequest,
  headers: Headers | undefined,
  scope: Scope,
  { server, budgetsOf, timeoutMessage, handlers: common }: ConnectionOptions,
): Promise<McpResult> {
  const { params, peer, handlers, principal, call } = request;
  const { signal } = scope;
  const budgets = budgetsOf(request);
  scope.arm(budgets.request, budgets.total);
  try {
    const onprogress = request.method === 'tools/call' ? scope.renew : undefined;
    const context = {
      headers: mergeHeaders(headers, request.headers),
      signal,
      peer,
      owner: { handlers: handlers ?? common(), principal, call },
    };
    return await link.request(methodFor(request.method, link), params, context, onprogress);
  } catch (error) {
    throw toFailure(error, {
      server,
      method: request.method,
      signal,
      timeoutMessage: timeoutMessage(),
      lost: link.lost,
      hasSession: link.sessionId !== undefined,
    });
  } finally {
    scope.arm(0);
  }
}

/** The modern era has no ping; its cheapest question is what the server is. */
function methodFor(method: string, link: Link): string {
  return method === 'ping' && link.facts.era === 'modern' ? 'server/discover' : method;
}
