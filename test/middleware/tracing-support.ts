/** A real OpenTelemetry SDK that keeps what it is told in memory, for one test. */

import { context, metrics, propagation, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, NodeTracerProvider, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { onTestFinished } from 'vitest';

export interface Telemetry {
  /** Ended spans, in the order in which they ended. */
  spans(): ReadableSpan[];
  /** The one span of that name. */
  span(name: string): ReadableSpan;
  /** What a histogram has counted so far, by set of attributes. */
  histogram(name: string): Promise<DataPoint<Histogram>[]>;
  /** All metrics. */
  measured(): Promise<MetricData[]>;
  tracers: NodeTracerProvider;
  meters: MeterProvider;
}

/** Registers both globally, until the test is over. */
export function telemetry(): Telemetry {
  const exporter = new InMemorySpanExporter();
  const tracers = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  tracers.register();
  const kept = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: kept, exportIntervalMillis: 3_600_000 })],
  });
  metrics.setGlobalMeterProvider(meters);
  onTestFinished(async () => {
    for (const api of [trace, context, propagation, metrics]) api.disable();
    await Promise.all([tracers.shutdown(), meters.shutdown()]);
  });

  const spans = (): ReadableSpan[] => exporter.getFinishedSpans();
  async function measured(): Promise<MetricData[]> {
    kept.reset();
    await meters.forceFlush();
    return kept.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  }
  return {
    spans,
    measured,
    tracers,
    meters,
    span(name) {
      const found = spans().filter((span) => span.name === name);
      if (found.length !== 1)
        throw new Error(
          `${found.length} spans of "${name}" among ${spans()
            .map((one) => one.name)
            .join(', ')}`,
        );
      return found[0]!;
    },
    async histogram(name) {
      const found = (await measured()).find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []) as DataPoint<Histogram>[];
    },
  };
}

/** How a server is told of a span. */
export function traceparentOf(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}
