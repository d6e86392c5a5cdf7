/** The public shapes of a provider: what it is made from, and what it does. */

import type { McpEvents } from './events.ts';
import type { McpHandlers, Root } from './handlers.ts';
import type { InvisibleChoice } from './lib/content/invisible.ts';
import type { MediaChoice, StructuredChoice } from './lib/content/view.ts';
import type { McpPrompts } from './prompts/api.ts';
import type { PromptToolsOptions } from './prompts/prompt-tools.ts';
import type { LiveStatus, McpWarning } from './report.ts';
import type { ProviderResources } from './resources/api.ts';
import type { ResourceToolsOptions } from './resources/options.ts';
import type { FetchLike, ServerConfig, Timeouts } from './servers.ts';
import type { McpToolSet } from './tools/ai-tool.ts';
import type { SchemaProfile } from './tools/schema/model.ts';
import type { ToolSchemas, TypedToolSet } from './tools/typed.ts';
import type { CallToolResult, McpMiddleware, Principal, ProtocolEra, ToolCall, ToolDefinition, ToolFilter } from './types.ts';

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
  /**
   * Whose demands the tools' schemas are made to meet, with nothing made invalid that was valid. Default `auto`: OpenAI's, Anthropic's and
   * Google's alike. `as-is`: nobody's; the schemas go out as the servers sent them.
   */
  readonly schema?: SchemaProfile | undefined;
  /**
   * Characters that nobody sees and a model reads (tags, zero-width and bidirectional marks, outside of emoji and of scripts that need them).
   * Default `auto`: stripped from what servers say of themselves, their tools, resources and prompts. `strip`: from results too. `keep`:
   * nowhere.
   */
  readonly invisible?: InvisibleChoice | undefined;
  /** Characters of a tool's description, with a mark where it was cut. Default: any. */
  readonly maxDescriptionLength?: number | undefined;
  /**
   * Which files of results go to the model as files; in place of any other stands a line with type and size. Default `auto`: PNG, JPEG,
   * WebP and PDF. A list of media types, `['image/*', 'audio/wav']`, for a model that takes others. `false` for one that takes none, and on
   * the Chat Completions API, for which files are written out as base64 text. A language model: what goes by its provider.
   */
  readonly media?: MediaChoice | undefined;
  /**
   * What the model reads of a result with `structuredContent`. Default `auto`: the content, and the structured one where it says more.
   * `structured`: that alone. `content`: the content alone, unless there is none. `both`: one after the other.
   */
  readonly structured?: StructuredChoice | undefined;
  /** `list_resources` and `get_resource`, present when some server has resources. Default true. */
  readonly resources?: boolean | ResourceToolsOptions | undefined;
  /** `list_prompts` and `get_prompt`, present when some server has prompts. Default false. */
  readonly prompts?: boolean | PromptToolsOptions | undefined;
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
  /** Who answers what servers ask, and hears what they tell. A server is told only of those that are given. */
  readonly handlers?: McpHandlers | undefined;
  /**
   * What `snapshot()` gave in another process: its tools are there without a round trip, and are listed anew behind. What was taken of
   * a server that is configured otherwise now is ignored.
   */
  readonly snapshot?: ProviderSnapshot | undefined;
  /**
   * For development reloads: a provider of the same name takes over the connections of the one before, where its servers are reached
   * in the same way, and ends the others. Kept on `globalThis`.
   */
  readonly singleton?: string | undefined;
  /** Pings open connections so often (milliseconds) and ends those that do not answer. Default false: the next call heals. */
  readonly healthCheck?: false | { readonly interval: number } | undefined;
  /** Keeps a serverless runtime awake for work that outlives the request, such as listing anew behind an answer. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
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
  /** In place of the provider's, one by one. */
  readonly handlers?: McpHandlers | undefined;
  /** In place of the provider's: one provider serves several models. */
  readonly media?: MediaChoice | undefined;
  /** In place of the provider's. */
  readonly structured?: StructuredChoice | undefined;
  /** Ends the listing; calls have the AI SDK's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Types of the named tools' inputs and outputs, by any Standard Schema; see `TypedToolSet`. */
  readonly schemas?: ToolSchemas | undefined;
}

/** One call of one tool by the application itself. */
export interface CallToolOptions {
  readonly server: string;
  /** Its own name on that server. */
  readonly tool: string;
  /** Default `{}`. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly principal?: Principal | undefined;
  readonly handlers?: McpHandlers | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StatusOptions {
  /** Whether each server is asked now: it is connected if need be, and pinged. Default false: from memory. */
  readonly probe?: boolean | undefined;
  readonly principal?: Principal | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InstructionsOptions {
  readonly principal?: Principal | undefined;
  /** Only these servers. */
  readonly servers?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `createMcpToolSet`: a provider's, and a signal that ends the loading. */
export interface McpToolSetOptions extends McpToolProviderOptions {
  /** Aborts connecting and listing; an aborted load leaves no process and no socket. */
  readonly signal?: AbortSignal | undefined;
  /** Types of the named tools' inputs and outputs, by any Standard Schema; see `TypedToolSet`. */
  readonly schemas?: ToolSchemas | undefined;
}

/** Made by `provider.snapshot()`: plain JSON. It holds what servers say to everyone, and no secret. */
export interface ProviderSnapshot {
  /** Of this format. Another one is ignored. */
  readonly format: 1;
  readonly servers: Readonly<Record<string, ServerSnapshot>>;
}

export interface ServerSnapshot {
  /** A hash of how the server is reached. Where it differs, the rest is ignored. */
  readonly place: string;
  readonly era: ProtocolEra;
  readonly version?: string | undefined;
  readonly serverInfo?: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string | undefined;
  /** As entries of `tools/list`. */
  readonly tools: readonly unknown[];
}

/** Made by `createMcpToolProvider`. Everything may be called at any time, also while calls and listings are under way. */
export interface McpToolProvider {
  /**
   * The tools as one AI SDK record. Connects and lists what is missing or stale; the rest comes from memory.
   *
   * Throws `closed`, `name_conflict`, `config_invalid`, `aborted`, and a server's own error where that server is required.
   */
  tools<const Schemas extends ToolSchemas>(options: ToolsOptions & { readonly schemas: Schemas }): Promise<TypedToolSet<Schemas>>;
  tools(options?: ToolsOptions): Promise<McpToolSet>;
  /**
   * Calls one tool by its original name, through the same middleware; filters and mappers do not apply. Resolves also where the tool
   * says that it failed (`isError`).
   *
   * Throws `tool_not_found`, `closed`, and whatever else ends a call.
   */
  callTool(options: CallToolOptions): Promise<CallToolResult>;

  /** What the servers offer to read. */
  readonly resources: ProviderResources;
  readonly prompts: McpPrompts;

  /** Adds a server; the next `tools()` has it. Throws `config_invalid` where the key is taken or the config is wrong. */
  addServer(key: string, config: ServerConfig): void;
  /** Takes a server away and ends what was opened for it; calls under way fail with `unavailable`. Resolves when nothing of it is left. */
  removeServer(key: string): Promise<void>;
  /** Replaces all servers. Those that are reached as before keep their connections and take the new functions and settings. */
  setServers(servers: Readonly<Record<string, ServerConfig>>): Promise<void>;

  /** One more that must agree. */
  addFilter(filter: ToolFilter): void;
  /** In place of all filters there were. */
  setFilter(filter: ToolFilter | readonly ToolFilter[]): void;
  /** Takes all filters away. */
  resetFilters(): void;
  /** Throws `config_invalid` while there is a `mapTool`; `undefined` goes back to the default. */
  setToolName(toolName: McpToolProviderOptions['toolName']): void;
  /** Throws `config_invalid` while there is a `toolName`; `undefined` takes it away. */
  setMapTool(mapTool: McpToolProviderOptions['mapTool']): void;
  /** Where servers may work from now on; those that were told before are told that it changed. */
  setRoots(roots: readonly Root[]): void;

  /** The next `tools()` asks this server (or every one) anew. */
  refresh(server?: string): void;
  /** Each server as it is now. A server that nobody has needed yet is `idle`. */
  status(options?: StatusOptions): Promise<Readonly<Record<string, LiveStatus>>>;
  /** What the servers say about themselves, for a system prompt: a heading and a text for each; empty where none says anything. */
  instructions(options?: InstructionsOptions): Promise<string>;
  /** Ends the connections of one principal and forgets what was listed for it. */
  forget(principalId: string): Promise<void>;
  /** Listens for an event; the function that it returns ends that. A listener that throws breaks nothing. */
  on<Name extends keyof McpEvents>(event: Name, listener: (event: McpEvents[Name]) => unknown): () => void;
  /** What is listed for everyone who is nobody, as JSON-serialisable data for the `snapshot` option of another process. */
  snapshot(): ProviderSnapshot;

  /** Ends everything that the provider opened. Calls after it fail with `closed`. Closing twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
