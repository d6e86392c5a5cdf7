/** The public shapes of a provider: what it is made from, and what it does. */

import type { McpWarning } from './report.ts';
import type { ResourceToolsOptions } from './resources/resource-tools.ts';
import type { FetchLike, ServerConfig, Timeouts } from './servers.ts';
import type { McpToolSet } from './tools/ai-tool.ts';
import type { CallToolResult, McpMiddleware, Principal, ToolCall, ToolDefinition, ToolFilter } from './types.ts';

/** Options of `createMcpToolProvider`; those of `createMcpToolSet` add `signal`. Unknown ones throw `config_invalid`. */
export interface McpToolProviderOptions {
  /** By key; the key stands in tool names, rows, errors and spans. */
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** All must agree; asked before any renaming. */
  readonly filter?: ToolFilter | readonly ToolFilter[] | undefined;
  /** Default `prefixed`: `server_tool`. Not together with `mapTool`. */
  readonly toolName?: 'prefixed' | 'original' | ((tool: ToolDefinition) => string) | undefined;
  /** Changes what the model sees of a tool; it comes with its default name. Not together with `toolName`. */
  readonly mapTool?: ((tool: ToolDefinition) => ToolDefinition) | undefined;
  /** `list_resources` and `get_resource`, present when some server has resources. Default true. */
  readonly resources?: boolean | ResourceToolsOptions | undefined;
  /** First listed is outermost. */
  readonly middleware?: readonly McpMiddleware[] | undefined;
  /** Default `skip`: go on with the others and say so in the report. A server's `required: true` overrides it. */
  readonly onServerError?: 'skip' | 'throw' | undefined;
  /** Default: one line for each cause through `console.warn`; `false` silences. */
  readonly onWarning?: false | ((warning: McpWarning) => void) | undefined;
  /** Whose calls these are. */
  readonly principal?: Principal | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** What the model reads when a request has no answer in time. */
  readonly timeoutMessage?: string | undefined;
  /** Default `auto`; a date such as `2025-06-18` pins the protocol revision. */
  readonly protocol?: string | undefined;
  /** How this client calls itself to servers. */
  readonly clientInfo?: { readonly name: string; readonly version: string; readonly title?: string | undefined } | undefined;
  /** For every server without one of its own. */
  readonly fetch?: FetchLike | undefined;
  /** Milliseconds a listing counts as fresh where the server does not tell of changes. Default 60 000; 0 = always ask. */
  readonly listTtl?: number | undefined;
  /** Changes a result before the model, and the application, sees it. */
  readonly mapResult?: ((result: CallToolResult, call: ToolCall) => CallToolResult | Promise<CallToolResult>) | undefined;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** What one request may have of its own. */
export interface ToolsOptions {
  readonly principal?: Principal | undefined;
  /** Only these servers. */
  readonly servers?: readonly string[] | undefined;
  /** On top of the provider's. */
  readonly filter?: ToolFilter | readonly ToolFilter[] | undefined;
  /** Outside the provider's. */
  readonly middleware?: readonly McpMiddleware[] | undefined;
  /** Ends the listing; calls have the AI SDK's own signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createMcpToolSet`: a provider's, and a signal that ends the loading. */
export interface McpToolSetOptions extends McpToolProviderOptions {
  /** Aborts connecting and listing; an aborted load leaves no process and no socket. */
  readonly signal?: AbortSignal | undefined;
}

/** Made by `createMcpToolProvider`. */
export interface McpToolProvider {
  /**
   * The tools as one AI SDK record. Connects and lists what is missing or stale; the rest comes from memory.
   *
   * Throws `closed`, `name_conflict`, `config_invalid`, `aborted`, and a server's own error where that server is required.
   */
  tools(options?: ToolsOptions): Promise<McpToolSet>;
  /** The next `tools()` asks this server (or every one) anew. */
  refresh(server?: string): void;
  /** Ends everything that the provider opened. Calls after it fail with `closed`. Closing twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
