/** 20,000 calls over HTTP under one signal: nothing stays of any of them. */

import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { rateLimit, readOnly } from '../../src/middleware/index.ts';
import { tracing } from '../../src/middleware/tracing.ts';
import { serve } from '../bench/serve.ts';
import { toolSet } from '../support/fixtures.ts';
import { call, each, growth } from './support.ts';

const LAP = 5_000;
const AT_ONCE = 16;

test('SOAK 20,000 calls under one signal leave neither memory nor listeners nor sockets', { timeout: 180_000 }, async () => {
  const servers = await serve();
  onTestFinished(() => servers.stop());
  const middleware = [readOnly(), rateLimit({ limit: 1_000_000, interval: 1_000 }), tracing()];
  const tools = await toolSet({ servers: { s: { url: servers.url() } }, middleware });
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;
  let most = 0;

  const bytes = await growth(
    () =>
      each(LAP, AT_ONCE, async () => {
        await call(tools, 's_tool_1', signal);
        most = Math.max(most, listeners());
      }),
    LAP,
  );

  // Less than what one listener, one timer or one entry of a map would cost.
  expect(bytes).toBeLessThan(20);
  expect(most).toBeLessThanOrEqual(1);
  expect(listeners()).toBe(0);
  expect(process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length).toBeLessThanOrEqual(AT_ONCE + 2);
  expect((await servers.counts())['tools/call']).toBe(4 * LAP);
});
