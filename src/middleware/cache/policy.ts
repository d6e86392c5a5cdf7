/** Which tools' answers are kept. */

import { matchesGlob } from '../../lib/glob.ts';
import type { ToolDefinition } from '../../types.ts';
import { distrustHints } from '../shared/hints.ts';
import { matchesTool } from '../shared/patterns.ts';

export interface PolicyOptions {
  /** Tools with an `idempotentHint` too: the second of two equal writes is not sent. Default false. */
  readonly idempotent?: boolean | undefined;
  /** Servers (keys or globs) whose hints are believed. Default: every configured one. */
  readonly trust?: readonly string[] | undefined;
  /** Tools whose answers are kept whatever their hints say, as globs on `server/tool`. */
  readonly allow?: readonly string[] | undefined;
  /** Tools whose answers are never kept. Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

/** Decides by what a tool says of itself now, and by patterns. */
export function createPolicy({
  idempotent = false,
  trust = ['*'],
  allow = [],
  deny = [],
}: PolicyOptions): (tool: ToolDefinition) => boolean {
  const lists = { trust: [...trust], allow: [...allow], deny: [...deny] };
  return (tool) => {
    const matches = (pattern: string): boolean => matchesTool(tool, pattern);
    if (lists.deny.some(matches)) return false;
    if (lists.allow.some(matches)) return true;
    if (tool.run !== undefined || !lists.trust.some((pattern) => matchesGlob(tool.server, pattern))) return false;
    return distrustHints(tool.annotations) === undefined || (idempotent && tool.annotations?.idempotentHint === true);
  };
}
