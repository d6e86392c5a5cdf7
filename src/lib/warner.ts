/** Tells of a warning once. */

import type { McpWarning } from '../report.ts';

/** The same message is told once. `false` silences; the default is one line on the console. */
export function createWarner(onWarning: false | ((warning: McpWarning) => void) | undefined): (warning: McpWarning) => void {
  const told = new Set<string>();
  return (warning) => {
    if (onWarning === false || told.has(warning.message)) return;
    told.add(warning.message);
    try {
      if (onWarning !== undefined) onWarning(warning);
      // biome-ignore lint/suspicious/noConsole: the one default that speaks, so that nothing goes wrong in silence
      else console.warn(`[mcp-tool-set] ${warning.message}`);
    } catch {
      // An observer's fault is not the work's fault.
    }
  };
}
