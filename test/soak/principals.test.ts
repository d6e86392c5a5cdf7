/** 200 users through one provider: each with a session and headers of their own, no more than 100 of them kept. */

import { expect, onTestFinished, test } from 'vitest';
import { createMcpToolProvider } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, each, growth } from './support.ts';

const PRINCIPALS = 200;
const KEPT = 100;

test('SOAK 200 principals through one provider share nothing, 100 are kept, and nothing else stays', {
  timeout: 180_000,
}, async () => {
  /** Whose session it is, as the server saw it first. */
  const owners = new Map<string, string>();
  let mixed = 0;
  const server = await fake({
    intercept({ message, headers }) {
      const session = String(headers['mcp-session-id']);
      const owner = String(headers.authorization);
      if (message.method !== 'tools/call') return false;
      if ((owners.get(session) ?? owner) !== owner) mixed++;
      owners.set(session, owner);
      return false;
    },
  });
  // A connection asked for within the last second is never taken away; here seconds pass quickly.
  let now = 0;
  const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false, now: () => now });
  onTestFinished(() => provider.close());

  const lap = async (): Promise<void> => {
    await each(PRINCIPALS, 4, async (index) => {
      const principal = { id: `user-${index}`, headers: { authorization: `Bearer ${index}` } };
      const tools = await provider.tools({ principal });
      await call(tools, 's_echo');
      now += 50;
    });
    expect(server.executed).toHaveLength(PRINCIPALS);
    expect(new Set(owners.values()).size).toBe(PRINCIPALS);
    server.executed.length = server.requests.length = 0;
    owners.clear();
  };

  const bytes = await growth(lap, PRINCIPALS);
  expect(mixed).toBe(0);
  expect(server.sessions.size).toBeLessThanOrEqual(KEPT + 4);
  expect(server.sessions.size).toBeGreaterThan(KEPT / 2);
  expect(server.sockets.size).toBeLessThanOrEqual(16);
  expect(bytes).toBeLessThan(2_000);

  await provider.close();
  expect(server.sessions.size).toBe(0);
});
