/** The public shapes of `provider.prompts`. */

import type { ModelMessage } from 'ai';
import type { Principal } from '../types.ts';
import type { PromptValues } from './arguments.ts';
import type { PromptRow } from './rows.ts';

export interface PromptListOptions {
  /** Only this server; its failure is then thrown. */
  readonly server?: string | undefined;
  readonly principal?: Principal | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PromptGetOptions {
  readonly server: string;
  /** Its own name on that server. */
  readonly name: string;
  /** By name. MCP knows texts only: numbers, `true` and `false` are written as text. */
  readonly arguments?: PromptValues | undefined;
  readonly principal?: Principal | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PromptCompleteOptions extends PromptGetOptions {
  /** The name of the argument. */
  readonly argument: string;
  /** What there is of its value so far. */
  readonly value: string;
}

/** What servers offer as prompts: `provider.prompts`. */
export interface McpPrompts {
  /**
   * Every prompt of every server that has some, in the order of the servers; further pages are asked for as they are needed. A server
   * that fails costs its own rows and a warning (`server_failed`).
   *
   * Throws where every server fails or the one asked for does, `aborted`, and `config_invalid` at once.
   */
  list(options?: PromptListOptions): AsyncIterable<PromptRow>;
  /**
   * The messages of a prompt, for the AI SDK's `messages`. Roles are `user` and `assistant`; what one of them says in a row is one
   * message. Images, audio and PDFs are file parts; one of an assistant's comes in a user message right behind, as most providers take
   * none from an assistant.
   *
   * Throws `invalid_arguments` for an unknown prompt and for missing arguments, and whatever else ends a request.
   */
  get(options: PromptGetOptions): Promise<ModelMessage[]>;
  /** How the value of an argument may go on, given the others; empty where the server does not complete. */
  complete(options: PromptCompleteOptions): Promise<readonly string[]>;
}
