/** Servers that run as a child process of this one. */

import { fileURLToPath } from 'node:url';
import * as z from 'zod/mini';
import { check, strict, that } from '../config/check.ts';
import { callable, serverSettings, textMap, texts } from '../config/settings.ts';
import { type Issue, invalid } from '../lib/issues.ts';
import type { ServerSettings, TransportServer } from '../servers.ts';
import { argumentSecrets, childEnv } from './child-env.ts';
import { StdioTransport } from './stdio-transport.ts';

/** What `stdio()` takes. */
export interface StdioOptions extends ServerSettings {
  /** A command on the PATH, or a path. No shell reads it. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables of the child, after what it inherits. Their values never appear in errors. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Folder that the child starts in; default this process's. */
  readonly cwd?: string | URL | undefined;
  /** What the child inherits beside `HOME`, `PATH`, `USER` and the like: names or globs, or `true` for everything. Default nothing. */
  readonly inheritEnv?: boolean | readonly string[] | undefined;
  /** Gets each line that the child writes to stderr. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Cap of one message in bytes; a child that passes it is ended. Default 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/**
 * A server that is started as a child process and spoken to over stdin and stdout. It starts on first need and again when it is gone,
 * and ends with its whole process tree when the tool set is closed or this process exits.
 *
 * Throws `config_invalid` at once when an option is wrong. A command that cannot be started fails its connection with `unavailable`; a
 * process that ends in the middle of a call fails it with `outcome_unknown`, the exit code and its last lines on stderr.
 *
 * @example
 * ```ts
 * const files = stdio({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'], env: { LOG_LEVEL: 'warn' } });
 * const tools = await createMcpToolSet({ servers: { files } });
 * ```
 */
export function stdio(options: StdioOptions): TransportServer {
  const issues: Issue[] = [];
  check(OPTIONS, options, [], issues);
  if (issues.length > 0) throw invalid('The options of stdio()', issues);
  const {
    command,
    args = [],
    env,
    cwd,
    inheritEnv,
    onStderr,
    maxMessageBytes = DEFAULT_MAX,
    share = true,
    ...settings
  } = options;
  const folder = cwd instanceof URL ? fileURLToPath(cwd) : cwd;
  const server: TransportServer = {
    ...settings,
    share,
    transport() {
      const { env: variables, secrets } = childEnv(env, inheritEnv);
      const hidden = [...secrets, ...argumentSecrets(args)];
      return new StdioTransport({ command, args, env: variables, secrets: hidden, cwd: folder, maxMessageBytes, onStderr });
    },
  };
  const config = { command, args: [...args], env: sorted(env), cwd: folder, inheritEnv: inheritEnv || false, maxMessageBytes };
  // Not enumerable: it may hold secrets, and nobody prints what they do not see.
  return Object.defineProperty(server, CONFIG, { value: config });
}

/** What a server was made from, as JSON: whoever replaces servers compares it. */
const CONFIG: unique symbol = Symbol.for('mcp-tool-set.config');

/** The order of variables means nothing. */
function sorted(env: StdioOptions['env'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const DEFAULT_MAX = 16 * 1024 * 1024;

const OPTIONS = strict({
  command: that('a command that is not empty', (value) => typeof value === 'string' && value.trim() !== ''),
  args: z.optional(texts),
  env: z.optional(textMap),
  cwd: z.optional(that('a path or a file: URL', isFolder)),
  inheritEnv: z.optional(z.union([z.boolean(), texts])),
  onStderr: z.optional(callable),
  maxMessageBytes: z.optional(that('a number of bytes above 0', (value) => typeof value === 'number' && value > 0)),
  ...serverSettings,
});

function isFolder(value: unknown): boolean {
  return value instanceof URL ? value.protocol === 'file:' : typeof value === 'string' && value !== '';
}
