/** Has somebody approve of a call before it is made. */

import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import { invalid } from '../lib/issues.ts';
import type { McpMiddleware, ToolCall, ToolDefinition } from '../types.ts';
import { type ApprovalPolicy, createPolicy, POLICY_RULES } from './shared/approval-policy.ts';
import { ended } from './shared/ended.ts';
import { aDuration } from './shared/numbers.ts';
import { aFunction, checkOptions, type Rule } from './shared/options.ts';
import { type Destination, toolBehind } from './shared/tool-behind.ts';

export interface ApprovalOptions extends ApprovalPolicy {
  /** Asked before a call: only `true` lets it be made. `call.signal` aborts when the answer is no longer wanted. Either this or `mark`. */
  readonly ask?: ((call: ToolCall) => boolean | Promise<boolean>) | undefined;
  /** Sets `needsApproval` on the AI SDK's tools, so that the AI SDK asks the user. */
  readonly mark?: true | undefined;
  /** How many milliseconds `ask` may take; then the call is refused. Default 300 000; 0 = as long as the call. */
  readonly timeout?: number | undefined;
}

const RULES: Readonly<Record<keyof ApprovalOptions, Rule>> = {
  ...POLICY_RULES,
  ask: aFunction,
  mark: { phrase: 'true', test: (value) => value === true },
  timeout: aDuration(0),
};

/** Goes with a call that was approved; says of which tool. Known to nobody else, and copied with the call. */
const APPROVED: unique symbol = Symbol('mcp-tool-set.approved');

type Approved = ToolCall & { readonly [APPROVED]?: string | undefined };

/**
 * Calls of tools that may change something need approval: whatever is not marked read-only by a server in `trust`, and what `always`
 * names. With `ask`, a function is asked at each call, and sees the arguments as the model gave them. With `mark`, the AI SDK's tools
 * get `needsApproval`, and it asks the user, in either major; a tool that was listed as read-only and no longer is, is refused. In ai 7,
 * `mcpApproval()` does the same for a whole `generateText`, without this.
 *
 * Hooks: `list` (marks; and so hints that come from a snapshot are verified before a call), `call` (asks, on the hints of that moment),
 * `request` (no `tools/call` leaves for a tool that was not approved). Third in the recommended order, after `readOnly` and `pin`: nobody is
 * asked about what is refused anyway, and a call is asked about once, however often `retry` sends it.
 *
 * Fails closed: a call that is refused, or whose `ask` throws, gives anything but `true`, or takes longer than `timeout`, fails with
 * `not_allowed`, and nothing is sent. Its own signal ends the wait at once. Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * const asked = approval({ never: ['files/create_directory'], ask: ({ tool, input }) => confirm(`${tool.name} ${JSON.stringify(input)}`) });
 * const tools = await createMcpToolSet({ servers, middleware: [asked] });
 * ```
 */
export function approval(options: ApprovalOptions): McpMiddleware {
  checkOptions('approval', options, RULES);
  const { ask, timeout = 300_000 } = options;
  if ((ask === undefined) === (options.mark === undefined)) {
    throw invalid('The options of approval()', [{ path: '', message: 'must have either `ask` or `mark`.' }]);
  }
  const needsApproval = createPolicy(options);

  function mark(tool: ToolDefinition): ToolDefinition {
    if (needsApproval(tool) !== undefined) return { ...tool, ai: { ...tool.ai, needsApproval: true } };
    // Says that it was looked at. A foreign tool may have a say of its own, which this would replace.
    if (tool.kind !== 'tool' || tool.ai?.needsApproval !== undefined) return tool;
    return { ...tool, ai: { ...tool.ai, needsApproval: false } };
  }

  /** A tool without a mark came from the application itself, which needs nobody's approval. */
  function checkMark(tool: ToolDefinition): void {
    const rule = needsApproval(tool);
    if (rule === undefined || tool.ai?.needsApproval !== false) return;
    throw refusal(`${rule}, which it did not when it was listed, so nobody was asked`, tool);
  }

  return {
    name: 'approval',
    async list(tools, next) {
      const listed = await next(tools);
      return ask === undefined ? listed.map(mark) : listed;
    },
    async call(call, next) {
      if (ask === undefined) checkMark(call.tool);
      else if (needsApproval(call.tool) !== undefined) {
        // What is sent is what was approved, whoever changes the arguments meanwhile.
        const input = copyOf(call.input);
        await askInTime(ask, { ...call, input: copyOf(input) }, timeout);
        const approved: Approved = { ...call, input, [APPROVED]: keyOf(call.tool) };
        return next(approved);
      }
      return next(call);
    },
    async request(request, next) {
      if (request.method === 'tools/call') {
        const tool = toolBehind(request, refusal);
        if (ask === undefined) checkMark(tool);
        else if (needsApproval(tool) !== undefined && (request.call as Approved)[APPROVED] !== keyOf(tool)) {
          throw refusal('nobody was asked about this tool', tool);
        }
      }
      return next(request);
    },
  };
}

/** Resolves when the call may be made. */
async function askInTime(ask: NonNullable<ApprovalOptions['ask']>, call: ToolCall, timeout: number): Promise<void> {
  if (call.signal?.aborted) throw interrupted(call);
  const scope = openScope({ parents: [call.signal], budget: timeout });
  const { signal } = scope;
  try {
    // In an async function, so that what it throws at once is caught with the rest.
    const answer: unknown = await abortable((async () => ask({ ...call, signal }))(), signal);
    if (answer === true) return;
    throw refusal(answer === false ? 'it was not approved' : 'the ask function gave neither true nor false', call.tool);
  } catch (error) {
    if (call.signal?.aborted) throw interrupted(call);
    if (McpToolSetError.is(error) && error.code === 'not_allowed') throw error;
    if (signal.aborted) throw refusal(`nobody approved of it within ${timeout} ms`, call.tool);
    throw refusal('asking for approval failed', call.tool, error);
  } finally {
    scope.release();
  }
}

/** Arguments of a model are JSON; what is no data cannot be copied, and is the application's own. */
function copyOf(input: ToolCall['input']): ToolCall['input'] {
  try {
    return structuredClone(input);
  } catch {
    return input;
  }
}

const keyOf = ({ server, originalName }: ToolDefinition): string => JSON.stringify([server, originalName]);

function interrupted(call: ToolCall): McpToolSetError {
  const { server, originalName: tool } = call.tool;
  const { code, detail, cause } = ended({ server, signal: call.signal, call }, 'while it waited for approval. Nothing was sent.');
  return new McpToolSetError(code, detail, { server: server === '*' ? undefined : server, tool, cause });
}

function refusal(rule: string, { server, originalName: tool }: Destination, cause?: unknown): McpToolSetError {
  const detail = `refused by approval, because ${rule}. Nothing was sent. Do not repeat the call unless the user wants it.`;
  return new McpToolSetError('not_allowed', detail, { server: server === '*' ? undefined : server, tool, cause });
}
