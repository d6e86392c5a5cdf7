/** Tells of a warning once. */

import type { McpWarning } from '../report.ts';

/** Causes remembered. */
const MAX_TOLD = 1_000;

/** The same cause is told once: the same message, whatever numbers are in it. */
export function createWarner(tell: (warning: McpWarning) => void): (warning: McpWarning) => void {
  const told = new Set<string>();
  return (warning) => {
    const cause = warning.message.replace(/\d+/g, '#');
    if (told.has(cause)) return;
    if (told.size >= MAX_TOLD) told.clear();
    told.add(cause);
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
