/** What a record carries beside its tools: the report, and its end. */

import type { McpToolProvider } from './api.ts';
import { McpToolSetError } from './errors.ts';
import type { ToolSetReport } from './report.ts';

/** Symbols, because every string key would be a tool; enumerable, so that `{ ...tools, own }` keeps them. */
export const REPORT: unique symbol = Symbol.for('mcp-tool-set.report');
/** Runtimes without explicit resource management get a symbol of their own, never a tool called "undefined". */
export const DISPOSE: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

/** What `inspectToolSet` gives: the report, and the provider behind the record. */
export interface ToolSetInspection extends ToolSetReport {
  readonly provider: McpToolProvider;
}

/**
 * What is behind a record: each server's status, what was dropped, filtered, hidden or renamed and why, and the provider.
 *
 * Throws `config_invalid` for a record that this library did not make.
 *
 * @example
 * ```ts
 * const { servers, notes } = inspectToolSet(tools);
 * if (servers.docs?.state !== 'connected') console.error(servers.docs?.error?.message);
 * ```
 */
export function inspectToolSet(tools: object): ToolSetInspection {
  const report = (tools as { [REPORT]?: ToolSetInspection } | undefined)?.[REPORT];
  if (report !== undefined) return report;
  throw new McpToolSetError(
    'config_invalid',
    'this is no record of createMcpToolSet() or provider.tools(), nor a spread of one.',
  );
}

/**
 * Ends a set at once: connections, sessions and child processes. Not needed for correctness: what is idle ends by itself. A record
 * of `provider.tools()` owns nothing, so closing it ends the record alone. Closing twice is fine.
 *
 * @example
 * ```ts
 * await closeToolSet(tools);
 * ```
 */
export async function closeToolSet(tools: object): Promise<void> {
  const dispose = (tools as { [DISPOSE]?: () => Promise<void> } | undefined)?.[DISPOSE];
  if (dispose === undefined) inspectToolSet(tools);
  await dispose?.();
}
