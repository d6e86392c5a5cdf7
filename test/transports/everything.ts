/** The official everything server, for one test. */

import { onTestFinished } from 'vitest';
import { type Everything, startEverything } from '../support/reference.ts';

export async function spawnEverything(): Promise<Everything> {
  const server = await startEverything();
  onTestFinished(server.stop);
  return server;
}
