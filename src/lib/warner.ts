/** Tells of a warning once. */

import type { McpWarning } from '../report.ts';

/** The same message is told once. */
export function createWarner(tell: (warning: McpWarning) => void): (warning: McpWarning) => void {
  const told = new Set<string>();
  return (warning) => {
    if (told.has(warning.message)) return;
    told.add(warning.message);
    tell(warning);
  };
}

/** What `onWarning` stands for: `false` silences, the default is one line on the console. */
export function toTeller(onWarning: false | ((warning: McpWarning) => void) | undefined): (warning: McpWarning) => void {
  return (warning) => {
    try {
      // biome-ignore lint/suspicious/noConsole: the one default that speaks, so that nothing goes wrong in silence
      if (onWarning === undefined) console.warn(`[mcp-tool-set] ${warning.message}`);
      else if (onWarning !== false) Promise.resolve(onWarning(warning)).catch(() => {});
    } catch {
      // An observer's fault is not the work's fault.
    }
  };
}
