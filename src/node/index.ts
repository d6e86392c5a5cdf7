/** The entry `mcp-tool-set/node`: what needs child processes and files. */

export { type LoadMcpConfigOptions, loadMcpConfig } from './config-file.ts';
export { type StdioOptions, stdio } from './stdio.ts';
