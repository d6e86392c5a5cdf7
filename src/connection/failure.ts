/** Turns whatever the SDKs, transports and runtimes throw into one `McpToolSetError`. */

import { type McpErrorCode, McpToolSetError } from '../errors.ts';
import { DeadlineError } from '../lib/abort.ts';
import { isUnreached } from '../transports/network-cause.ts';

/** What is known about the request that failed. */
export interface FailedRequest {
  readonly server: string;
  readonly method: string;
  /** The signal of the request's own scope: when it aborted, its reason explains more than what came of it. */
  readonly signal?: AbortSignal | undefined;
  /** Why the connection ended, where it did. */
  readonly lost?: McpToolSetError | undefined;
  /** Whether it was sent in a session: a 404 says then that the session is gone. */
  readonly hasSession?: boolean | undefined;
  readonly timeoutMessage?: string | undefined;
}

/**
 * Why a request ended, as the reason of its signal. The SDKs tell the server the reason's text: whatever the caller's reason was, the
 * server hears the same neutral words.
 */
export class RequestEnd {
  readonly reason: unknown;
  constructor(reason: unknown) {
    this.reason = reason;
  }
  toString(): string {
    return 'The client no longer waits for this request.';
  }
}

/** Never throws, and never puts a foreign error's text beside a secret: only what servers said about themselves is quoted. */
export function toFailure(error: unknown, request: FailedRequest): McpToolSetError {
  const { server, method, signal } = request;
  if (signal?.aborted) return ended(signal.reason instanceof RequestEnd ? signal.reason.reason : signal.reason, request);
  if (McpToolSetError.is(error)) return error.at({ server });
  const { code, status, name } = (error ?? {}) as { code?: unknown; status?: unknown; name?: unknown };
  const fail = (as: McpErrorCode, detail: string, data?: Record<string, unknown>): McpToolSetError =>
    new McpToolSetError(as, detail, { server, cause: error, data });

  // A server's own answer, whatever number and words it chose: none of them is a status or a word of the transport's.
  const isAnswer = (name === 'ProtocolError' || name === 'McpError') && typeof code === 'number';
  if (isAnswer && !(code === -32000 && text(error).includes('Connection closed')))
    return protocolFailure(code, text(error), method, fail);
  if (code === 'CONNECTION_CLOSED' || (code === -32000 && text(error).includes('Connection closed'))) {
    return (
      request.lost?.at({ server }) ?? fail('outcome_unknown', `the connection closed before ${method} was answered. ${VERIFY}`)
    );
  }
  if (code === 'NOT_CONNECTED' || text(error) === 'Not connected') {
    return request.lost?.at({ server }) ?? fail('unavailable', `there was no connection, so ${method} was not sent. Try again.`);
  }
  if (name === 'UnauthorizedError') return fail('unauthorized', `the server asks for credentials (401). ${CREDENTIALS}`);
  const http = [status, code].find((value) => typeof value === 'number' && value >= 100 && value < 600);
  if (http === 404 && request.hasSession)
    return fail('session_expired', 'the server no longer knows the session.', { status: 404 });
  if (typeof http === 'number') return fail(codeOfStatus(http), `${method} was answered with HTTP ${http}.`, { status: http });
  if (typeof code === 'number') return protocolFailure(code, text(error), method, fail);
  if (code === 'INVALID_RESULT' || code === 'UNSUPPORTED_RESULT_TYPE' || name === 'ZodError') {
    return fail('bad_response', `the answer to ${method} is not what the protocol asks for: ${line(text(error))}`);
  }
  if (isUnreached(error))
    return fail('unavailable', `no connection could be made, so ${method} was not sent. Is the server running?`);
  // A foreign text may quote a header or an argument; it stays in the cause.
  return fail(
    'outcome_unknown',
    `${method} failed in the client (${typeof name === 'string' ? name : 'unknown'}; see the cause). ${VERIFY}`,
  );
}

/** What a status says about a request, the same for our transport and for others'. */
function codeOfStatus(status: number): McpErrorCode {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 429) return 'rate_limited';
  return 'http_error';
}

function ended(reason: unknown, { server, method, timeoutMessage }: FailedRequest): McpToolSetError {
  if (McpToolSetError.is(reason)) return reason.at({ server });
  if (reason instanceof DeadlineError) {
    const { milliseconds } = reason;
    const detail =
      timeoutMessage ?? `${method} had no answer within ${milliseconds} ms. The server may still be working on it; ${RAISE}`;
    return new McpToolSetError('timeout', detail, { server, cause: reason, data: { milliseconds } });
  }
  return new McpToolSetError('aborted', `${method} was aborted by its caller.`, { server, cause: reason });
}

function protocolFailure(
  code: number,
  said: string,
  method: string,
  fail: (as: McpErrorCode, detail: string, data?: Record<string, unknown>) => McpToolSetError,
): McpToolSetError {
  const detail = `${method} was refused: ${line(said.replace(/^MCP error -?\d+: /, ''))} (${code})`;
  return fail(code === -32602 && method === 'tools/call' ? 'invalid_arguments' : 'protocol_error', detail, { code });
}

const VERIFY = 'It may have been executed: check before repeating it.';
const CREDENTIALS = "Check the server's headers.";
const RAISE = 'raise timeouts.request if it is slow by nature.';

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const line = (said: string): string =>
  [...said.replace(/\s+/g, ' ').trim()]
    .slice(0, 500)
    .join('')
    .replace(/\p{Surrogate}/gu, '\uFFFD');

/** The caller's own abort of `tools()` or of loading. */
export function abortedListing(cause: unknown): McpToolSetError {
  return new McpToolSetError('aborted', 'listing the tools was aborted by its caller.', { cause });
}

/** What a call after the end says. */
export function closedError(server?: string): McpToolSetError {
  const next =
    'Create a new tool set, and close one only after its last step (in a streaming handler: not at all, idling does it).';
  return new McpToolSetError('closed', `the tool set was closed before this call. ${next}`, { server });
}

/** A connection that was lost before anything of the caller's was sent. */
export function lostWhileConnecting({ server, cause, data }: McpToolSetError): McpToolSetError {
  const detail =
    'the connection was lost during the handshake, so nothing was executed. Check that it is an MCP server and well; its own log may say more.';
  return new McpToolSetError('unavailable', detail, { server, cause, data });
}

/** What a call says when what the user lent us has ended. */
export function lostBorrowed(cause: McpToolSetError | undefined): McpToolSetError {
  const next = 'Pass a function that makes a new one, and it will be replaced when it is gone.';
  return new McpToolSetError('unavailable', `the given client or transport has closed. ${next}`, { cause });
}
