/** What `tracing()` takes. */

import type { Attributes, Meter, Tracer } from '@opentelemetry/api';
import type { McpRequest } from '../../types.ts';
import { aBoolean, aFunction, type Rule } from '../shared/options.ts';

export interface TracingOptions {
  /** Default: the global provider's tracer `mcp-tool-set`, whether it is registered before or after this. */
  readonly tracer?: Tracer | undefined;
  /** Default: the global provider's meter `mcp-tool-set`, likewise. */
  readonly meter?: Meter | undefined;
  /** Records tool arguments, and resource URIs with their query; what looks like a secret is redacted. Default false. */
  readonly recordInputs?: boolean | undefined;
  /** Records tool results, and the server's own error texts, which may quote arguments; both redacted so. Default false. */
  readonly recordOutputs?: boolean | undefined;
  /** Records `mcp.session.id`, with which a session could be taken over. Default false. */
  readonly recordSessionId?: boolean | undefined;
  /** More attributes for every span, or for each request: a tenant, say. Those of the conventions win. Metrics never have them. */
  readonly attributes?: Attributes | ((request: McpRequest) => Attributes | undefined) | undefined;
  /**
   * Whether a call that the AI SDK traces has its MCP attributes on that span too. Default true: there, and on a CLIENT span under it;
   * `instead`: there alone, except for a second attempt; false: on its own span alone.
   */
  readonly enrich?: boolean | 'instead' | undefined;
  /** Puts a resource's URI, without its query, into the span's name. Default false: each URI would be a name of its own. */
  readonly uriInName?: boolean | undefined;
  /** Sends the trace context in HTTP headers too. Default true; false where `fetch` itself is instrumented and adds its own. */
  readonly headers?: boolean | undefined;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const withMethod = (phrase: string, method: string): Rule => ({
  phrase,
  test: (value) => isObject(value) && typeof value[method] === 'function',
});

export const RULES: Readonly<Record<keyof TracingOptions, Rule>> = {
  tracer: withMethod('an OpenTelemetry tracer', 'startSpan'),
  meter: withMethod('an OpenTelemetry meter', 'createHistogram'),
  recordInputs: aBoolean,
  recordOutputs: aBoolean,
  recordSessionId: aBoolean,
  attributes: {
    phrase: 'an object of attributes, or a function that gives one',
    test: (value) => typeof value === 'function' || (isObject(value) && !Array.isArray(value)),
  },
  enrich: { phrase: "true, false or 'instead'", test: (value) => typeof value === 'boolean' || value === 'instead' },
  uriInName: aBoolean,
  headers: aBoolean,
  now: aFunction,
};
