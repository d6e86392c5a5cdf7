/** Who answers what a server asks back, and who hears what it tells while it works: the shapes of `handlers`. */

import type { ContentBlock, JsonSchema, Principal, ToolCall } from './types.ts';

/** What a handler is told beside the request itself. */
export interface HandlerContext {
  /** The server's key. */
  readonly server: string;
  /** Whose request caused it; absent where that is nobody's, or not known. */
  readonly principal?: Principal | undefined;
  /** The tool call that caused it, where it was one. */
  readonly call?: ToolCall | undefined;
  /** Aborts when the answer is of no use any more: the server took its question back, or the request that caused it is over. */
  readonly signal: AbortSignal;
}

type Handler<Request, Answer> = (request: Request, context: HandlerContext) => Answer | Promise<Answer>;

/** A server asks the user for input. */
export interface ElicitationRequest {
  readonly message: string;
  /** A flat object of strings, numbers, booleans and choices. */
  readonly requestedSchema?: JsonSchema | undefined;
  readonly [key: string]: unknown;
}

export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  /** What was entered, with `accept`. Fields left out take the schema's defaults. */
  readonly content?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  readonly [key: string]: unknown;
}

export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock | readonly ContentBlock[];
  readonly [key: string]: unknown;
}

/** A server asks for a completion by the application's model. */
export interface SamplingRequest {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly modelPreferences?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

export interface SamplingResult {
  readonly role: 'assistant';
  readonly content: ContentBlock | readonly ContentBlock[];
  /** The name of the model that wrote it. */
  readonly model: string;
  readonly stopReason?: string | undefined;
  readonly [key: string]: unknown;
}

/** A directory or file that a server may work in. */
export interface Root {
  /** Begins with `file://`. */
  readonly uri: string;
  readonly name?: string | undefined;
  readonly [key: string]: unknown;
}

export interface LogMessage {
  /** `debug`, `info`, `notice`, `warning`, `error`, `critical`, `alert` or `emergency`. */
  readonly level: string;
  readonly logger?: string | undefined;
  readonly data: unknown;
  readonly [key: string]: unknown;
}

export interface ProgressUpdate {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * What servers may ask of the application, and what it wants to hear of them. A server is told of a handler only where there is one. A
 * question goes to the handlers of the request that caused it; where that is not clear, nobody is asked.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   handlers: {
 *     elicitation: async ({ message, requestedSchema }, { server, signal }) => askUser(server, message, requestedSchema, signal),
 *     log: ({ level, data }, { server }) => logger.log(level, server, data),
 *   },
 * });
 * ```
 */
export interface McpHandlers {
  /** Asks the user in a form. What it throws is not told to the server. */
  readonly elicitation?: Handler<ElicitationRequest, ElicitationResult> | undefined;
  /** Runs a model for the server. What it throws is not told to the server. */
  readonly sampling?: Handler<SamplingRequest, SamplingResult> | undefined;
  /** Says where servers may work. It is asked without a principal where the server asks of its own accord. */
  readonly roots?: Handler<Readonly<Record<string, unknown>>, readonly Root[]> | undefined;
  /** Hears a server's log messages. */
  readonly log?: Handler<LogMessage, void> | undefined;
  /** Hears how far a request has come. */
  readonly progress?: Handler<ProgressUpdate, void> | undefined;
}

/** The side of a request that its server's questions go to. */
export interface QuestionOwner {
  readonly handlers?: McpHandlers | undefined;
  readonly principal?: Principal | undefined;
  readonly call?: ToolCall | undefined;
}
