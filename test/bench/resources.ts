/** Finding and reading among ten thousand resources over a hundred pages, beside the bare requests. */

import { createMcpToolProvider } from 'mcp-tool-set';
import type { Bench } from './index.ts';
import { compare, judge, time } from './measure.ts';

const ROUNDS = 9;
const WARM = 50;
const URI = 'docs://archive/7341';

/** Every page, with nothing done but reading the JSON. */
async function rawList(url: string): Promise<number> {
  let cursor: string | undefined;
  let count = 0;
  do {
    const { resources, nextCursor } = await ask(url, 'resources/list', cursor === undefined ? {} : { cursor });
    count += (resources as unknown[]).length;
    cursor = nextCursor as string | undefined;
  } while (cursor !== undefined);
  return count;
}

async function ask(url: string, method: string, params: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

export async function resources({ servers }: Bench): Promise<void> {
  const url = servers.url();
  const provider = createMcpToolProvider({ servers: { docs: { url } } });
  const tools = await provider.tools();
  const run = (name: string, input: object): Promise<unknown> =>
    Promise.resolve(tools[name]?.execute?.(input, { toolCallId: '1', messages: [] } as never));

  await compare(
    [
      { name: 'raw listing, 100 pages', sample: () => time(() => rawList(url)) },
      {
        name: 'list_resources, cold',
        sample() {
          provider.refresh();
          return time(() => run('list_resources', {}));
        },
      },
      {
        name: 'list_resources, warm',
        limit: 2,
        sample: async () => (await time(() => repeat(() => run('list_resources', {})))) / WARM,
      },
      {
        name: 'list_resources, first query',
        sample: async () => {
          provider.refresh();
          await run('list_resources', {});
          return time(() => run('list_resources', { query: 'document 7341' }));
        },
      },
      {
        name: 'list_resources, query, warm',
        sample: async () => (await time(() => repeat(() => run('list_resources', { query: 'document 7341' })))) / WARM,
      },
    ],
    { title: 'the first page of 10,000 resources', rounds: ROUNDS, unit: 'ms' },
  );

  await compare(
    [
      { name: 'raw read', sample: async () => (await time(() => repeat(() => ask(url, 'resources/read', { uri: URI })))) / WARM },
      {
        name: 'get_resource, warm',
        limit: 0.2,
        sample: async () => (await time(() => repeat(() => run('get_resource', { mcpServer: 'docs', uri: URI })))) / WARM,
      },
      {
        name: 'provider.resources.read, warm',
        limit: 0.2,
        sample: async () => (await time(() => repeat(() => provider.resources.read({ server: 'docs', uri: URI })))) / WARM,
      },
    ],
    { title: 'one read of 3 kB', rounds: ROUNDS, unit: 'ms' },
  );

  await servers.counts();
  await run('list_resources', {});
  await run('get_resource', { mcpServer: 'docs', uri: URI });
  const trips = Object.values(await servers.counts()).reduce((sum, count) => sum + count, 0);
  console.log(`  round trips for both, warm: ${trips}${judge(trips, 0)}`);
  await provider.close();
}

async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < WARM; n++) await work();
}
