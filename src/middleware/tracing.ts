/** The entry `mcp-tool-set/tracing`: an OpenTelemetry span for each request to a server. */

import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { McpToolSetError } from '../errors.ts';
import type { McpMiddleware, McpPeer, McpRequest, McpResult } from '../types.ts';
import { aBoolean, checkOptions, type Rule } from './options.ts';
import { redacted, withoutSecrets } from './redact.ts';

export interface TracingOptions {
  /** Default: the global provider's tracer `mcp-tool-set`, whether it is registered before or after this. */
  readonly tracer?: Tracer | undefined;
  /** Records tool arguments (those with a telling name redacted) and whole resource URIs. Default false. */
  readonly recordInputs?: boolean | undefined;
  /** Records tool results and the server's own error texts, which may quote arguments. Default false. */
  readonly recordOutputs?: boolean | undefined;
  /** Records `mcp.session.id`, with which a session could be taken over. Default false. */
  readonly recordSessionId?: boolean | undefined;
  /** More attributes for every span, or for each request: a tenant, say. Those of the conventions win. */
  readonly attributes?: Attributes | ((request: McpRequest) => Attributes | undefined) | undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const RULES: Readonly<Record<keyof TracingOptions, Rule>> = {
  tracer: { phrase: 'an OpenTelemetry tracer', test: (value) => isObject(value) && typeof value.startSpan === 'function' },
  recordInputs: aBoolean,
  recordOutputs: aBoolean,
  recordSessionId: aBoolean,
  attributes: {
    phrase: 'an object of attributes, or a function that gives one',
    test: (value) => typeof value === 'function' || (isObject(value) && !Array.isArray(value)),
  },
};

/**
 * Makes a CLIENT span of each request to a server, handshake included, named and attributed by the OpenTelemetry conventions for MCP,
 * under the span that is active (the AI SDK's tool span). The trace goes on in the server: what the configured propagators write
 * (`traceparent`, `tracestate`, `baggage`) is sent in `params._meta`. Without an OpenTelemetry SDK nothing is recorded and nothing sent.
 *
 * Hooks: `request`. So each attempt of a `retry` outside of it has a span, and a refusal or an answer from a cache has none.
 *
 * Arguments, results, session ids, query strings and the texts of errors stay out of spans unless asked for. `mcp_tool_set.server` is the
 * one attribute of our own: the server's key. A result with `isError` and every failure set the status to ERROR and `error.type`. Throws
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
  const { tracer = trace.getTracer('mcp-tool-set') } = options;

  return {
    name: 'tracing',
    async request(request, next) {
      const parent = context.active();
      const attributes = describeRequest(request, options);
      const span = quietly(() =>
        tracer.startSpan(nameOf(request.method, attributes), { kind: SpanKind.CLIENT, attributes }, parent),
      );
      // No SDK, or one that is told to leave this out: no span of anybody's to belong to.
      if (span === undefined || !isSpanContextValid(span.spanContext())) return next(request);
      try {
        recordArguments(span, request, options);
        const inner = trace.setSpan(parent, span);
        const result = await context.with(inner, () => next(withContext(request, inner)));
        recordResult(span, request, result, options);
        return result;
      } catch (error) {
        recordError(span, error, options);
        throw error;
      } finally {
        recordPeer(span, request.peer, options);
        quietly(() => span.end());
      }
    },
  };
}

function nameOf(method: string, attributes: Attributes): string {
  const target = attributes['gen_ai.tool.name'] ?? attributes['gen_ai.prompt.name'];
  return target === undefined ? method : `${method} ${target}`;
}

/** What is known before the request is sent, so that samplers can see it. */
function describeRequest(request: McpRequest, { attributes, recordInputs = false }: TracingOptions): Attributes {
  const { method, params, server } = request;
  const all: Attributes = { ...extra(attributes, request), 'mcp.method.name': method, 'mcp_tool_set.server': server };
  if (method === 'tools/call') {
    all['gen_ai.operation.name'] = 'execute_tool';
    if (typeof params.name === 'string') all['gen_ai.tool.name'] = params.name;
  } else if (method === 'prompts/get') {
    if (typeof params.name === 'string') all['gen_ai.prompt.name'] = params.name;
  } else if (method.startsWith('resources/') && typeof params.uri === 'string') {
    all['mcp.resource.uri'] = recordInputs ? params.uri : withoutSecrets(params.uri);
  }
  return all;
}

function extra(attributes: TracingOptions['attributes'], request: McpRequest): Attributes | undefined {
  return typeof attributes === 'function' ? quietly(() => attributes(request)) : attributes;
}

/** Watching must not break what it watches: a processor or a function of the user's that throws costs its own part only. */
function quietly<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch {
    return undefined;
  }
}

/** The trace context wins over a `_meta` of the user's, which cannot know this span. */
function withContext(request: McpRequest, inner: Context): McpRequest {
  const carrier: Record<string, string> = {};
  propagation.inject(inner, carrier);
  if (Object.keys(carrier).length === 0) return request;
  const { params } = request;
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...request, params: { ...params, _meta: { ...meta, ...carrier } } };
}

function recordArguments(span: Span, { method, params }: McpRequest, { recordInputs = false }: TracingOptions): void {
  if (!recordInputs || method !== 'tools/call' || !span.isRecording()) return;
  span.setAttribute('gen_ai.tool.call.arguments', redacted(params.arguments ?? {}));
}

function recordResult(span: Span, { method }: McpRequest, result: McpResult, { recordOutputs = false }: TracingOptions): void {
  if (method !== 'tools/call') return;
  if (result.isError === true) fail(span, 'tool_error', 'the tool reported an error');
  else if (recordOutputs && span.isRecording()) span.setAttribute('gen_ai.tool.call.result', redacted(result));
}

function recordError(span: Span, error: unknown, { recordOutputs = false }: TracingOptions): void {
  if (!McpToolSetError.is(error)) {
    fail(span, nameOfError(error));
  } else if (typeof error.data.code === 'number') {
    const code = String(error.data.code);
    span.setAttribute('rpc.response.status_code', code);
    // The conventions want the server's text here. It may quote arguments, so it counts as output.
    fail(span, code, recordOutputs ? error.detail : `${error.code} (JSON-RPC ${code})`);
  } else {
    fail(span, error.code);
  }
}

function fail(span: Span, type: string, message: string = type): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}

/** Only what looks like the name of a class: anybody may have written anything there. */
function nameOfError(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return /^[A-Z][A-Za-z]{0,50}Error$/.test(name) ? name : '_OTHER';
}

function recordPeer(span: Span, peer: McpPeer, { recordSessionId = false }: TracingOptions): void {
  if (!span.isRecording()) return;
  const { transport, address, port, version, sessionId, requestId } = peer;
  const attributes: Attributes = {};
  if (requestId !== undefined) attributes['jsonrpc.request.id'] = String(requestId);
  if (version !== undefined) attributes['mcp.protocol.version'] = version;
  if (recordSessionId && sessionId !== undefined) attributes['mcp.session.id'] = sessionId;
  if (transport === 'stdio') attributes['network.transport'] = 'pipe';
  if (transport === 'http') {
    attributes['network.transport'] = 'tcp';
    attributes['network.protocol.name'] = 'http';
  }
  if (address !== undefined) attributes['server.address'] = address;
  if (port !== undefined) attributes['server.port'] = port;
  span.setAttributes(attributes);
}
