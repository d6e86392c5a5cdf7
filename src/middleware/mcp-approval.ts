/** Approval of MCP calls by the AI SDK: what `toolApproval` of ai 7 takes. */

import type { ToolAnnotations, ToolDefinition } from '../types.ts';
import { type ApprovalPolicy, createPolicy, type NeedsApproval, POLICY_RULES } from './shared/approval-policy.ts';
import { checkOptions } from './shared/options.ts';

/** What ai 7 asks about. */
export interface McpApprovalRequest {
  readonly toolCall: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: unknown;
    readonly toolMetadata?: unknown;
  };
  readonly tools?: object | undefined;
  readonly toolsContext?: unknown;
  readonly messages: readonly unknown[];
}

/** What ai 7 makes of it: the call is made, or the user is asked. */
export type McpApprovalStatus = 'not-applicable' | { readonly type: 'user-approval'; readonly reason?: string };

interface AiTool {
  readonly metadata?: unknown;
  readonly needsApproval?: unknown;
}

/**
 * For `toolApproval` of `generateText`, `streamText` and agents in ai 7: the user is asked about each MCP call that may change something, by
 * the hints in the tool's metadata. The same policy as `approval()`: whatever is not marked read-only by a server in `trust`, and what
 * `always` names. The `reason` says why. Works on this library's tools and on those of `@ai-sdk/mcp`, where the client's name stands
 * for the server. Tools that are not MCP's keep their own `needsApproval`, which call-level approval would switch off otherwise.
 *
 * It sees hints as they were listed: put `approval({ mark: true })` or `readOnly()` among the middleware to have them judged again at
 * the call. Fails closed: an own `needsApproval` that throws has the user asked. In ai 6 there is no `toolApproval`; use `mark` there.
 *
 * Throws `config_invalid` at once for bad options.
 *
 * @example
 * ```ts
 * await generateText({ model, tools, prompt, toolApproval: mcpApproval({ trust: ['docs'], always: ['files/*'] }) });
 * ```
 */
export function mcpApproval(policy: ApprovalPolicy = {}): (request: McpApprovalRequest) => Promise<McpApprovalStatus> {
  checkOptions('mcpApproval', policy, POLICY_RULES);
  const needsApproval = createPolicy(policy);

  return async function approveMcpCall(request) {
    const { toolCall, tools } = request;
    const tool = tools === undefined ? undefined : ownTool(tools, toolCall.toolName);
    // A call may come from the client's history, so the record knows better.
    const reason = ofMcp(tools === undefined ? toolCall.toolMetadata : tool?.metadata, needsApproval);
    if (reason !== undefined) return { type: 'user-approval', reason: `${reason}.` };
    return (await ownApproval(tool?.needsApproval, request)) ? { type: 'user-approval' } : 'not-applicable';
  };
}

function ownTool(tools: object, name: string): AiTool | undefined {
  return Object.hasOwn(tools, name) ? (tools as Readonly<Record<string, AiTool | undefined>>)[name] : undefined;
}

/** Why an MCP tool needs approval. */
function ofMcp(metadata: unknown, needsApproval: NeedsApproval): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { server, clientName, toolName, annotations, kind } = metadata as Readonly<Record<string, unknown>>;
  const key = server ?? clientName;
  if (typeof key !== 'string' || typeof toolName !== 'string') return undefined;
  return needsApproval({
    server: key,
    originalName: toolName,
    kind: kind as ToolDefinition['kind'],
    annotations: annotations as ToolAnnotations | undefined,
  });
}

/** As the AI SDK itself decides where it is given no `toolApproval`. */
async function ownApproval(needsApproval: unknown, request: McpApprovalRequest): Promise<boolean> {
  if (typeof needsApproval !== 'function') return Boolean(needsApproval);
  const { toolCall, toolsContext, messages } = request;
  const { toolName, toolCallId, input } = toolCall;
  const context = typeof toolsContext === 'object' && toolsContext !== null ? ownTool(toolsContext, toolName) : undefined;
  try {
    return Boolean(await needsApproval(input, { toolCallId, messages, context }));
  } catch {
    return true;
  }
}
