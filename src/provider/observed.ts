/** Tells of each request and each call as it begins and ends; nothing is added where nobody listens. */

import { McpToolSetError } from '../errors.ts';
import type { McpEvents } from '../events.ts';
import type { Emitter } from '../lib/emitter.ts';
import type { CallToolResult, SendRequest, ToolCall } from '../types.ts';

export interface Observer {
  readonly events: Emitter<McpEvents>;
  readonly now: () => number;
}

type RunCall = (call: ToolCall) => Promise<CallToolResult>;

const REQUEST: readonly (keyof McpEvents)[] = ['request', 'request_result', 'request_error'];
const CALL: readonly (keyof McpEvents)[] = ['call', 'call_result', 'call_error'];

export function observedRequest(send: SendRequest, { events, now }: Observer): SendRequest {
  return async (request) => {
    if (!REQUEST.some(events.hears)) return send(request);
    const { server, principal, call } = request;
    const place = { server, principal, call, request };
    const start = now();
    events.emit('request', place);
    try {
      const result = await send(request);
      events.emit('request_result', { ...place, result, milliseconds: now() - start });
      return result;
    } catch (error) {
      events.emit('request_error', { ...place, error: known(error, server), milliseconds: now() - start });
      throw error;
    }
  };
}

export function observedCall(run: RunCall, { events, now }: Observer): RunCall {
  return async (call) => {
    if (!CALL.some(events.hears)) return run(call);
    const start = now();
    events.emit('call', { call });
    try {
      const result = await run(call);
      events.emit('call_result', { call, result, milliseconds: now() - start });
      return result;
    } catch (error) {
      events.emit('call_error', { call, error, milliseconds: now() - start });
      throw error;
    }
  };
}

function known(error: unknown, server: string): McpToolSetError {
  return McpToolSetError.is(error) ? error : new McpToolSetError('unavailable', 'see the cause.', { server, cause: error });
}
