/** What `mcp-tool-set/node` is on runtimes without child processes and files: the same names, which say so when they are called. */

import { McpToolSetError } from '../errors.ts';
import type { loadMcpConfig as load } from './config-file.ts';
import type { stdio as start } from './stdio.ts';

/** Throws `runtime_unsupported`: no child process can be started here. */
export const stdio: typeof start = () => {
  throw unsupported('stdio() starts a child process', "Reach the server over HTTP: { url: 'https://…' }.");
};

/** Rejects with `runtime_unsupported`: no file can be read here. */
export const loadMcpConfig: typeof load = async () => {
  throw unsupported(
    'loadMcpConfig() reads a file',
    'Import the file as JSON or text and give it to parseMcpConfig() with httpOnly: true.',
  );
};

function unsupported(what: string, instead: string): McpToolSetError {
  return new McpToolSetError('runtime_unsupported', `${what}, which this runtime cannot do. ${instead}`);
}
