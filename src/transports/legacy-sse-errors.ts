/** What goes wrong between a client and a server of the deprecated HTTP+SSE transport, beside what HTTP itself says. */

import { McpToolSetError } from '../errors.ts';

/** The stream ended while nothing was under way. */
export function streamEnded(server: string, cause: unknown): McpToolSetError {
  const detail = 'its event stream ended, and the connection with it. Nothing was under way; the next request opens a new one.';
  return new McpToolSetError('unavailable', detail, { server, cause });
}

/** A request found the stream ended. */
export function notSent(server: string, cause: unknown): McpToolSetError {
  return new McpToolSetError('unavailable', 'its event stream had ended, so nothing was sent. Try again.', { server, cause });
}

export function sessionGone(server: string, what: string, status: number): McpToolSetError {
  const detail = `answered HTTP ${status} to ${what}. Nothing was executed: its session is gone, so connect again.`;
  return new McpToolSetError('session_expired', detail, { server, data: { status } });
}

export function noMessage(server: string): McpToolSetError {
  const detail = 'sent something that is no JSON-RPC message; it was skipped.';
  return new McpToolSetError('bad_response', detail, { server });
}

/** A message without a reply was not taken in time. */
export function notTaken(server: string, what: string, milliseconds: number): McpToolSetError {
  const detail = `no answer to ${what} within ${milliseconds} ms. Check that the server is well.`;
  return new McpToolSetError('timeout', detail, { server });
}

export function closedSse(server: string): McpToolSetError {
  const detail = 'the connection was closed. A call that was under way may have been executed. Create a new tool set to go on.';
  return new McpToolSetError('closed', detail, { server });
}

/** The endpoint is on another origin, or no URL (`origin` is absent then). */
export function foreignEndpoint(server: string, origin: string | undefined): McpToolSetError {
  const where = origin === undefined ? 'something that is no URL' : `a place on ${origin}`;
  return new McpToolSetError(
    'redirect_refused',
    `named ${where} as its endpoint. Messages go to the origin of its \`url\` alone, so nothing was sent. If that is where the server lives, set its address there as \`url\`.`,
    { server },
  );
}
