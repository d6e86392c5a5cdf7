/** Which tools need somebody's approval: what has effects, or may have. */

import { matchesGlob } from '../../lib/glob.ts';
import type { ToolDefinition } from '../../types.ts';
import { distrustHints, isOurs } from './hints.ts';
import type { Rule } from './options.ts';
import { matchesTool, PATTERNS, SERVERS } from './patterns.ts';

export interface ApprovalPolicy {
  /** Servers (keys or globs) whose read-only tools need no approval. Default: every configured one. */
  readonly trust?: readonly string[] | undefined;
  /** Tools that always need approval, as globs on `server/tool` with the tool's own name. Wins over `never`. */
  readonly always?: readonly string[] | undefined;
  /** Tools that never do, whatever their hints say. */
  readonly never?: readonly string[] | undefined;
}

export const POLICY_RULES: Readonly<Record<keyof ApprovalPolicy, Rule>> = { trust: SERVERS, always: PATTERNS, never: PATTERNS };

/** Why a tool needs approval, or nothing when it does not. */
export type NeedsApproval = (
  tool: Pick<ToolDefinition, 'server' | 'originalName' | 'kind' | 'annotations'>,
) => string | undefined;

export function createPolicy(options: ApprovalPolicy): NeedsApproval {
  const trust = [...(options.trust ?? ['*'])];
  const always = [...(options.always ?? [])];
  const never = [...(options.never ?? [])];
  return (tool) => {
    const pattern = always.find((each) => matchesTool(tool, each));
    if (pattern !== undefined) return `it matches the pattern "${pattern}" of always`;
    if (never.some((each) => matchesTool(tool, each))) return undefined;
    if (!isOurs(tool) && !trust.some((each) => matchesGlob(tool.server, each))) return 'its server is not in trust';
    return distrustHints(tool.annotations);
  };
}
