/** The tools once more, when nothing changed: what a request pays before its first token. */

import { createMCPClient } from '@ai-sdk/mcp';
import { createMcpToolProvider } from 'mcp-tool-set';
import type { Bench } from './index.ts';
import { compare, time } from './measure.ts';
import { keyed, threeMiddlewares } from './subjects.ts';

const ROUNDS = 15;
const TARGETS = [
  { count: 1, times: 400, limit: 5 },
  { count: 10, times: 60, limit: 40 },
  { count: 50, times: 20, limit: 200 },
] as const;

export async function warm({ servers }: Bench): Promise<void> {
  for (const { count, times, limit } of TARGETS) {
    const urls = servers.urls(count);
    const configs = keyed(urls, (url) => ({ url }));
    const plain = createMcpToolProvider({ servers: configs });
    const three = createMcpToolProvider({ servers: configs, middleware: threeMiddlewares() });
    const clients = await Promise.all(urls.map((url) => createMCPClient({ transport: { type: 'http', url } })));
    const kept = await Promise.all(clients.map(async (client) => ({ client, definitions: await client.listTools() })));

    const makers: Record<string, () => unknown> = {
      '@ai-sdk/mcp, definitions kept': () =>
        Object.assign({}, ...kept.map((each) => each.client.toolsFromDefinitions(each.definitions))),
      'mcp-tool-set': () => plain.tools(),
      'mcp-tool-set, three middlewares': () => three.tools(),
    };
    const contestants = Object.entries(makers).map(([name, make]) => ({
      name,
      limit: name === 'mcp-tool-set' ? limit : undefined,
      sample: async () => ((await time(() => repeat(make, times))) / times) * 1_000,
    }));
    const title = `warm tools(), ${count} server${count === 1 ? '' : 's'} of 20 tools`;
    await compare(contestants, { title, rounds: ROUNDS, unit: 'µs' });
    await Promise.all([plain.close(), three.close(), ...clients.map((client) => client.close())]);
  }
}

async function repeat(make: () => unknown, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await make();
}
