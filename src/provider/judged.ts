/** Which calls no middleware has decided on by what a server says of its tool: those may go to a server that restarted without asking it. */

import type { ToolCall } from '../types.ts';

const free = new WeakSet<ToolCall>();

/** Marks a call on which nothing decides by definitions. A copy of it does not count. */
export function unjudged(call: ToolCall): ToolCall {
  free.add(call);
  return call;
}

export function isJudged(call: ToolCall): boolean {
  return !free.has(call);
}
