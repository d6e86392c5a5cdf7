/** What a stdio transport is made from. */

export interface StdioTransportOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child. */
  readonly env: Record<string, string>;
  /** Values that no error may show. */
  readonly secrets: readonly string[];
  readonly cwd?: string | undefined;
  /** Cap of one message in bytes. */
  readonly maxMessageBytes: number;
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Each line on stdout that is not JSON-RPC; the first is also told to `onerror`. */
  readonly onNoise?: ((line: string) => void) | undefined;
}
