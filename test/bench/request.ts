/** A web request that needs tools and makes one call, 8 at once, beside a bare client that lives on and only makes the call. */

import { createMCPClient } from '@ai-sdk/mcp';
import { createMcpToolProvider, type McpToolProvider } from 'mcp-tool-set';
import { floor } from './floor.ts';
import type { Bench } from './index.ts';
import { compare, judge, lanes, time } from './measure.ts';
import { aiSdk, executor, INPUT, type Subject, sdkV1, sdkV2, threeMiddlewares } from './subjects.ts';

const ROUNDS = 9;
const REQUESTS = 160;
/** Those that connect anew take so much longer that fewer do. */
const FRESH = 24;
const CONCURRENCY = 8;

/** Connects, lists, calls and closes for each request, as is usual where a client belongs to one user. */
const fresh = (subject: Subject, url: string) => async (): Promise<void> => {
  const session = await subject.open([url]);
  await session.call(INPUT);
  await session.close();
};

export async function request({ servers, peers }: Bench): Promise<void> {
  const url = servers.url();
  const bare = await floor.open([url]);
  const plain = createMcpToolProvider({ servers: { s: { url } } });
  const three = createMcpToolProvider({ servers: { s: { url } }, middleware: threeMiddlewares() });
  const lasting = await createMCPClient({ transport: { type: 'http', url } });
  const perRequest = (provider: McpToolProvider) => async () => executor(await provider.tools(), 's_tool_1')(INPUT);

  const requests: Record<string, () => Promise<unknown>> = {
    'bare client that lives on': () => bare.call(INPUT),
    'mcp-tool-set': perRequest(plain),
    'mcp-tool-set, three middlewares': perRequest(three),
    '@ai-sdk/mcp, client that lives on': async () => executor(await lasting.tools(), 'tool_1')(INPUT),
  };
  for (const subject of [sdkV1, sdkV2, aiSdk, ...peers]) requests[`${subject.name}, made anew`] = fresh(subject, url);

  const contestants = Object.entries(requests).map(([name, each]) => {
    const count = name.endsWith('made anew') ? FRESH : REQUESTS;
    return {
      name,
      target: name.startsWith('mcp-tool-set') ? 0.9 : undefined,
      sample: async () => (await time(() => lanes(each, count, CONCURRENCY))) / count,
    };
  });
  const title = `a request: its tools and one call, ${CONCURRENCY} at once; the part of the bare client's throughput`;
  await compare(contestants, { title, rounds: ROUNDS, unit: 'ms', share: true });

  await servers.counts();
  await lanes(perRequest(plain), REQUESTS, CONCURRENCY);
  const trips = Object.values(await servers.counts()).reduce((sum, count) => sum + count, 0) / REQUESTS;
  console.log(`  round trips for each request of mcp-tool-set: ${trips}${judge(trips, 1)}`);
  await Promise.all([bare.close(), plain.close(), three.close(), lasting.close()]);
}
