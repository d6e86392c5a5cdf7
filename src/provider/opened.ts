/** Tells middleware that a connection stands, and of its end. */

import type { McpConnection, McpMiddleware } from '../types.ts';

/** None of them can break what it looks at. */
export function openedFor(middleware: readonly McpMiddleware[], connection: McpConnection): (error: unknown) => void {
  const ends = middleware.map((each) => quietly(() => each.connection?.(connection)));
  return (error) => {
    for (const end of ends) quietly(() => end?.(error));
  };
}

function quietly<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch {
    return undefined;
  }
}
