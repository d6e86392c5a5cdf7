/** Tells a function of each call and each request as it begins and ends. */

import { type McpErrorCode, McpToolSetError } from '../errors.ts';
import type { McpMiddleware, McpRequest, ToolCall } from '../types.ts';
import { isLate } from './shared/asked.ts';
import { isFailed } from './shared/failed.ts';
import { aBoolean, aFunction, checkOptions, type Rule } from './shared/options.ts';
import { redacted, redactedText } from './shared/redact.ts';
import { utf8Length } from './shared/utf8.ts';

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

const RULES: Readonly<Record<keyof LogOptions, Rule>> = {
  inputs: aBoolean,
  outputs: aBoolean,
  headers: aBoolean,
  sizes: aBoolean,
  fields: aFunction,
  now: aFunction,
};

/**
 * Gives `write` an event at the start and at the end of each tool call, and of each request to a server, handshakes included. No
 * arguments, results, headers, URIs or texts of errors are in it unless asked for. What `write` throws, or rejects with, is ignored;
 * nobody waits for it.
 *
 * Hooks: `call` and `request`. Listed first it sees refusals and answers from a cache as calls without a request; listed after `retry`, as
 * in the recommended place beside `tracing`, each attempt is a request.
 *
 * Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [log((event) => logger.info(event), { fields: ({ principal }) => ({ tenant: principal?.id }) })],
 * });
 * // { event: 'call_end', server: 'docs', tool: 'search', toolCallId: 'c1', ok: true, milliseconds: 41, outputBytes: 5120 }
 * ```
 */
export function log(write: (event: LogEvent) => unknown, options: LogOptions = {}): McpMiddleware {
  checkOptions('log', { ...options, write }, { ...RULES, write: { ...aFunction, required: true } });
  const { now = () => performance.now() } = options;

  function tell(event: () => LogEvent): void {
    try {
      isLate(write(event()));
    } catch {
      // An observer's fault is not the work's fault.
    }
  }

  async function watch<I extends Subject, O>(kind: 'call' | 'request', subject: I, next: (subject: I) => Promise<O>): Promise<O> {
    const start = now();
    tell(() => joined(describe(subject, options), { event: `${kind}_start` }, inputOf(subject, options)));
    const end = (outcome: () => object): void => {
      const milliseconds = now() - start;
      tell(() => joined(describe(subject, options), { event: `${kind}_end`, milliseconds }, outcome()));
    };
    try {
      const result = await next(subject);
      end(() => resultOf(result, options));
      return result;
    } catch (error) {
      end(() => failureOf(error, subject.signal, options));
      throw error;
    }
  }

  return {
    name: 'log',
    call: (call, next) => watch('call', call, next),
    request: (request, next) => watch('request', request, next),
  };
}

// Spreads after the first are slow in V8: four of these events took longer than all else that is done here.
function joined(described: Described, event: Pick<LogEvent, 'event' | 'milliseconds'>, rest: object): LogEvent {
  return Object.assign(described, event, rest);
}

type Subject = ToolCall | McpRequest;
type Described = Pick<LogEvent, 'server' | 'tool' | 'method' | 'toolCallId'>;

function describe(subject: Subject, { fields }: LogOptions): Described {
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

function inputOf(subject: Subject, { inputs = false, headers = false, sizes = true }: LogOptions): object {
  const input: unknown = 'tool' in subject ? subject.input : (subject.params.arguments ?? subject.params);
  return {
    ...(sizes && { inputBytes: bytesOf(input) }),
    ...(inputs && { input: redacted(input) }),
    ...(headers && 'method' in subject && subject.headers !== undefined && { headers: redacted(subject.headers) }),
  };
}

function resultOf(result: unknown, { outputs = false, sizes = true }: LogOptions): object {
  const { foreign = result } = (result ?? {}) as { foreign?: unknown };
  const failed = isFailed(result);
  return {
    ok: !failed,
    ...(failed && { code: 'tool_error' }),
    ...(sizes && { outputBytes: bytesOf(foreign) }),
    ...(outputs && { output: redacted(foreign) }),
  };
}

function failureOf(error: unknown, signal: AbortSignal | undefined, { outputs = false }: LogOptions): object {
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
