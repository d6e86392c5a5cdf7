/** The span that stands for a request: one of its own, or the one with which another instrumentation traces the call. */

import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import type { McpRequest, McpResult } from '../../types.ts';
import { asked } from '../shared/asked.ts';
import { redacted } from '../shared/redact.ts';
import { type Failure, uriOf } from './attributes.ts';
import type { TracingOptions } from './options.ts';
import { quietly } from './quietly.ts';
import { addMissing, toolSpanOf } from './tool-span.ts';

export interface RequestSpan {
  readonly span: Span;
  add(attributes: Attributes): void;
  end(failure: Failure | undefined): void;
}

/** Nothing where there is no SDK, or one that is told to leave this out: no span of anybody's to belong to. */
export function startSpan(
  tracer: Tracer,
  request: McpRequest,
  operation: Attributes,
  parent: Context,
  options: TracingOptions,
): RequestSpan | undefined {
  // Known before it is sent, so that samplers can see it.
  const attributes = describe(request, operation, options);
  const name = nameOf(request, operation, options);
  const span = quietly(() => {
    const started = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
    return isSpanContextValid(started.spanContext()) ? started : undefined;
  });
  if (span === undefined) return undefined;
  quietly(() => span.isRecording() && span.setAttributes(argumentsOf(request, options)));
  return {
    span,
    add: (more) => quietly(() => span.setAttributes(more)),
    end(failure) {
      if (failure !== undefined) fail(span, failure, options);
      quietly(() => span.end());
    },
  };
}

/** Another's span, where it stands for this very call, and for no earlier attempt of it. Its owner ends it. */
export function takeToolSpan(
  request: McpRequest,
  operation: Attributes,
  parent: Context,
  taken: WeakSet<Span>,
  options: TracingOptions,
): RequestSpan | undefined {
  if (request.method !== 'tools/call' || request.call === undefined) return undefined;
  const span = toolSpanOf(request.call, parent);
  if (span === undefined || taken.has(span)) return undefined;
  taken.add(span);
  const add = (more: Attributes): void => void quietly(() => addMissing(span, more));
  add({ ...describe(request, operation, options), ...argumentsOf(request, options) });
  // The name that the model knows the tool by is there already.
  const tool = operation['gen_ai.tool.name'];
  if (tool !== undefined) add({ 'mcp_tool_set.tool': tool });
  return { span, add, end() {} };
}

export function fail(span: Span, { attributes, summary, said }: Failure, { recordOutputs = false }: TracingOptions): void {
  quietly(() => {
    if (!span.isRecording()) return;
    span.setAttributes(attributes);
    // The conventions want the server's text here. It may quote arguments, so it counts as output.
    span.setStatus({ code: SpanStatusCode.ERROR, message: (recordOutputs ? said : undefined) ?? summary });
  });
}

/** Of a success; the conventions leave the result of a failed tool out. */
export function resultOf(result: McpResult, { recordOutputs = false }: TracingOptions): Attributes {
  return recordOutputs ? { 'gen_ai.tool.call.result': redacted(result?.foreign ?? result) } : {};
}

function argumentsOf({ method, params }: McpRequest, { recordInputs = false }: TracingOptions): Attributes {
  if (!recordInputs || method !== 'tools/call') return {};
  return { 'gen_ai.tool.call.arguments': redacted(params.arguments ?? {}) };
}

function describe(request: McpRequest, operation: Attributes, { attributes, recordInputs = false }: TracingOptions): Attributes {
  const extra =
    typeof attributes === 'function'
      ? asked(
          () => attributes(request),
          () => undefined,
        )
      : attributes;
  const uri = uriOf(request, recordInputs);
  return { ...extra, ...operation, ...(uri !== undefined && { 'mcp.resource.uri': uri }) };
}

function nameOf(request: McpRequest, operation: Attributes, { uriInName = false }: TracingOptions): string {
  const uri = uriInName ? uriOf(request, false) : undefined;
  const target = operation['gen_ai.tool.name'] ?? operation['gen_ai.prompt.name'] ?? uri;
  return target === undefined ? request.method : `${request.method} ${target}`;
}
