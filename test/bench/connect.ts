/** Connecting to servers 50 ms away and listing their 20 tools each, and the round trips that it takes. */

import { floor } from './floor.ts';
import type { Bench } from './index.ts';
import { compare, judge, time } from './measure.ts';
import { aiSdk, ours, type Subject, sdkV1, sdkV2 } from './subjects.ts';

const LATENCY = 50;
const TARGETS = [
  [1, 1.1, 9],
  [10, 1.15, 7],
  [50, 1.25, 5],
] as const;

const known = ours('mcp-tool-set, era known', { protocol: 'pinned' });
const cold = ours('mcp-tool-set, cold auto');

/** Closing is not measured. */
async function opening(subject: Subject, urls: readonly string[]): Promise<number> {
  const start = performance.now();
  const session = await subject.open(urls);
  const taken = performance.now() - start;
  await session.close();
  return taken;
}

export async function connect({ servers, peers }: Bench): Promise<void> {
  for (const [count, target, rounds] of TARGETS) {
    const urls = servers.urls(count, { latency: LATENCY });
    const contestant = (subject: Subject) => ({
      name: subject.name,
      target: subject === known ? target : undefined,
      sample: () => opening(subject, urls),
    });
    const subjects = [floor, known, cold, sdkV1, sdkV2, aiSdk, ...peers];
    const title = `connect and list, ${count} legacy server${count === 1 ? '' : 's'} at ${LATENCY} ms, 20 tools each`;
    await compare(subjects.map(contestant), { title, rounds, unit: 'ms' });
  }
  await roundTrips(servers);
}

/** What is sent until the tools are there; neither a notification nor a listening stream has to be waited for. */
async function roundTrips(servers: Bench['servers']): Promise<void> {
  console.log('\nround trips to connect and list, for each of 10 servers, as the servers count them');
  const trips = { known: { legacy: 2, modern: 1 }, cold: { legacy: 3, modern: 2 } };
  for (const era of ['legacy', 'modern'] as const) {
    for (const [subject, target] of [
      [known, trips.known[era]],
      [cold, trips.cold[era]],
    ] as const) {
      await servers.counts();
      const urls = servers.urls(10, { era, latency: LATENCY });
      let session: Awaited<ReturnType<Subject['open']>> | undefined;
      const taken = await time(async () => {
        session = await subject.open(urls);
      });
      const counts = Object.entries(await servers.counts()).filter(([method]) => !/^(GET|DELETE|notifications)/.test(method));
      await session?.close();
      const each = counts.reduce((sum, [, count]) => sum + count, 0) / urls.length;
      const what = counts.map(([method]) => method).join(', ');
      console.log(`  ${`${subject.name}, ${era}`.padEnd(32)} ${each} (${what}; ${taken.toFixed(0)} ms)${judge(each, target)}`);
    }
  }
}
