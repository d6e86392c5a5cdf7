/** The 1.x SDK, where it is installed: one CI leg runs without it. */

import { existsSync } from 'node:fs';

/** Whether tests that need `@modelcontextprotocol/sdk` can run. */
export const hasSdkV1: boolean = existsSync(
  new URL('../../node_modules/@modelcontextprotocol/sdk/package.json', import.meta.url),
);

/** For the titles of tests that need it: says where they are left out. */
export const sdkV1LeftOut: string = hasSdkV1 ? '' : ' (LEFT OUT: @modelcontextprotocol/sdk is not installed here)';
// Reporters do not show the titles of what is skipped.
if (!hasSdkV1) console.warn(`Tests of the 1.x SDK:${sdkV1LeftOut}`);

export async function sdkV1() {
  const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ]);
  return { Client, StdioClientTransport, StreamableHTTPClientTransport };
}
