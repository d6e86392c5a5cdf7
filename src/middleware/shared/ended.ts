/** The end of a request's signal, in the words of this library: a budget is a time-out, everything else the caller's wish. */

import { McpToolSetError } from '../../errors.ts';
import { DeadlineError } from '../../lib/abort.ts';
import type { McpRequest } from '../../types.ts';

/** `meanwhile` ends the sentence and says what was or was not sent. The signal must have aborted. */
export function ended(
  { server, signal, call }: Pick<McpRequest, 'server' | 'signal' | 'call'>,
  meanwhile: string,
): McpToolSetError {
  const reason: unknown = signal?.reason;
  const place = { server, tool: call?.tool.originalName };
  if (McpToolSetError.is(reason)) return reason.at(place);
  const late = reason instanceof DeadlineError || (reason instanceof Error && reason.name === 'TimeoutError');
  const what = late ? 'the time was up' : 'the caller ended the call';
  return new McpToolSetError(late ? 'timeout' : 'aborted', `${what} ${meanwhile}`, { ...place, cause: reason });
}
