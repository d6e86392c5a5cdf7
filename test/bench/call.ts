/** One tool call through the record's `execute` over loopback HTTP: how many at a time, and how the server replies. */

import { floor } from './floor.ts';
import type { Bench } from './index.ts';
import { compare, lanes, time } from './measure.ts';
import { aiSdk, INPUT, ours, type Session, sdkV1, sdkV2, threeMiddlewares } from './subjects.ts';

const ROUNDS = 7;
const LEVELS = [
  { concurrency: 1, calls: 96, target: 1.2 },
  { concurrency: 16, calls: 192, target: 1.25 },
  { concurrency: 256, calls: 512, target: 1.25 },
] as const;

export async function call({ servers, peers }: Bench): Promise<void> {
  const withThree = ours('mcp-tool-set, three middlewares', { middleware: threeMiddlewares() });
  const subjects = [floor, ours('mcp-tool-set'), withThree, sdkV1, sdkV2, aiSdk, ...peers];
  for (const reply of ['json', 'sse'] as const) {
    const sessions = new Map<string, Session>();
    for (const subject of subjects) sessions.set(subject.name, await subject.open([servers.url({ reply })]));
    for (const { concurrency, calls, target } of LEVELS) {
      const contestants = [...sessions].map(([name, session]) => ({
        name,
        target: name.startsWith('mcp-tool-set') ? target : undefined,
        sample: async () => (await time(() => lanes(() => session.call(INPUT), calls, concurrency))) / calls,
      }));
      const title = `one tool call over HTTP, ${concurrency} at a time, ${reply.toUpperCase()} replies`;
      await compare(contestants, { title, rounds: ROUNDS, unit: 'ms' });
    }
    for (const session of sessions.values()) await session.close();
  }
}
