/** Keeps only the tools whose server says that they change nothing. */

import { McpToolSetError } from '../errors.ts';
import { matchesGlob } from '../lib/glob.ts';
import type { McpMiddleware, McpRequest, ToolDefinition } from '../types.ts';
import { checkOptions, listOf, type Rule } from './options.ts';

export interface ReadOnlyOptions {
  /** Servers (keys or globs) whose hints are believed. Default: every configured one. */
  readonly trust?: readonly string[] | undefined;
  /** Tools that are permitted whatever their hints say, as globs on `server/tool` with the tool's own name. */
  readonly allow?: readonly string[] | undefined;
  /** Tools that are refused whatever else is said, as globs on `server/tool`. Wins over `allow`. */
  readonly deny?: readonly string[] | undefined;
}

const PATTERNS: Rule = listOf('patterns of the form server/tool, such as "files/read_*" or "*/delete_*"', (text) =>
  text.includes('/'),
);
const RULES: Readonly<Record<keyof ReadOnlyOptions, Rule>> = {
  trust: listOf('server keys or globs', () => true),
  allow: PATTERNS,
  deny: PATTERNS,
};

/**
 * Hides every tool that is not known to be read-only, and refuses it if it is called all the same. Fails closed: an absent hint, one that
 * is not literally `true`, and hints that contradict each other all count as "may change something". A hint is the server's claim, not a
 * proof: name in `trust` the servers that you believe.
 *
 * Hooks: `list` (what the model sees), `call` (decided anew on the definition as it is now), `request` (no `tools/call` leaves for a tool
 * that was not judged). The tools of this library (`list_resources`, `get_resource`) need no trust; a `deny` pattern that takes in any
 * server hides them too.
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
export function readOnly(options: ReadOnlyOptions = {}): McpMiddleware {
  checkOptions('readOnly', options, RULES);
  const policy: Policy = {
    trust: [...(options.trust ?? ['*'])],
    allow: [...(options.allow ?? [])],
    deny: [...(options.deny ?? [])],
  };

  function keep(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return tools.filter((tool) => objection(tool, policy) === undefined);
  }

  function check(tool: ToolDefinition): void {
    const reason = objection(tool, policy);
    if (reason !== undefined) throw refusal(reason, tool.server, tool.originalName);
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
      if (request.method === 'tools/call') check(toolBehind(request));
      return next(request);
    },
  };
}

type Policy = { readonly [Key in keyof ReadOnlyOptions]-?: readonly string[] };

function toolBehind({ call, server, params }: McpRequest): ToolDefinition {
  const tool = call?.tool;
  if (tool !== undefined && tool.server === server && tool.originalName === params.name) return tool;
  const reason = tool === undefined ? 'no tool call stands behind the request' : 'the request is for another tool than the call';
  throw refusal({ rule: reason }, server, typeof params.name === 'string' ? params.name : undefined);
}

interface Objection {
  readonly rule: string;
  /** Whether `allow` could permit it. */
  readonly allowable?: boolean;
}

/** Why a tool is not kept, or nothing. */
function objection(tool: ToolDefinition, { trust, allow, deny }: Policy): Objection | undefined {
  const denied = deny.find((pattern) => matchesTool(tool, pattern));
  if (denied !== undefined) return { rule: `it matches the deny pattern "${denied}"` };
  if (allow.some((pattern) => matchesTool(tool, pattern))) return undefined;
  const rule =
    isOurs(tool) || trust.some((pattern) => matchesGlob(tool.server, pattern))
      ? distrustHints(tool)
      : 'its server is not in trust';
  return rule === undefined ? undefined : { rule, allowable: true };
}

/** A server cannot pose as this library: `*` is no server's key, and the kind alone proves nothing. */
function isOurs({ kind, server }: ToolDefinition): boolean {
  return server === '*' && (kind === 'resource' || kind === 'prompt');
}

function distrustHints({ annotations }: ToolDefinition): string | undefined {
  // Some servers write null for "not said".
  const readOnlyHint: unknown = annotations?.readOnlyHint ?? undefined;
  const destructiveHint: unknown = annotations?.destructiveHint ?? false;
  if (readOnlyHint === undefined) return 'it has no readOnlyHint';
  if (typeof readOnlyHint !== 'boolean') return 'its readOnlyHint is neither true nor false';
  if (!readOnlyHint) return 'its readOnlyHint is false';
  if (destructiveHint !== false) return 'its hints contradict each other (readOnlyHint and destructiveHint)';
  return undefined;
}

/** Both halves have to match, so that `*` never reaches over from the server into the tool's name. Either may hold slashes of its own. */
function matchesTool({ server, originalName }: ToolDefinition, pattern: string): boolean {
  for (let slash = pattern.indexOf('/'); slash >= 0; slash = pattern.indexOf('/', slash + 1)) {
    if (matchesGlob(server, pattern.slice(0, slash)) && matchesGlob(originalName, pattern.slice(slash + 1))) return true;
  }
  return false;
}

function refusal({ rule, allowable = false }: Objection, server: string, tool: string | undefined): McpToolSetError {
  const remedy = allowable ? ` To permit it, the application lists "${server}/${tool}" in the allow option.` : '';
  const detail = `refused by readOnly, because ${rule}. Nothing was sent. Use a read-only tool instead.${remedy}`;
  return new McpToolSetError('not_allowed', detail, { server: server === '*' ? undefined : server, tool });
}
