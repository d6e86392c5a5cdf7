/** What is told of servers and tools: warnings, statuses, notes. */

import type { McpErrorCode, McpToolSetError } from './errors.ts';
import type { ProtocolEra } from './types.ts';

/** Something that went wrong without stopping the work. One per cause. */
export interface McpWarning {
  readonly kind:
    | 'server_failed'
    | 'tool_dropped'
    | 'tools_hidden'
    | 'pattern_unmatched'
    | 'no_tools'
    | 'noise'
    | 'output_mismatch'
    | 'empty_schema'
    | 'hidden_text'
    | 'description_cut'
    | 'setting_ignored';
  readonly message: string;
  readonly server?: string | undefined;
  readonly error?: McpToolSetError | undefined;
}

export type ServerState = 'connected' | 'failed' | 'disabled' | 'needs_auth';

/** One server in the report. */
export interface ServerStatus {
  readonly state: ServerState;
  readonly error?: { readonly code: McpErrorCode; readonly message: string } | undefined;
  readonly era?: ProtocolEra | undefined;
  readonly version?: string | undefined;
  /** The server's own name and version. */
  readonly serverInfo?: { readonly name?: string; readonly version?: string; readonly [key: string]: unknown } | undefined;
  readonly instructions?: string | undefined;
  /** How many tools of it are in the record. */
  readonly tools: number;
  /** Milliseconds that connecting and listing took, 0 when nothing was asked. */
  readonly milliseconds: number;
  /** About how many tokens its definitions cost in each prompt (characters / 4). */
  readonly approximateTokens: number;
}

/** One server in `provider.status()`. */
export interface LiveStatus extends Omit<ServerStatus, 'state'> {
  /** `idle`: not connected now, and nothing is wrong; the next use connects it. */
  readonly state: ServerState | 'idle';
  /** Of an HTTP session. Sensitive: keep it out of logs. */
  readonly sessionId?: string | undefined;
}

/** One tool that is not in the record, or not under the name that it asked for. */
export interface ToolNote {
  readonly server: string;
  readonly originalName: string;
  readonly what: 'dropped' | 'filtered' | 'hidden' | 'renamed' | 'stripped' | 'shortened';
  /** The reason, or for `renamed` the name that the model sees. */
  readonly why: string;
  /** Of a hidden one: which rule of the middleware hid it, where that says so. */
  readonly rule?: string | undefined;
}

/** What `inspectToolSet` gives. */
export interface ToolSetReport {
  readonly servers: Readonly<Record<string, ServerStatus>>;
  readonly notes: readonly ToolNote[];
}
