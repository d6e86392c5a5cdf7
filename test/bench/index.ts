/**
 * What the library costs, beside the least that could be done and beside its peers, taken in turns within one run: read the ratios.
 * Names of measures as arguments run those alone.
 */

import { availableParallelism } from 'node:os';
import { call } from './call.ts';
import { connect } from './connect.ts';
import { convert } from './convert.ts';
import { heap } from './heap.ts';
import { memory } from './memory.ts';
import { middleware } from './middleware.ts';
import { loadPeers } from './peers.ts';
import { request } from './request.ts';
import { resources } from './resources.ts';
import { type Servers, serve } from './serve.ts';
import type { Subject } from './subjects.ts';
import { warm } from './warm.ts';

export interface Bench {
  readonly servers: Servers;
  readonly peers: readonly Subject[];
}

const measures: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  connect,
  call,
  convert,
  memory,
  middleware,
  request,
  resources,
  warm,
  heap,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => measures[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no measure ${unknown.join(', ')}. There are: ${Object.keys(measures).join(', ')}.`);
  process.exit(1);
}

// Some of the clients put one signal under thousands of requests, and a line for each would bury the figures.
const warnings = new Map<string, number>();
process.removeAllListeners('warning');
process.on('warning', ({ name }) => void warnings.set(name, (warnings.get(name) ?? 0) + 1));

console.log(`Node ${process.versions.node}, ${availableParallelism()} cores. The ratio is to the first line of each block.`);
const { subjects: peers, missing } = await loadPeers();
for (const [name, reason] of missing) console.log(`${name} is left out: ${reason}`);
const servers = await serve();
for (const name of asked.length > 0 ? asked : Object.keys(measures)) {
  const start = performance.now();
  await measures[name]?.({ servers, peers });
  const warned = [...warnings].map(([what, count]) => `, ${count} × ${what} of Node`).join('');
  console.log(`\n  (${name} took ${((performance.now() - start) / 1_000).toFixed(0)} s${warned})`);
  warnings.clear();
}
servers.stop();
// Some of the clients keep timers that nobody can end.
process.exit();
