/** Asks a server for values of an argument (`completion/complete`). */

import { abortable, openScope } from '../lib/abort.ts';
import { isRecord } from '../lib/content/json.ts';
import type { McpRequest, SendRequest } from '../types.ts';

export interface CompletionRequest
  extends Pick<McpRequest, 'server'>,
    Partial<Pick<McpRequest, 'principal' | 'call' | 'signal'>> {
  readonly ref: { readonly type: 'ref/resource'; readonly uri: string } | { readonly type: 'ref/prompt'; readonly name: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of the other arguments, which the suggestions may depend on. */
  readonly context?: { readonly arguments: Readonly<Record<string, string>> } | undefined;
  /** Milliseconds; 0 = any. */
  readonly budget?: number | undefined;
}

/** The server's suggestions, at most 100, the best first. Values that are no texts are left out. */
export async function complete(send: SendRequest, request: CompletionRequest): Promise<readonly string[]> {
  const { server, ref, argument, context, budget = 0, signal, principal, call } = request;
  const params = { ref, argument, ...(context && { context }) };
  const scope = openScope({ parents: [signal], budget });
  try {
    const sent = send({ method: 'completion/complete', server, params, signal: scope.signal, principal, call, peer: {} });
    const { completion } = await abortable(sent, scope.signal);
    const values = isRecord(completion) && Array.isArray(completion.values) ? completion.values : [];
    return values.filter((value): value is string => typeof value === 'string');
  } finally {
    scope.release();
  }
}
