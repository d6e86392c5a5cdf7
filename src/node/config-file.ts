/** Reads an MCP config file into servers that are ready to use. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ParsedServer } from '../config/entry.ts';
import { parseMcpConfig } from '../config/parse.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpWarning } from '../report.ts';
import type { ServerConfig } from '../servers.ts';
import { stdio } from './stdio.ts';

export interface LoadMcpConfigOptions {
  /** Where `${NAME}` is looked up. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Told of each field that is ignored. Default: a line on the console; `false` silences. */
  readonly onWarning?: false | ((warning: McpWarning) => void) | undefined;
}

/**
 * Reads a file as Claude Desktop, Cursor, VS Code, opencode and toolnexus write it (see `parseMcpConfig`) and gives its servers for
 * `servers`. Commands become `stdio()` servers; a relative `cwd` starts at the file's folder. Nothing is started yet. A file that
 * cannot be read, and everything that is wrong in it, is one `config_invalid` error.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({ servers: await loadMcpConfig('mcp.json') });
 * ```
 */
export async function loadMcpConfig(
  path: string | URL,
  options: LoadMcpConfigOptions = {},
): Promise<Record<string, ServerConfig>> {
  const { env = process.env, onWarning } = options;
  const file = place(path);
  const text = await read(file);
  const config = parseMcpConfig(text, { env, onWarning, name: `The MCP config ${file}` });
  return Object.fromEntries(Object.entries(config).map(([key, server]) => [key, toServer(server, dirname(file))]));
}

function toServer(server: ParsedServer, folder: string): ServerConfig {
  if (!('command' in server)) return server;
  const { cwd, ...rest } = server;
  return stdio(cwd === undefined ? rest : { ...rest, cwd: resolve(folder, cwd) });
}

function place(path: string | URL): string {
  if (typeof path === 'string') return resolve(path);
  if (path.protocol === 'file:') return fileURLToPath(path);
  throw new McpToolSetError(
    'config_invalid',
    'loadMcpConfig() reads files: fetch the text yourself and give it to parseMcpConfig().',
  );
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new McpToolSetError('config_invalid', `The MCP config ${file} cannot be read: ${reason(cause)}`, { cause });
  }
}

function reason(cause: unknown): string {
  switch ((cause as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file. Check the path; a relative one starts at the working directory of the process.';
    case 'EISDIR':
      return 'it is a folder. Name the file in it, such as mcp.json.';
    case 'EACCES':
    case 'EPERM':
      return 'this process may not read it. Change its permissions.';
    default:
      return `${(cause as NodeJS.ErrnoException).code ?? 'the system gave no reason'}. Check that it is a readable text file.`;
  }
}
