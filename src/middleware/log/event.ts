/** What is told of a call or a request, and what of it on request alone. */

import { type McpErrorCode, McpToolSetError } from '../../errors.ts';
import type { McpRequest, ToolCall } from '../../types.ts';
import { isLate } from '../shared/asked.ts';
import { isFailed } from '../shared/failed.ts';
import { redacted, redactedText } from '../shared/redact.ts';
import { utf8Length } from '../shared/utf8.ts';

export interface LogOptions {
  /** Adds `input`: arguments, or the parameters of a request that is no call. Values with a telling name are left out. Default false. */
  readonly inputs?: boolean | undefined;
  /** Adds `output`, and `message`, an error's text, which may quote either; both redacted so. Default false. */
  readonly outputs?: boolean | undefined;
  /** Adds `headers`, those of the request alone and redacted so. Default false. */
  readonly headers?: boolean | undefined;
  /** Adds `inputBytes` and `outputBytes`, as JSON in UTF-8. Default true; measuring large results takes time. */
  readonly sizes?: boolean | undefined;
  /** More fields for each event: a tenant, say. Those named here win. */
  readonly fields?: ((subject: ToolCall | McpRequest) => Readonly<Record<string, unknown>> | undefined) | undefined;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** One event. A call is what the model asked for; a request is what goes to a server for it, each attempt of a `retry` being one. */
export interface LogEvent {
  readonly event: 'call_start' | 'call_end' | 'request_start' | 'request_end';
  readonly server: string;
  /** The tool's own name. */
  readonly tool?: string | undefined;
  /** Of a request. */
  readonly method?: string | undefined;
  readonly toolCallId?: string | undefined;
  readonly inputBytes?: number | undefined;
  /** From here on: of an end. */
  readonly ok?: boolean | undefined;
  readonly milliseconds?: number | undefined;
  /** Why it failed; `tool_error` also for a result with `isError`. */
  readonly code?: McpErrorCode | undefined;
  /** The HTTP status that was no answer. */
  readonly status?: number | undefined;
  readonly outputBytes?: number | undefined;
  readonly input?: string | undefined;
  readonly output?: string | undefined;
  readonly message?: string | undefined;
  readonly headers?: string | undefined;
  readonly [field: string]: unknown;
}

export type Subject = ToolCall | McpRequest;
export type Described = Pick<LogEvent, 'server' | 'tool' | 'method' | 'toolCallId'>;

export function describe(subject: Subject, { fields }: LogOptions): Described {
  const call = 'tool' in subject ? subject : subject.call;
  const server = 'tool' in subject ? subject.tool.server : subject.server;
  const place = call && { tool: call.tool.originalName, toolCallId: call.toolCallId };
  return { ...more(subject, fields), server, ...('method' in subject && { method: subject.method }), ...place };
}

function more(subject: Subject, fields: LogOptions['fields']): Readonly<Record<string, unknown>> | undefined {
  try {
    const given = fields?.(subject);
    return isLate(given) ? undefined : given;
  } catch {
    return undefined;
  }
}

export function inputOf(subject: Subject, { inputs = false, headers = false, sizes = true }: LogOptions): object {
  const input: unknown = 'tool' in subject ? subject.input : (subject.params.arguments ?? subject.params);
  return {
    ...(sizes && { inputBytes: bytesOf(input) }),
    ...(inputs && { input: redacted(input) }),
    ...(headers && 'method' in subject && subject.headers !== undefined && { headers: redacted(subject.headers) }),
  };
}

export function resultOf(result: unknown, { outputs = false, sizes = true }: LogOptions): object {
  const { foreign = result } = (result ?? {}) as { foreign?: unknown };
  const failed = isFailed(result);
  return {
    ok: !failed,
    ...(failed && { code: 'tool_error' }),
    ...(sizes && { outputBytes: bytesOf(foreign) }),
    ...(outputs && { output: redacted(foreign) }),
  };
}

export function failureOf(error: unknown, signal: AbortSignal | undefined, { outputs = false }: LogOptions): object {
  const known = McpToolSetError.is(error) ? error : undefined;
  const status = known?.data.status;
  const text = outputs && error instanceof Error ? redactedText(error.message) : undefined;
  return {
    ok: false,
    code: known?.code ?? codeOf(signal),
    ...(typeof status === 'number' && { status }),
    ...(text !== undefined && { message: text }),
  };
}

/** What the model will be told of an error that is not ours. */
function codeOf(signal: AbortSignal | undefined): McpErrorCode {
  if (!signal?.aborted) return 'tool_error';
  return signal.reason instanceof Error && signal.reason.name === 'TimeoutError' ? 'timeout' : 'aborted';
}

function bytesOf(value: unknown): number | undefined {
  try {
    return utf8Length(JSON.stringify(value) ?? '');
  } catch {
    return undefined;
  }
}
