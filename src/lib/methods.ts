/** What the methods of MCP mean to those who bound, repeat or count them. */

/** How a connection begins: their `next` may run once, and `timeouts.connect` bounds them. */
export function isHandshake(method: string): boolean {
  return method === 'initialize' || method === 'server/discover';
}

/** The library's own upkeep: the model did not ask for it. */
export function isUpkeep(method: string): boolean {
  return isHandshake(method) || method === 'ping' || method === 'logging/setLevel' || method.startsWith('notifications/');
}

/** Methods that only read, by the protocol's own definition. */
export function isRead(method: string): boolean {
  return READS.has(method);
}

const READS: ReadonlySet<string> = new Set([
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);
