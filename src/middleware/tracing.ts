/** The entry `mcp-tool-set/tracing`: OpenTelemetry spans and durations of what goes to servers. */

import { type Context, context, ProxyTracerProvider, type Span, trace } from '@opentelemetry/api';
import type { CallToolResult, McpMiddleware, McpRequest, McpResult, ToolCall } from '../types.ts';
import { checkOptions } from './shared/options.ts';
import { countedOf, type Failure, failureIn, failureOf, idsOf, operationOf, peerOf } from './tracing/attributes.ts';
import { createDurations, type Durations } from './tracing/durations.ts';
import { RULES, type TracingOptions } from './tracing/options.ts';
import { withContext } from './tracing/propagation.ts';
import { quietly } from './tracing/quietly.ts';
import { fail, resultOf, startSpan, takeToolSpan } from './tracing/spans.ts';
import { toolSpanOf } from './tracing/tool-span.ts';

export type { TracingOptions } from './tracing/options.ts';

type Next<I, O> = (input: I) => Promise<O>;

const NAME = 'mcp-tool-set';
const NO_SDK = new ProxyTracerProvider().getDelegate();

/**
 * Traces each request to a server, handshakes and listings included, by the OpenTelemetry conventions for MCP: a CLIENT span under the
 * active one, and the histograms `mcp.client.operation.duration` and `mcp.client.session.duration` in seconds. Where the AI SDK's own tool
 * span stands for a call (`@ai-sdk/otel` in ai 7, `experimental_telemetry` in ai 6), the MCP attributes are added to it as well; with
 * `enrich: 'instead'` the first attempt has no span but that one, as the conventions ask. The trace goes on in the server: what the configured propagators write
 * (`traceparent`, `tracestate`, `baggage`) is sent in `params._meta` and in HTTP headers. Without an OpenTelemetry SDK nothing is done.
 *
 * Hooks: `request`, `connection`, and `call` for how a call that is on another's span ended. On `request`, each attempt of a `retry`
 * outside of it is seen, and a refusal or an answer from a cache is not; `rateLimit` outside of it keeps waiting out of the server's
 * time. Nothing is sent to tools in `wrapToolSet()`; what they do goes on under the span.
 *
 * A result with `isError` and every failure set the status to ERROR and `error.type`: `tool_error`, the JSON-RPC code, else the code of
 * our error. Arguments, results, session ids, query strings and the texts of errors stay out unless asked for. Names of our own are
 * `mcp_tool_set.server`, the server's key, and `mcp_tool_set.tool`, where another's span has the model's name for the tool. Throws
 * `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [tracing({ attributes: ({ principal }) => ({ 'app.tenant': principal?.id }) })],
 * });
 * ```
 */
export function tracing(options: TracingOptions = {}): McpMiddleware {
  checkOptions('tracing', options, RULES);
  const { enrich = true, now = () => performance.now() } = options;
  const durations = createDurations(NAME, options.meter);
  /** Spans of others that stand for a request already: another attempt would mix with it. */
  const taken = new WeakSet<Span>();
  const observe = createObserver(taken, options, now);

  return {
    name: 'tracing',
    call(call, next) {
      const span = enrich ? toolSpanOf(call, context.active()) : undefined;
      return span === undefined ? next(call) : judge(call, next, (failure) => taken.has(span) && fail(span, failure, options));
    },
    request(request, next) {
      const parent = context.active();
      const present = durations();
      const idle = present === undefined && options.tracer === undefined && !hasSdk() && trace.getSpan(parent) === undefined;
      return idle ? next(request) : observe(request, next, parent, present);
    },
    connection({ server, peer }) {
      const openedAt = now();
      return (error) => {
        // A modern server knows no session over HTTP: each request stands by itself.
        if (peer.era === 'modern' && peer.transport === 'http') return;
        const type = error === undefined ? undefined : countedOf(failureOf(error))['error.type'];
        const attributes = { 'mcp_tool_set.server': server, ...peerOf(peer), ...(type !== undefined && { 'error.type': type }) };
        quietly(() => durations()?.session.record((now() - openedAt) / 1_000, attributes));
      };
    },
  };
}

type Observe = (
  request: McpRequest,
  next: Next<McpRequest, McpResult>,
  parent: Context,
  durations: Durations | undefined,
) => Promise<McpResult>;

function createObserver(taken: WeakSet<Span>, options: TracingOptions, now: () => number): Observe {
  const {
    tracer = quietly(() => trace.getTracer(NAME)) ?? NO_SDK.getTracer(NAME),
    enrich = true,
    headers = true,
    recordSessionId = false,
  } = options;

  return async (request, next, parent, durations) => {
    const { method, peer } = request;
    const operation = operationOf(request);
    const outer = enrich === false ? undefined : takeToolSpan(request, operation, parent, taken, options);
    const own = enrich === 'instead' && outer !== undefined ? undefined : startSpan(tracer, request, operation, parent, options);
    const span = own ?? outer;
    const inner = span === undefined ? parent : trace.setSpan(parent, span.span);
    const startedAt = now();
    let failure: Failure | undefined;
    try {
      const result = await (span === undefined ? next(request) : within(inner, request, next, headers));
      failure = method === 'tools/call' ? failureIn(result) : undefined;
      if (method === 'tools/call' && failure === undefined && quietly(() => span?.span.isRecording()))
        span?.add(resultOf(result, options));
      return result;
    } catch (error) {
      failure = failureOf(error);
      throw error;
    } finally {
      const seconds = (now() - startedAt) / 1_000;
      const answered = peerOf(peer);
      for (const each of [own, outer]) each?.add({ ...answered, ...idsOf(peer, recordSessionId) });
      own?.end(failure);
      quietly(() =>
        durations?.operation.record(seconds, { ...operation, ...answered, ...(failure && countedOf(failure)) }, inner),
      );
    }
  };
}

function within(inner: Context, request: McpRequest, next: Next<McpRequest, McpResult>, headers: boolean): Promise<McpResult> {
  const carrying = quietly(() => withContext(request, inner, headers)) ?? request;
  return context.with(inner, () => next(carrying));
}

/** How a call ended is known after its last attempt. */
async function judge(
  call: ToolCall,
  next: Next<ToolCall, CallToolResult>,
  tell: (failure: Failure) => void,
): Promise<CallToolResult> {
  try {
    const result = await next(call);
    const failure = failureIn(result);
    if (failure !== undefined) tell(failure);
    return result;
  } catch (error) {
    tell(failureOf(error));
    throw error;
  }
}

/** Whether anything would come of a span of the global tracer. */
function hasSdk(): boolean {
  const provider: Partial<ProxyTracerProvider> = trace.getTracerProvider();
  return provider.getDelegate?.() !== NO_SDK;
}
