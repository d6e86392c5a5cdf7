/** A fake server whose prompts a test makes up. */

import type { McpToolProvider } from '../../src/index.ts';
import { answer, either, type Intercept } from '../provider/support.ts';
import type { FakeServer } from '../support/fake-server.ts';
import { fake } from '../support/fixtures.ts';

export interface Prompting {
  /** Entries of `prompts/list`, or its pages. */
  readonly pages?: readonly (readonly unknown[])[];
  /** What `prompts/get` gives as `messages`. */
  readonly messages?: unknown;
  readonly capabilities?: object;
  readonly intercept?: Intercept;
}

export async function prompting({ pages = [], messages = [], capabilities, intercept }: Prompting = {}): Promise<FakeServer> {
  const prompts: Intercept = (received, response) => {
    const { method, params } = received.message;
    if (method === 'prompts/get') return answer(received, response, { messages });
    if (method !== 'prompts/list') return false;
    const at = Number(params?.cursor ?? 0);
    const next = at + 1 < pages.length && { nextCursor: String(at + 1) };
    return answer(received, response, { prompts: pages[at] ?? [], ...next });
  };
  return fake({
    capabilities: capabilities ?? { tools: {}, prompts: {} },
    intercept: either(intercept ?? (() => false), prompts),
  });
}

/**
 * Connects and has the handshake go through: a read may overtake it, and is sent once more where it is refused then. A call waits for it.
 */
export async function settle(provider: McpToolProvider, ...servers: string[]): Promise<void> {
  for (const server of servers) await provider.callTool({ server, tool: 'echo' });
}

/** Requests of one method, as their params. */
export const sent = (server: FakeServer, method: string): unknown[] =>
  server.requests.filter(({ message }) => message.method === method).map(({ message }) => message.params);

export async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
