/** 1,000 lost sessions, and 1,000 connections cut off in a call: each heals with the next use, and nothing of them stays. */

import { expect, test } from 'vitest';
import { fake, toolSet } from '../support/fixtures.ts';
import { call, each, growth } from './support.ts';

const LAP = 250;
/** Bytes: less than a scope, a link or a socket costs, more than the noise of so few. */
const STAYS = 1_200;

test('SOAK 1,000 sessions ended with 404 heal at once, each call runs once, and nothing stays', {
  timeout: 180_000,
}, async () => {
  const server = await fake();
  const tools = await toolSet({ servers: { s: { url: server.url } } });

  const bytes = await growth(async () => {
    await each(LAP, 1, async () => {
      server.sessions.clear();
      await call(tools, 's_echo');
    });
    server.requests.length = 0;
  }, LAP);

  expect(server.executed).toHaveLength(4 * LAP);
  expect(server.sessions.size).toBe(1);
  expect(server.sockets.size).toBeLessThanOrEqual(4);
  expect(bytes).toBeLessThan(STAYS);
});

test('SOAK 1,000 connections cut off in a call: that call is told so, the next one works, and nothing stays', {
  timeout: 180_000,
}, async () => {
  let cut = 0;
  // Not `expect().rejects`: the runner would keep each error until the end.
  const codes = new Set<string>();
  const server = await fake({
    tools: [{ name: 'echo' }, { name: 'cut' }],
    intercept({ message }, response) {
      if (message.params?.name !== 'cut') return false;
      cut++;
      response.destroy();
      return true;
    },
  });
  const tools = await toolSet({ servers: { s: { url: server.url } } });

  const bytes = await growth(async () => {
    await each(LAP, 1, async () => {
      await call(tools, 's_cut').catch(({ code }) => void codes.add(code));
      await call(tools, 's_echo');
    });
    server.requests.length = 0;
  }, LAP);

  expect([...codes]).toEqual(['outcome_unknown']);
  // It may have run: it is never sent twice.
  expect(cut).toBe(4 * LAP);
  expect(server.executed).toHaveLength(4 * LAP);
  expect(server.sessions.size).toBe(1);
  expect(server.sockets.size).toBeLessThanOrEqual(4);
  expect(bytes).toBeLessThan(STAYS);
});
