/** What a provider tells of while it works. */

import type { McpToolSetError } from './errors.ts';
import type { McpWarning } from './report.ts';
import type { CallToolResult, McpRequest, McpResult, Principal, ProtocolEra, ToolCall } from './types.ts';

/** Where it happened, and for whom. */
interface Place {
  /** The server's key. */
  readonly server: string;
  readonly principal: Principal | undefined;
}

interface RequestEvent extends Place {
  readonly request: McpRequest;
  /** The tool call that caused it; absent for handshakes, listings and health checks. */
  readonly call: ToolCall | undefined;
}

/**
 * The events of `provider.on(name, listener)`. Those of requests come from inside the middleware, one for each attempt; those of calls
 * from outside it, one for each call that the model made. They hold arguments and results: what of it is logged is the listener's choice.
 */
export interface McpEvents {
  /** A tool call begins. */
  readonly call: { readonly call: ToolCall };
  readonly call_result: { readonly call: ToolCall; readonly result: CallToolResult; readonly milliseconds: number };
  readonly call_error: { readonly call: ToolCall; readonly error: unknown; readonly milliseconds: number };
  /** A request is about to go to its server: handshake, ping, tools/*, resources/*, prompts/*, completion/complete. */
  readonly request: RequestEvent;
  /** It was answered; `result` is the JSON-RPC result as it came. */
  readonly request_result: RequestEvent & { readonly result: McpResult; readonly milliseconds: number };
  readonly request_error: RequestEvent & { readonly error: McpToolSetError; readonly milliseconds: number };
  /** The server sent a notification. */
  readonly notification: Place & { readonly method: string; readonly params: unknown };
  /** A connection stands. `generation` counts the connections that this server and principal have had. */
  readonly connected: Place & { readonly generation: number; readonly era: ProtocolEra; readonly version: string | undefined };
  /** A connection is gone; the next use opens another. `error` is why, where that is known. */
  readonly disconnected: Place & { readonly generation: number; readonly error: McpToolSetError | undefined };
  /** A connection that had state on its server was replaced: that state is gone. */
  readonly session_reset: Place;
  /** The server said that a list of its has changed; the next `tools()` asks for it. */
  readonly list_changed: Place & { readonly list: 'tools' | 'resources' | 'prompts' };
  readonly warning: McpWarning;
}

export type McpEventName = keyof McpEvents;
