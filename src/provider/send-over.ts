/** Sends one request over one route, and takes from a tool's call what it means for the server's resources. */

import type { McpRequest, McpResult } from '../types.ts';
import type { Route } from './route.ts';

/** What a tool may have changed is not known any more, from before it began until it has ended. */
export async function sendOver({ connection, identity, resources }: Route, request: McpRequest): Promise<McpResult> {
  if (request.method !== 'tools/call') return connection.request(request, identity.headers);
  const writes = request.call?.tool.annotations?.readOnlyHint !== true;
  if (writes) resources.reads.drop();
  try {
    const result = await connection.request(request, identity.headers);
    resources.noteLinks(result);
    return result;
  } finally {
    if (writes) resources.reads.drop();
  }
}
