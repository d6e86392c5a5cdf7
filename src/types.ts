/** The words everything else uses: MCP's shapes, tools, calls and middleware. */

import type { McpHandlers } from './handlers.ts';

// ── MCP ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A JSON Schema, as the server sent it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Hints of a tool about itself. Every one is a claim of the server, not a proof. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
  readonly [key: string]: unknown;
}

export interface TextResourceContents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text: string;
  readonly [key: string]: unknown;
}

export interface BlobResourceContents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  /** Base64. */
  readonly blob: string;
  readonly [key: string]: unknown;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

/** One block of a result. A server may send others; they are carried and described, never dropped. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly [key: string]: unknown }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string; readonly [key: string]: unknown }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly [key: string]: unknown }
  | { readonly type: 'resource'; readonly resource: ResourceContents; readonly [key: string]: unknown };

/** The result of `tools/call`, as the server sent it. It is the tool's output in the AI SDK; `_meta` stays with the application. */
export interface CallToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** The result of any request. */
export type McpResult = Readonly<Record<string, unknown>>;

export type ProtocolEra = 'legacy' | 'modern';

// ── Identity ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whose calls these are. Two principals never share a session, a header or a cached answer. */
export interface Principal {
  /** Stable and unique per user (or tenant): the key of connections and caches. */
  readonly id: string;
  /** Sent with every HTTP request of this principal, after the server's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For middleware: roles, tenant, plan. Never sent. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

// ── Tools and the pipeline ───────────────────────────────────────────────────────────────────────────────────────────

/** One hook of a middleware: do something, call `next` (or not, or again, or with a changed copy), do something. */
export type Wrap<I, O> = (input: I, next: (input: I) => Promise<O>) => Promise<O>;

/**
 * One middleware. The first listed is the outermost within a kind; all `call` hooks run outside all `request` hooks. Inputs are
 * immutable: hand on a changed copy.
 */
export interface McpMiddleware {
  readonly name: string;
  /** Sees every definition before it becomes a tool: filter, rename, rewrite, add. Runs when a listing changes. */
  readonly list?: Wrap<readonly ToolDefinition[], readonly ToolDefinition[]> | undefined;
  /** Wraps one tool call as the model made it (server tools and resource tools alike). */
  readonly call?: Wrap<ToolCall, CallToolResult> | undefined;
  /** Wraps one request to one server: handshake, ping, tools/*, resources/*, prompts/*, completion/complete. */
  readonly request?: Wrap<McpRequest, McpResult> | undefined;
  /**
   * Told of each connection that stands; what it returns is told of its end, and of the error that ended it, if one did. It only looks
   * on: what it throws is ignored. For the provider's own middleware, not for that of one `tools()`.
   */
  readonly connection?: ((opened: McpConnection) => ((error?: unknown) => void) | undefined) | undefined;
  /** Why its `list` hook hides a tool, for the report; nothing where it does not. */
  readonly explain?: ((tool: ToolDefinition) => string | undefined) | undefined;
}

/** A connection that stands, to one server for one principal. */
export interface McpConnection {
  readonly server: string;
  readonly principal?: Principal | undefined;
  readonly peer: McpPeer;
}

/** A tool before it becomes an AI SDK tool. Policy is keyed on `server` + `originalName`, never on `name`. */
export interface ToolDefinition {
  /** What the model sees. */
  readonly name: string;
  /** The server's key; `*` for a tool that spans servers (the resource tools). */
  readonly server: string;
  /** The name on the wire. */
  readonly originalName: string;
  readonly kind: 'tool' | 'resource' | 'prompt' | 'added';
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  readonly icons?: readonly unknown[] | undefined;
  /** The definition's `_meta`, for the application. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** What a call does; absent: ask the server. */
  readonly run?: ((call: ToolCall) => Promise<CallToolResult>) | undefined;
  /** Settings of the AI SDK tool that MCP has no word for. */
  readonly ai?: AiToolSettings | undefined;
  /** What its server says of it now, in its own words: before any mapper or middleware. Absent for tools that no server offers. */
  readonly offered?: OfferedTool | undefined;
}

export interface OfferedTool {
  /** Absent where the server should have been asked and could not be. */
  readonly definition: ToolDefinition | undefined;
  /** The server's instructions for its model. */
  readonly instructions?: string | undefined;
}

export interface AiToolSettings {
  readonly needsApproval?: boolean | undefined;
  /** ai 7: left out of the first prompt when the application uses `toolSearch`. */
  readonly deferLoading?: boolean | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the AI SDK's own type is any JSON, and differs between its majors
  readonly providerOptions?: Record<string, any> | undefined;
}

/** Something in the arguments that was read as it was meant. */
export interface InputChange {
  /** As in code: `filter.tags[0]`; empty for the arguments as a whole. */
  readonly path: string;
  /** A `null` for an optional value that takes none was left out; JSON in a text was read where no text can be meant. */
  readonly what: 'dropped_null' | 'parsed_json';
}

/** One tool call as the model made it. */
export interface ToolCall {
  /** The definition as it is now, not as it was when the record was made. */
  readonly tool: ToolDefinition;
  readonly input: Readonly<Record<string, unknown>>;
  /** What of the model's arguments was changed before they became `input`; nothing where nothing was. */
  readonly changes?: readonly InputChange[] | undefined;
  readonly toolCallId: string;
  /** The AI SDK's messages up to this call. */
  readonly messages: readonly unknown[];
  readonly signal?: AbortSignal | undefined;
  /** The AI SDK's context (`context` in ai 7, `experimental_context` in ai 6). */
  readonly context?: unknown;
  readonly principal?: Principal | undefined;
}

/** The other side of a request; filled in once connected, so read it after `next`. */
export interface McpPeer {
  transport?: 'http' | 'stdio' | 'custom';
  /** Host name, or nothing for a child process. */
  address?: string;
  port?: number;
  era?: ProtocolEra;
  /** The negotiated protocol version. */
  version?: string;
  /** Sensitive: kept out of spans, logs and errors unless asked for. */
  sessionId?: string;
  /** The JSON-RPC id, where the transport shows it. */
  requestId?: string | number;
}

/** One request to one server. */
export interface McpRequest {
  readonly method: string;
  readonly server: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Extra headers for this request alone (HTTP). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly principal?: Principal | undefined;
  /** The tool call that caused it; absent for handshakes and listings. */
  readonly call?: ToolCall | undefined;
  /** Who answers what the server asks while it works on this. */
  readonly handlers?: McpHandlers | undefined;
  readonly peer: McpPeer;
}

/** Sends one request through the `request` middleware to its server. */
export type SendRequest = (request: McpRequest) => Promise<McpResult>;

/** Decides on a definition with its original name, before any renaming. */
export type ToolFilter = (tool: ToolDefinition) => boolean | Promise<boolean>;
