/** Where a request belongs, and what its end says of its server. */

import { McpToolSetError } from '../../errors.ts';
import type { McpRequest } from '../../types.ts';
import { asked } from '../shared/asked.ts';
import type { Outcome } from './circuit.ts';
import type { CircuitBreakerOptions, CircuitStatus } from './options.ts';

export type Place = Pick<CircuitStatus, 'server' | 'principal' | 'tool'>;

export function placeOf({ server, principal, method, params }: McpRequest, per: CircuitBreakerOptions['per']): Place {
  if (per === 'principal') return { server, principal: principal?.id };
  return per === 'tool' && method === 'tools/call' ? { server, tool: String(params.name) } : { server };
}

export function outcomeOf(
  error: unknown,
  request: McpRequest,
  isFailure: (error: unknown, request: McpRequest) => boolean,
): Outcome {
  const code = McpToolSetError.is(error) ? error.code : undefined;
  if (code === 'aborted' || code === 'closed' || (code === undefined && request.signal?.aborted)) return 'unknown';
  return asked(
    () => isFailure(error, request),
    () => counts(error, request),
  )
    ? 'failed'
    : 'answered';
}

/** Connections throw errors of ours alone; of what a foreign tool throws, nothing tells a bad argument from a dead service. */
export function counts(error: unknown, { call }: McpRequest): boolean {
  if (!McpToolSetError.is(error)) return call?.tool.kind === 'added';
  const { code, data } = error;
  if (code === 'http_error') return Number(data.status) >= 500;
  return code === 'unavailable' || code === 'timeout' || code === 'outcome_unknown';
}
