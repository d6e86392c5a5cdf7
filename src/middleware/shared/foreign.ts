/** For a middleware that can do nothing for a tool of `wrapToolSet()`: it says so at once, when the tools are wrapped. */

import { McpToolSetError } from '../../errors.ts';
import type { ToolDefinition, Wrap } from '../../types.ts';

/** A tool that is neither a server's nor made by a middleware. */
function isForeign({ kind, run }: ToolDefinition): boolean {
  return kind === 'added' && run === undefined;
}

/** A `list` hook that changes nothing, and throws `config_invalid` for foreign tools. `why` says what to do instead. */
export function refuseForeign(middleware: string, why: string): Wrap<readonly ToolDefinition[], readonly ToolDefinition[]> {
  return async (tools, next) => {
    const foreign = tools.find(isForeign);
    if (foreign === undefined) return next(tools);
    const detail = `${middleware}() can do nothing for the tool "${foreign.originalName}" of wrapToolSet(): ${why}`;
    throw new McpToolSetError('config_invalid', detail);
  };
}
