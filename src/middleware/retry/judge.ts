/** Tells what may be executed twice from what may not. */

import { McpToolSetError } from '../../errors.ts';
import { matchesGlob } from '../../lib/glob.ts';
import { isRead } from '../../lib/methods.ts';
import type { McpRequest, ToolDefinition } from '../../types.ts';
import { asked } from '../shared/asked.ts';
import { distrustHints } from '../shared/hints.ts';
import { matchesTool } from '../shared/patterns.ts';

export interface JudgeOptions {
  /** Repeat what only reads by the protocol's definition (lists, resources, prompts) also after a failure that tells nothing. Default true. */
  readonly reads?: boolean | undefined;
  /** Servers (keys or globs) whose `readOnlyHint` and `idempotentHint` are believed: their tools too are repeated then. Default none. */
  readonly trust?: readonly string[] | undefined;
  /** Tools that may be executed twice whatever their hints say, as globs on `server/tool`. */
  readonly allow?: readonly string[] | undefined;
  /** Whether to repeat after an error that is not of this library, which only tools in `wrapToolSet()` throw. Needed for these. */
  readonly retryIf?: ((error: unknown, request: McpRequest) => boolean) | undefined;
}

/** Whether what failed so may be sent again. */
export function createJudge({
  reads = true,
  trust = [],
  allow = [],
  retryIf,
}: JudgeOptions): (error: unknown, request: McpRequest) => boolean {
  const [servers, patterns] = [[...trust], [...allow]];

  function mayRunTwice({ method, call, server, params }: McpRequest): boolean {
    if (method !== 'tools/call') return reads && isRead(method);
    const tool = call?.tool;
    if (tool === undefined || tool.server !== server || tool.originalName !== params.name) return false;
    if (patterns.some((pattern) => matchesTool(tool, pattern))) return true;
    return servers.some((pattern) => matchesGlob(server, pattern)) && saysSo(tool);
  }

  return (error, request) => {
    if (!McpToolSetError.is(error))
      return (
        retryIf !== undefined &&
        asked<unknown>(
          () => retryIf(error, request),
          () => false,
        ) === true
      );
    switch (error.code) {
      case 'unavailable':
      case 'rate_limited':
      case 'session_expired':
        return true;
      case 'timeout':
      case 'outcome_unknown':
        return mayRunTwice(request);
      case 'http_error':
        return Number(error.data.status) >= 500 && mayRunTwice(request);
      default:
        return false;
    }
  };
}

/** Hints count only where they are literally `true` and do not contradict each other. */
function saysSo({ annotations }: ToolDefinition): boolean {
  if (distrustHints(annotations) === undefined) return true;
  return annotations?.idempotentHint === true && annotations.readOnlyHint !== true;
}
