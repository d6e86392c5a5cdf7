/** Stops asking a server that keeps failing, until it answers again. */

import { McpToolSetError } from '../errors.ts';
import { isUpkeep } from '../lib/methods.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { Circuit, type Outcome } from './circuit-breaker/circuit.ts';
import { type CircuitBreakerOptions, type CircuitStatus, RULES } from './circuit-breaker/options.ts';
import { counts, outcomeOf, type Place, placeOf } from './circuit-breaker/outcome.ts';
import { checkOptions } from './shared/options.ts';

export type { CircuitBreakerOptions, CircuitStatus } from './circuit-breaker/options.ts';

export interface CircuitBreakerMiddleware extends McpMiddleware {
  /** Those that have failed of late. */
  circuits(): readonly CircuitStatus[];
}

/** Circuits kept at once: past it, the one that was longest unused goes. */
const MAX_CIRCUITS = 1_000;

/**
 * After `failures` in a row, requests to that server fail at once and nothing is sent: the server is spared, and the model does not wait.
 * After `openFor`, one request at a time is let through as a probe; an answer closes the circuit, a failure opens it anew. Failures are
 * `unavailable`, `timeout`, `outcome_unknown`, HTTP 5xx, and whatever a tool in `wrapToolSet()` throws; any other error is an answer, and
 * an abort says nothing. Handshakes and pings are neither held up nor counted.
 *
 * Hooks: `request`, in the recommended order after `retry` and `rateLimit` and before `tracing` and `timeout`: so a time-out counts, and a
 * request that is held up has no span.
 *
 * Such a request fails with `unavailable`; `data` holds `{ retryAfter, circuit }` (milliseconds, the state). Throws `config_invalid` at
 * once for bad options.
 *
 * @example
 * ```ts
 * const breaker = circuitBreaker({ failures: 3, openFor: 10_000, onChange: ({ server, state }) => alert(server, state) });
 * const tools = await createMcpToolSet({ servers, middleware: [retry(), breaker, timeout({ request: 5_000 })] });
 * breaker.circuits(); // [{ server: 'docs', state: 'open', failures: 3, retryAfter: 8_200 }]
 * ```
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): CircuitBreakerMiddleware {
  // Why not cockatiel: it holds requests that come during a probe until that ends (their signal does not free them, and in workerd they
  // would wait for another request's I/O), takes an aborted probe for a success, and reads Date.now itself.
  checkOptions('circuitBreaker', options, RULES);
  const { failures = 5, rate, openFor = 30_000, per = 'server', isFailure = counts, now = () => performance.now() } = options;
  const circuits = new Map<string, Kept>();

  function circuitOf(place: Place, key: string): Kept {
    const circuit = circuits.get(key) ?? { place, circuit: new Circuit({ failures, rate, openFor }), inside: 0 };
    circuits.delete(key);
    circuits.set(key, circuit);
    const [oldest] = circuits.keys();
    if (circuits.size > MAX_CIRCUITS && oldest !== undefined) circuits.delete(oldest);
    return circuit;
  }

  function statusOf(place: Place, { state, failures: row }: Circuit, retryAfter: number): CircuitStatus {
    return { ...place, state, failures: row, retryAfter };
  }

  /** Does something with a circuit, and tells when that changed it. */
  function tell<T>(place: Place, circuit: Circuit, change: () => T): T {
    const before = circuit.state;
    const result = change();
    if (circuit.state === before) return result;
    try {
      Promise.resolve(options.onChange?.(statusOf(place, circuit, circuit.wait(now())))).catch(() => {});
    } catch {
      // An observer's fault is not the work's fault.
    }
    return result;
  }

  return {
    name: 'circuitBreaker',
    async request(request, next) {
      if (isUpkeep(request.method)) return next(request);
      const place = placeOf(request, per);
      const key = JSON.stringify(Object.values(place));
      const kept = circuitOf(place, key);
      const { circuit } = kept;
      const leave = tell(place, circuit, () => circuit.enter(now()));
      if (typeof leave === 'number') throw refusal(request, circuit, leave);
      kept.inside++;
      const end = (outcome: Outcome): void => {
        kept.inside--;
        tell(place, circuit, () => leave(outcome, now()));
        // Those who are still in it must find it where they left it.
        if (circuit.blank && kept.inside === 0 && circuits.get(key) === kept) circuits.delete(key);
      };
      try {
        const result = await next(request);
        end('answered');
        return result;
      } catch (error) {
        end(outcomeOf(error, request, isFailure));
        throw error;
      }
    },
    circuits() {
      return [...circuits.values()].map(({ place, circuit }) => statusOf(place, circuit, Math.ceil(circuit.wait(now()))));
    },
  };
}

interface Kept {
  readonly place: Place;
  readonly circuit: Circuit;
  /** Requests under way. */
  inside: number;
}

function refusal({ server, call }: McpRequest, { state, failures }: Circuit, wait: number): McpToolSetError {
  const retryAfter = Math.ceil(wait);
  const seconds = Math.ceil(retryAfter / 100) / 10;
  const why =
    state === 'half_open'
      ? 'one request at a time finds out whether it is well again'
      : `it is left alone after ${failures} ${failures === 1 ? 'failure' : 'failures in a row'}`;
  const detail = `${why}. Nothing was sent. Try again in ${seconds} s, or use another server's tool.`;
  return new McpToolSetError('unavailable', detail, {
    server,
    tool: call?.tool.originalName,
    data: { retryAfter, circuit: state },
  });
}
