/** Runs the `list` middleware and finds out what each of them took away. */

import { McpToolSetError } from '../errors.ts';
import { compose } from '../lib/compose.ts';
import type { ToolNote } from '../report.ts';
import type { McpMiddleware, ToolDefinition, Wrap } from '../types.ts';

type ListHook = Wrap<readonly ToolDefinition[], readonly ToolDefinition[]>;

/** The definitions that come out, and a `hidden` note for each one that a middleware left out. */
export async function runListChain(
  middleware: readonly McpMiddleware[],
  tools: readonly ToolDefinition[],
): Promise<{ readonly tools: readonly ToolDefinition[]; readonly hidden: readonly ToolNote[] }> {
  const hidden: ToolNote[] = [];
  const watched = middleware.map((each) => each.list && watch(each, each.list, hidden));
  const result = await compose<readonly ToolDefinition[], readonly ToolDefinition[]>(watched, async (last) => last)(tools);
  return { tools: result, hidden };
}

/** A hook can hide on the way in (what it hands to `next`) and on the way out (what it returns). */
function watch(middleware: McpMiddleware, hook: ListHook, hidden: ToolNote[]): ListHook {
  const { name } = middleware;
  return async (input, next) => {
    let handed: readonly ToolDefinition[] = [];
    let returned: readonly ToolDefinition[] = [];
    const output = await hook(input, async (changed) => {
      handed = changed;
      returned = await next(changed);
      return returned;
    });
    checkList(name, output);
    const kept = keys(output);
    const passed = keys(handed);
    const gone = [...input.filter((tool) => !passed.has(key(tool))), ...returned.filter((tool) => !kept.has(key(tool)))];
    for (const tool of gone) {
      const { server, originalName } = tool;
      const rule = middleware.explain?.(tool);
      hidden.push({ server, originalName, what: 'hidden', why: `by ${name}`, ...(rule !== undefined && { rule }) });
    }
    return output;
  };
}

/** What a policy returns must never be guessed at. */
function checkList(name: string, output: unknown): void {
  const isDefinition = (tool: unknown): boolean =>
    typeof tool === 'object' && tool !== null && 'name' in tool && 'inputSchema' in tool;
  if (Array.isArray(output) && output.every(isDefinition)) return;
  throw new McpToolSetError(
    'config_invalid',
    `the \`list\` hook of the middleware "${name}" returned no list of tool definitions. Return what \`next\` gave, or a changed copy.`,
  );
}

/** Policy is keyed on server and original name; the display name may change on the way. */
const key = ({ server, originalName }: ToolDefinition): string => JSON.stringify([server, originalName]);
const keys = (tools: readonly ToolDefinition[]): Set<string> => new Set(tools.map(key));
