/** Tells a function of each call and each request as it begins and ends. */

import type { McpMiddleware } from '../types.ts';
import {
  type Described,
  describe,
  failureOf,
  inputOf,
  type LogEvent,
  type LogOptions,
  resultOf,
  type Subject,
} from './log/event.ts';
import { isLate } from './shared/asked.ts';
import { aBoolean, aFunction, checkOptions, type Rule } from './shared/options.ts';

export type { LogEvent, LogOptions } from './log/event.ts';

const RULES: Readonly<Record<keyof LogOptions, Rule>> = {
  inputs: aBoolean,
  outputs: aBoolean,
  headers: aBoolean,
  sizes: aBoolean,
  fields: aFunction,
  now: aFunction,
};

/**
 * Gives `write` an event at the start and at the end of each tool call, and of each request to a server, handshakes included. No
 * arguments, results, headers, URIs or texts of errors are in it unless asked for. What `write` throws, or rejects with, is ignored;
 * nobody waits for it.
 *
 * Hooks: `call` and `request`. Listed first it sees refusals and answers from a cache as calls without a request; listed after `retry`, as
 * in the recommended place beside `tracing`, each attempt is a request.
 *
 * Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [log((event) => logger.info(event), { fields: ({ principal }) => ({ tenant: principal?.id }) })],
 * });
 * // { event: 'call_end', server: 'docs', tool: 'search', toolCallId: 'c1', ok: true, milliseconds: 41, outputBytes: 5120 }
 * ```
 */
export function log(write: (event: LogEvent) => unknown, options: LogOptions = {}): McpMiddleware {
  checkOptions('log', { ...options, write }, { ...RULES, write: { ...aFunction, required: true } });
  const { now = () => performance.now() } = options;

  function tell(event: () => LogEvent): void {
    try {
      isLate(write(event()));
    } catch {
      // An observer's fault is not the work's fault.
    }
  }

  async function watch<I extends Subject, O>(kind: 'call' | 'request', subject: I, next: (subject: I) => Promise<O>): Promise<O> {
    const start = now();
    tell(() => joined(describe(subject, options), { event: `${kind}_start` }, inputOf(subject, options)));
    const end = (outcome: () => object): void => {
      const milliseconds = now() - start;
      tell(() => joined(describe(subject, options), { event: `${kind}_end`, milliseconds }, outcome()));
    };
    try {
      const result = await next(subject);
      end(() => resultOf(result, options));
      return result;
    } catch (error) {
      end(() => failureOf(error, subject.signal, options));
      throw error;
    }
  }

  return {
    name: 'log',
    call: (call, next) => watch('call', call, next),
    request: (request, next) => watch('request', request, next),
  };
}

// Spreads after the first are slow in V8: four of these events took longer than all else that is done here.
function joined(described: Described, event: Pick<LogEvent, 'event' | 'milliseconds'>, rest: object): LogEvent {
  return Object.assign(described, event, rest);
}
