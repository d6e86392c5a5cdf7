/** Ends a request that takes too long. */

import { McpToolSetError } from '../errors.ts';
import { DeadlineError, openScope } from '../lib/abort.ts';
import { isHandshake, isRead } from '../lib/methods.ts';
import type { McpMiddleware, McpRequest, McpResult } from '../types.ts';
import { setTimeLeft } from './shared/deadline.ts';
import { ended } from './shared/ended.ts';
import { aDuration } from './shared/numbers.ts';
import { aFunction, checkOptions, type Rule } from './shared/options.ts';
import { byPattern, matchesTool } from './shared/patterns.ts';

export interface TimeoutOptions {
  /** Milliseconds that one request may take, connecting included; 0 = no limit. */
  readonly request: number;
  /** The same for calls of single tools, by globs on `server/tool`; the first that matches counts. */
  readonly tools?: Readonly<Record<string, number>> | undefined;
  /** A clock in milliseconds that never goes back, from which a `retry` further in learns what is left. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const DURATION = aDuration(0);
const RULES: Readonly<Record<keyof TimeoutOptions, Rule>> = {
  request: { ...DURATION, required: true },
  tools: byPattern(DURATION.phrase, DURATION.test),
  now: aFunction,
};

/**
 * Fails a request with `timeout` when it has no answer in time, and cancels it: its signal aborts, so that the server is told and
 * nothing goes on. A hard limit, which progress does not extend; `timeouts` of the tool set are the ones that progress renews.
 *
 * Hooks: `request`. Innermost in the recommended order, each attempt of a `retry` has the whole time and none of it goes to waiting;
 * listed before `retry` it bounds all attempts together. Handshakes have `timeouts.connect`.
 *
 * `data.milliseconds` is the limit. A tool in `wrapToolSet()` that does not look at its signal cannot be stopped; the call ends all the
 * same. Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [timeout({ request: 10_000, tools: { 'ci/run_*': 120_000 } })],
 * });
 * ```
 */
export function timeout(options: TimeoutOptions): McpMiddleware {
  checkOptions('timeout', options, RULES);
  const { request: common, now = () => performance.now() } = options;
  const tools = Object.entries(options.tools ?? {});

  function limitOf({ method, server, params }: McpRequest): number {
    if (isHandshake(method)) return 0;
    if (method !== 'tools/call' || tools.length === 0) return common;
    const tool = { server, originalName: String(params.name) };
    return tools.find(([pattern]) => matchesTool(tool, pattern))?.[1] ?? common;
  }

  return {
    name: 'timeout',
    async request(request, next) {
      const limit = limitOf(request);
      if (limit === 0) return next(request);
      const end = now() + limit;
      const parent = request.signal;
      let cut: ((reason: unknown) => void) | undefined;
      const scope = openScope({
        parents: [parent],
        budget: limit,
        disguise: (reason) => (!parent?.aborted && reason instanceof DeadlineError ? late(request, reason) : reason),
        tell: (reason) => cut?.(reason),
      });
      const { signal } = scope;
      setTimeLeft(signal, () => end - now());
      try {
        // Not every tool looks at its signal, and nobody is to hang for it.
        return await new Promise<McpResult>((resolve, reject) => {
          cut = reject;
          next({ ...request, signal }).then(resolve, reject);
          if (signal.aborted) reject(signal.reason);
        });
      } catch (error) {
        if (signal.aborted && error === parent?.reason) throw ended(request, `while ${request.method} was under way.`);
        throw error;
      } finally {
        scope.release();
      }
    },
  };
}

function late({ server, method, call }: McpRequest, cause: DeadlineError): McpToolSetError {
  const { milliseconds } = cause;
  const next = isRead(method)
    ? 'Ask for less, or try again.'
    : 'It may have been executed all the same: check before repeating it.';
  const detail = `${method} had no answer within ${milliseconds} ms and was cancelled. ${next} The application raises the limit in timeout().`;
  return new McpToolSetError('timeout', detail, { server, tool: call?.tool.originalName, cause, data: { milliseconds } });
}
