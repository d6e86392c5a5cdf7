/** Keeps only the tools whose server says that they change nothing. */

import { McpToolSetError } from '../errors.ts';
import { matchesGlob } from '../lib/glob.ts';
import type { ToolDefinition } from '../types.ts';
import type { ExplainingMiddleware } from './shared/explain.ts';
import { distrustHints, isOurs } from './shared/hints.ts';
import { aBoolean, checkOptions, type Rule } from './shared/options.ts';
import { matchesTool, PATTERNS, SERVERS } from './shared/patterns.ts';
import { type Destination, toolBehind } from './shared/tool-behind.ts';

export interface ReadOnlyOptions {
  /** Servers (keys or globs) whose hints are believed. Default: every configured one. */
  readonly trust?: readonly string[] | undefined;
  /** Tools that are permitted whatever their hints say, as globs on `server/tool` with the tool's own name. */
  readonly allow?: readonly string[] | undefined;
  /** Tools that are refused whatever else is said, as globs on `server/tool`. Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
  /**
   * Whether tools that fetch prompts are kept. Default false: MCP has no hint for a prompt, so nothing says what fetching one does, and
   * its text is the server's own instructions to the model. With `true` they need no hint, but a false one still counts.
   */
  readonly prompts?: boolean | undefined;
}

const RULES: Readonly<Record<keyof ReadOnlyOptions, Rule>> = {
  trust: SERVERS,
  allow: PATTERNS,
  deny: PATTERNS,
  prompts: aBoolean,
};

/**
 * Hides every tool that is not known to be read-only, and refuses it if it is called all the same. Fails closed: an absent hint, one that
 * is not literally `true`, and hints that contradict each other all count as "may change something". A hint is the server's claim, not a
 * proof: name in `trust` the servers that you believe.
 *
 * Hooks: `list` (what the model sees), `call` (decided anew on the definition as it is now), `request` (no `tools/call` leaves for a tool
 * that was not judged). First in the recommended order. The tools of this library (`list_resources`, `get_resource`) need no trust; a
 * `deny` pattern that takes in any server hides them too. In `wrapToolSet` a tool's hints come from its `metadata.annotations` or from
 * `annotate`, and its server is `tools` unless you name another.
 *
 * Throws `config_invalid` at once; a refused call fails with `not_allowed`, which names the rule. Nothing is sent then.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [readOnly({ trust: ['docs', 'files'], allow: ['files/list_allowed_directories'], deny: ['docs/*secret*'] })],
 * });
 * ```
 */
export function readOnly(options: ReadOnlyOptions = {}): ExplainingMiddleware {
  checkOptions('readOnly', options, RULES);
  const policy: Policy = {
    trust: [...(options.trust ?? ['*'])],
    allow: [...(options.allow ?? [])],
    deny: [...(options.deny ?? [])],
    prompts: options.prompts ?? false,
  };

  function keep(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return tools.filter((tool) => objection(tool, policy) === undefined);
  }

  function check(tool: ToolDefinition): void {
    const reason = objection(tool, policy);
    if (reason !== undefined) throw refusal(reason, tool);
  }

  return {
    name: 'readOnly',
    // Twice, because a middleware further in may add or change definitions.
    async list(tools, next) {
      return keep(await next(keep(tools)));
    },
    async call(call, next) {
      check(call.tool);
      return next(call);
    },
    // Only `tools/call` runs a tool: the calls of resource and prompt tools send resources/* and prompts/* alone, which read by
    // definition. So a `tools/call` must be for the very tool that was judged, whatever a hook further in did to either of them.
    async request(request, next) {
      if (request.method === 'tools/call') check(toolBehind(request, (rule, destination) => refusal({ rule }, destination)));
      return next(request);
    },
    explain: (tool) => objection(tool, policy)?.rule,
  };
}

type Policy = { readonly [Key in keyof ReadOnlyOptions]-?: NonNullable<ReadOnlyOptions[Key]> };

interface Objection {
  readonly rule: string;
  /** Whether `allow` could permit it. */
  readonly allowable?: boolean;
}

/** Why a tool is not kept, or nothing. */
function objection(tool: ToolDefinition, { trust, allow, deny, prompts }: Policy): Objection | undefined {
  const denied = deny.find((pattern) => matchesTool(tool, pattern));
  if (denied !== undefined) return { rule: `it matches the deny pattern "${denied}"` };
  if (allow.some((pattern) => matchesTool(tool, pattern))) return undefined;
  const rule = distrust(tool, trust, prompts);
  return rule === undefined ? undefined : { rule, allowable: true };
}

function distrust(tool: ToolDefinition, trust: readonly string[], prompts: boolean): string | undefined {
  const { kind, server, annotations } = tool;
  if (kind === 'prompt' && !prompts) return 'it fetches a prompt, and the option prompts is not true';
  if (!isOurs(tool) && !trust.some((pattern) => matchesGlob(server, pattern))) return 'its server is not in trust';
  const assumed = kind === 'prompt' ? { ...annotations, readOnlyHint: annotations?.readOnlyHint ?? true } : annotations;
  return distrustHints(assumed);
}

function refusal({ rule, allowable = false }: Objection, { server, originalName: tool }: Destination): McpToolSetError {
  const remedy = allowable ? ` To permit it, the application lists "${server}/${tool}" in the allow option.` : '';
  const detail = `refused by readOnly, because ${rule}. Nothing was sent. Use a read-only tool instead.${remedy}`;
  return new McpToolSetError('not_allowed', detail, { server: server === '*' ? undefined : server, tool });
}
