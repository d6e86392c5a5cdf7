/** The options of `circuitBreaker`, and what they must be. */

import type { McpRequest } from '../../types.ts';
import { aDuration, aShare, aWholeNumber } from '../shared/numbers.ts';
import { aFunction, type Rule } from '../shared/options.ts';
import type { CircuitState } from './circuit.ts';

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

const DIVISIONS: readonly unknown[] = ['server', 'principal', 'tool'];
export const RULES: Readonly<Record<keyof CircuitBreakerOptions, Rule>> = {
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
