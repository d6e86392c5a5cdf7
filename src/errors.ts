/** The one error class, its codes, and what each of them means. */

import type { CallToolResult } from './types.ts';

/**
 * What went wrong, as a stable string.
 *
 * - `config_invalid`: an option or a config file is wrong. Thrown at once, never from a tool.
 * - `name_conflict`: two tools ended up with one name that the user's own mapper chose.
 * - `runtime_unsupported`: the feature needs a runtime that this one is not (stdio on an edge runtime).
 * - `closed`: the tool set was closed before the call.
 * - `aborted`: the caller's signal ended the call.
 * - `timeout`: no answer within the budget. The server may still be working.
 * - `unavailable`: no connection could be made, or it was gone before the request was sent. Nothing was executed.
 * - `unauthorized`: the server answered 401. Nothing was executed.
 * - `forbidden`: the server answered 403. Nothing was executed.
 * - `rate_limited`: a limit of ours, or the server's 429. Nothing was executed; `data.retryAfter` says when to try again (ms).
 * - `session_expired`: the server answered 404 to a session that it gave out, again or with the tool changed. Nothing was executed.
 * - `redirect_refused`: the server tried to send the request to another place.
 * - `too_large`: the reply passed the size cap.
 * - `http_error`: any other HTTP status that is no answer, in `data.status`.
 * - `bad_response`: an answer that is not MCP: HTML, empty, unreadable.
 * - `outcome_unknown`: the request was sent and the connection was lost before the answer. It may have been executed.
 * - `protocol_error`: the server answered with a JSON-RPC error, its number in `data.code`.
 * - `invalid_arguments`: the server (-32602), a resource tool or a prompt refused the arguments, or there is no such prompt.
 * - `tool_error`: the tool ran and said that it failed (`isError`); `result` keeps what it said.
 * - `tool_not_found`: the tool is no longer offered by its server.
 * - `input_required`: the server wants input (elicitation, sampling, roots) that no handler gives. Nothing was completed.
 * - `not_allowed`: a middleware refused the call. Nothing was sent.
 */
export type McpErrorCode =
  | 'config_invalid'
  | 'name_conflict'
  | 'runtime_unsupported'
  | 'closed'
  | 'aborted'
  | 'timeout'
  | 'unavailable'
  | 'unauthorized'
  | 'forbidden'
  | 'rate_limited'
  | 'session_expired'
  | 'redirect_refused'
  | 'too_large'
  | 'http_error'
  | 'bad_response'
  | 'outcome_unknown'
  | 'protocol_error'
  | 'invalid_arguments'
  | 'tool_error'
  | 'tool_not_found'
  | 'input_required'
  | 'not_allowed';

/** Where and how it went wrong. */
export interface McpErrorDetails {
  /** The server's key in `servers`. */
  readonly server?: string | undefined;
  /** The tool's own name on that server. */
  readonly tool?: string | undefined;
  readonly cause?: unknown;
  /** Facts for programs: `status`, `code`, `retryAfter` (ms), `exitCode`, … Never a header, an argument or a secret. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** For `tool_error`: the raw result. */
  readonly result?: CallToolResult | undefined;
}

const BRAND: unique symbol = Symbol.for('mcp-tool-set.error');

/**
 * Every error of this library. The message says which server and tool, what happened, and what to do next; it is what the model
 * reads when a tool call fails.
 *
 * @example
 * ```ts
 * try {
 *   await createMcpToolSet(options);
 * } catch (error) {
 *   if (McpToolSetError.is(error) && error.code === 'config_invalid') console.error(error.message);
 * }
 * ```
 */
export class McpToolSetError extends Error {
  override readonly name: string = 'McpToolSetError';
  readonly code: McpErrorCode;
  readonly server: string | undefined;
  readonly tool: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  readonly result: CallToolResult | undefined;
  /** The text without the "MCP server …" that `message` begins with. */
  readonly detail: string;

  constructor(code: McpErrorCode, detail: string, details: McpErrorDetails = {}) {
    super(prefix(details) + detail, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.detail = detail;
    this.server = details.server;
    this.tool = details.tool;
    this.data = details.data ?? {};
    this.result = details.result;
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Whether a value is an error of this library, also when it comes from another copy of the package. */
  static is(value: unknown): value is McpToolSetError {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  }

  /** The same error with more known about where it happened. What is known already stays. */
  at(place: Pick<McpErrorDetails, 'server' | 'tool'>): McpToolSetError {
    const server = this.server ?? place.server;
    const tool = this.tool ?? place.tool;
    if (server === this.server && tool === this.tool) return this;
    const { code, detail, cause, data, result } = this;
    return new McpToolSetError(code, detail, { server, tool, cause, data, result });
  }
}

function prefix({ server, tool }: McpErrorDetails): string {
  if (server === undefined) return tool === undefined ? '' : `Tool "${tool}": `;
  return tool === undefined ? `MCP server "${server}": ` : `MCP server "${server}", tool "${tool}": `;
}
