/** How a set and a provider end. */

import { describe, expect, it } from 'vitest';
import { closeToolSet, createMcpToolSet, inspectToolSet } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { call, count, failure, provide, silentTo, status } from './support.ts';

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
describe('endings of a set', () => {
  it('A12 a set that cannot be made leaves no session behind', async () => {
    const server = await fake({ intercept: ({ message }, response) => message.method === 'tools/list' && status(response, 500) });
    expect(
      await failure(createMcpToolSet({ servers: { s: { url: server.url } }, onServerError: 'throw', onWarning: false })),
    ).toMatchObject({
      code: 'http_error',
    });
    expect(server.sessions.size).toBe(0);
  });

  it('A1 A3 closing twice, at once, and again after, then a call: `closed`, and what to do', async () => {
    const server = await fake();
    const tools = await createMcpToolSet({ servers: { s: { url: server.url } }, onWarning: false });
    await Promise.all([closeToolSet(tools), closeToolSet(tools), inspectToolSet(tools).provider.close()]);
    await closeToolSet(tools);
    const error = await failure(call(tools, 's_echo'));
    expect(error).toMatchObject({ code: 'closed' });
    expect(error.message).toMatch(/last step/);
    expect(server.sessions.size).toBe(0);
    expect(count(server, 'DELETE')).toBe(1);
  });

  it('A8 closing ends at once what waits for a `headers` function that hangs', async () => {
    const server = await fake();
    const headers = () => new Promise<never>(() => {});
    const provider = provide({ servers: { s: { url: server.url, headers } }, timeouts: { connect: 0 } });
    const [listing, calling] = [failure(provider.tools()), failure(provider.callTool({ server: 's', tool: 'echo' }))];
    await provider.close();
    expect(await listing).toMatchObject({ code: 'closed' });
    expect(await calling).toMatchObject({ code: 'closed' });
    expect(server.requests).toEqual([]);
  });

  it('A2 A8 closing in the middle of calls, a listing and a connect ends all at once, and nothing is opened after', async () => {
    const server = await fake({ intercept: silentTo('tools/call') });
    const slow = await fake({ intercept: silentTo('initialize') });
    const provider = provide({ servers: { s: { url: server.url } } });
    const tools = await provider.tools();
    provider.addServer('slow', { url: slow.url });
    const under = [
      call(tools, 's_echo'),
      provider.callTool({ server: 's', tool: 'echo' }),
      provider.tools(),
      provider.status({ probe: true }),
    ];
    const endings = under.map((each) =>
      each.then(
        () => 'well',
        (error) => error.code,
      ),
    );
    await expect.poll(() => count(server, 'tools/call') + count(slow, 'initialize')).toBe(3);
    await provider.close();
    const codes = await Promise.all(endings);
    expect(codes.slice(0, 3)).toEqual(['closed', 'closed', 'closed']);
    const asked = server.requests.length + slow.requests.length;
    await later(100);
    expect(server.requests.length + slow.requests.length).toBe(asked);
    for (const work of [
      () => provider.tools(),
      () => provider.status(),
      () => provider.instructions(),
      () => provider.setServers({}),
    ]) {
      expect(await failure(work())).toMatchObject({ code: 'closed' });
    }
  });
});
