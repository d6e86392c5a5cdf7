/** The 1.x SDK, where it is installed: one CI leg runs without it. */

import { existsSync } from 'node:fs';

/** Whether tests that need `@modelcontextprotocol/sdk` can run. */
export const hasSdkV1: boolean = existsSync(
  new URL('../../node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url),
);

export async function sdkV1() {
  const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ]);
  return { Client, StdioClientTransport, StreamableHTTPClientTransport };
}
