/** The OpenTelemetry SDK, keeping its spans in memory. */

import { OpenTelemetry } from '@ai-sdk/otel';
import { trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { registerTelemetry } from 'ai';

export interface Recording {
  /** Runs the work under a span of this name, which everything else nests in. */
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  readonly spans: () => readonly ReadableSpan[];
}

/** Registers the SDK, and the AI SDK's own spans with it. */
export function recordSpans(): Recording {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  registerTelemetry(new OpenTelemetry());
  return {
    run: (name, work) =>
      trace.getTracer('demo').startActiveSpan(name, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      }),
    spans: () => exporter.getFinishedSpans(),
  };
}
