/** The two histograms of the OpenTelemetry conventions for MCP clients. */

import { createNoopMeter, type Histogram, type Meter, type MeterProvider, metrics } from '@opentelemetry/api';

import { quietly } from './quietly.ts';

/** Both in seconds. */
export interface Durations {
  readonly operation: Histogram;
  readonly session: Histogram;
}

/** As advice: a view of the application's wins. */
const BUCKETS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Looks up where durations are recorded now; nothing where nobody wants any. The global meter, unlike the tracer, does not turn into the
 * real one by itself when a provider is registered later.
 */
export function createDurations(name: string, own: Meter | undefined): () => Durations | undefined {
  if (own !== undefined) {
    const durations = quietly(() => durationsOf(own));
    return () => durations;
  }
  let known: MeterProvider | undefined;
  let durations: Durations | undefined;
  return () => {
    const present = metrics.getMeterProvider();
    if (present !== known) {
      known = present;
      durations = quietly(() => {
        const meter = present.getMeter(name);
        return meter === createNoopMeter() ? undefined : durationsOf(meter);
      });
    }
    return durations;
  };
}

function durationsOf(meter: Meter): Durations {
  const options = { unit: 's', advice: { explicitBucketBoundaries: [...BUCKETS] } };
  return {
    operation: meter.createHistogram('mcp.client.operation.duration', {
      ...options,
      description:
        'The duration of the MCP request or notification as observed on the sender from the time it was sent until the response or ack is received.',
    }),
    session: meter.createHistogram('mcp.client.session.duration', {
      ...options,
      description: 'The duration of the MCP session as observed on the MCP client.',
    }),
  };
}
