/** Lets only those tools through that are what they were when somebody approved of them. */

import { McpToolSetError } from '../errors.ts';
import { invalid } from '../lib/issues.ts';
import type { ToolDefinition } from '../types.ts';
import { type Drift, driftFrom, withListed } from './pin/drift.ts';
import { type Entry, entryOf, type PinLock, prefixOf, readLock, toLock } from './pin/lock.ts';
import { isOwn, withOffered } from './pin/offered.ts';
import { createTeller, type PinDrift, REMOVED } from './pin/teller.ts';
import type { ExplainingMiddleware } from './shared/explain.ts';
import { aFunction, checkOptions, type Rule } from './shared/options.ts';
import { type Destination, toolBehind } from './shared/tool-behind.ts';

export interface PinOptions {
  /** What `lockOf`, `lock()` or the AI SDK's `fingerprintTools` gave. `{}` knows no tool. */
  readonly lock: PinLock;
  /** Default `block`: what has changed is hidden and refused. `warn`: it passes, and `onChange` is told. */
  readonly onDrift?: 'block' | 'warn' | undefined;
  /** Told once of each change. What it throws is of no consequence. */
  readonly onChange?: ((drift: PinDrift) => unknown) | undefined;
}

export interface PinMiddleware extends ExplainingMiddleware {
  /** The lock of the tools that came to it last, whether or not they passed. */
  lock(): Promise<PinLock>;
}

const RULES: Readonly<Record<keyof PinOptions, Rule>> = {
  lock: {
    phrase: 'a lock, as lockOf() or the AI SDK’s fingerprintTools() gives it, or {}',
    test: (value) => readLock(value) !== undefined,
    required: true,
  },
  onDrift: { phrase: '"block" or "warn"', test: (value) => value === 'block' || value === 'warn' },
  onChange: aFunction,
};

/**
 * Holds servers to what their tools were when the lock was made: title, description, input and output schema, annotations, and the server's
 * instructions, each by a SHA-256 over canonical JSON, so the order of tools and keys does not matter and one changed default value
 * does. A tool that the lock does not know counts as changed, and so does one with a new name. `_meta` and icons are not looked at. What
 * a mapper or another middleware makes of a tool is the application's own and changes nothing; tools that the application adds, and the
 * resource tools, pass.
 *
 * Hooks: `list` (what the model sees), `call` (judged anew on what the server says now), `request` (no `tools/call` leaves for a tool that
 * was not judged). Second in the recommended order, after `readOnly`. Works on the tools of `wrapToolSet`, under its server's name.
 *
 * A lock that `fingerprintTools` made covers description, input schema and title, goes by the names that the model sees, and knows no tool
 * of `provider.callTool`.
 *
 * Throws `config_invalid` at once; a refused call fails with `not_allowed`, which names what changed, as `data.fields` too. Nothing is sent
 * then.
 *
 * @example
 * ```ts
 * const lock = JSON.parse(await readFile('mcp.lock.json', 'utf8')); // await lockOf(await listMcpTools(servers))
 * const tools = await createMcpToolSet({ servers, middleware: [readOnly(), pin({ lock, onChange: (drift) => alert(drift) })] });
 * ```
 */
export function pin(options: PinOptions): PinMiddleware {
  checkOptions('pin', options, RULES);
  const { onDrift = 'block', onChange } = options;
  if (onDrift === 'warn' && onChange === undefined) {
    throw invalid('The options of pin()', [
      { path: 'onChange', message: 'is missing; with onDrift "warn" nobody else is told.' },
    ]);
  }
  const lock = readLock(options.lock) ?? { tools: new Map(), shown: new Map() };
  const tell = createTeller(onChange);
  const rules = new WeakMap<ToolDefinition, string>();
  const seen = new Map<string, readonly ToolDefinition[]>();

  async function sift(tools: readonly ToolDefinition[]): Promise<readonly ToolDefinition[]> {
    const drifts = await Promise.all(tools.map((tool) => driftFrom(lock, tool)));
    const kept = tools.filter((tool, index) => {
      const drift = drifts[index];
      if (drift !== undefined) tell(drift, tool);
      if (drift === undefined || onDrift === 'warn') return true;
      rules.set(tool, drift.rule);
      return false;
    });
    return Promise.all(kept.map((tool) => withListed(lock, withOffered(tool))));
  }

  function note(tools: readonly ToolDefinition[]): void {
    const theirs = tools.filter((tool) => !isOwn(tool));
    for (const server of new Set(theirs.map((tool) => tool.server))) {
      const own = theirs.filter((tool) => tool.server === server);
      seen.set(server, own);
      const prefix = prefixOf(server);
      const gone = new Set([...lock.tools.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
      for (const { originalName } of own) gone.delete(originalName);
      for (const originalName of gone) tell(REMOVED, { server, originalName });
    }
    const gone = [...lock.shown.keys()].filter((name) => !theirs.some((tool) => tool.name === name));
    if (theirs.length > 0) for (const originalName of gone) tell(REMOVED, { originalName });
  }

  async function check(tool: ToolDefinition): Promise<void> {
    const drift = await driftFrom(lock, tool);
    if (drift === undefined) return;
    tell(drift, tool);
    if (onDrift === 'block') throw refusal(drift, tool);
  }

  return {
    name: 'pin',
    // Twice, because a middleware further in may put other tools in.
    async list(tools, next) {
      note(tools);
      return sift(await next(await sift(tools)));
    },
    async call(call, next) {
      await check(call.tool);
      return next(call);
    },
    async request(request, next) {
      if (request.method === 'tools/call' && onDrift === 'block') {
        await check(toolBehind(request, (rule, place) => refusal({ rule, what: 'changed', fields: [] }, place)));
      }
      return next(request);
    },
    explain: (tool) => rules.get(tool),
    async lock() {
      const entries = await Promise.all([...seen.values()].flat().map(entryOf));
      return toLock(entries.flatMap((entry): readonly Entry[] => entry ?? []));
    },
  };
}

function refusal({ rule, what, fields }: Omit<Drift, 'state'>, { server, originalName: tool }: Destination): McpToolSetError {
  const detail = `refused by pin, because ${rule}. Nothing was sent. Use another tool. If that is as it should be, the application makes its lock anew.`;
  return new McpToolSetError('not_allowed', detail, { server, tool, data: { what, fields } });
}
