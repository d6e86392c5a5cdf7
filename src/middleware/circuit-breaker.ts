/** Stops asking a server that keeps failing, until it answers again. */

import { McpToolSetError } from '../errors.ts';
import { isUpkeep } from '../lib/methods.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { Circuit, type CircuitState, type Outcome } from './circuit-breaker/circuit.ts';
import { asked } from './shared/asked.ts';
import { aDuration, aShare, aWholeNumber } from './shared/numbers.ts';
import { aFunction, checkOptions, type Rule } from './shared/options.ts';

export interface CircuitBreakerOptions {
  /** Failures in a row that open the circuit. Default 5. */
  readonly failures?: number | undefined;
  /** Opens it also when more than `share` (0 to 1) of the last `of` requests failed. Default none. */
  readonly rate?: { readonly share: number; readonly of: number } | undefined;
  /** Milliseconds after which a probe is let through. Default 30 000. */
  readonly openFor?: number | undefined;
  /** What has a circuit of its own: a server, each principal on a server, or each tool of a server. Default `server`. */
  readonly per?: 'server' | 'principal' | 'tool' | undefined;
  /** Whether an error counts, in place of the rule below. */
  readonly isFailure?: ((error: unknown, request: McpRequest) => boolean) | undefined;
  /** Told when a circuit changes: for an alert. */
  readonly onChange?: ((status: CircuitStatus) => void) | undefined;
  /** A clock in milliseconds that never goes back. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

export interface CircuitStatus {
  readonly server: string;
  readonly principal?: string | undefined;
  readonly tool?: string | undefined;
  readonly state: CircuitState;
  /** Failures in a row. */
  readonly failures: number;
  /** Milliseconds until the next probe may start. */
  readonly retryAfter: number;
}

export interface CircuitBreakerMiddleware extends McpMiddleware {
  /** Those that have failed of late. */
  circuits(): readonly CircuitStatus[];
}

type Place = Pick<CircuitStatus, 'server' | 'principal' | 'tool'>;

const DIVISIONS: readonly unknown[] = ['server', 'principal', 'tool'];
const RULES: Readonly<Record<keyof CircuitBreakerOptions, Rule>> = {
  failures: aWholeNumber(1),
  rate: {
    phrase: 'an object { share, of } with a share from 0 to 1 and a whole number of requests from 1 to 10000',
    test: (value) => {
      const { share, of } = (value ?? {}) as Record<string, unknown>;
      return aShare.test(share) && aWholeNumber(1, 10_000).test(of);
    },
  },
  openFor: aDuration(1),
  per: { phrase: "'server', 'principal' or 'tool'", test: (value) => DIVISIONS.includes(value) },
  isFailure: aFunction,
  onChange: aFunction,
  now: aFunction,
};

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

function placeOf({ server, principal, method, params }: McpRequest, per: CircuitBreakerOptions['per']): Place {
  if (per === 'principal') return { server, principal: principal?.id };
  return per === 'tool' && method === 'tools/call' ? { server, tool: String(params.name) } : { server };
}

function outcomeOf(error: unknown, request: McpRequest, isFailure: (error: unknown, request: McpRequest) => boolean): Outcome {
  const code = McpToolSetError.is(error) ? error.code : undefined;
  if (code === 'aborted' || code === 'closed' || (code === undefined && request.signal?.aborted)) return 'unknown';
  return asked(
    () => isFailure(error, request),
    () => counts(error, request),
  )
    ? 'failed'
    : 'answered';
}

/** Connections throw errors of ours alone; of what a foreign tool throws, nothing tells a bad argument from a dead service. */
function counts(error: unknown, { call }: McpRequest): boolean {
  if (!McpToolSetError.is(error)) return call?.tool.kind === 'added';
  const { code, data } = error;
  if (code === 'http_error') return Number(data.status) >= 500;
  return code === 'unavailable' || code === 'timeout' || code === 'outcome_unknown';
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
