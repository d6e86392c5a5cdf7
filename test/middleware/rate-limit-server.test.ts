import { createMCPClient } from '@ai-sdk/mcp';
import { jsonSchema, tool } from 'ai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMcpToolProvider, McpToolSetError, wrapToolSet } from '../../src/index.ts';
import { type RateLimitOptions, rateLimit } from '../../src/middleware/rate-limit.ts';
import type { FakeServer } from '../support/fake-server.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';

const WIDE = { limit: 1_000, interval: 60_000 } as const;

/** Answers the first `count` calls with a status and headers. */
async function refusing(status: number, headers: () => Record<string, string>, count = 1): Promise<FakeServer> {
  let left = count;
  return fake({
    intercept({ message }, response) {
      if (message.method !== 'tools/call' || left-- <= 0) return undefined;
      response.writeHead(status, headers()).end('slow down');
      return true;
    },
  });
}

async function opened(server: FakeServer, options: Partial<RateLimitOptions> = {}) {
  const limits = rateLimit({ ...WIDE, ...options } as RateLimitOptions);
  const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, middleware: [limits], onWarning: false });
  onTestFinished(() => provider.close());
  const callAs = (id: string, signal?: AbortSignal) =>
    provider.callTool({ server: 's', tool: 'echo', input: {}, principal: { id }, ...(signal && { signal }) }).then(
      (result) => (result.isError ? result : 'ok'),
      (error: unknown) => error as McpToolSetError,
    );
  return { limits, callAs };
}

describe("a server's own limit", () => {
  test.each([
    ['seconds', () => ({ 'retry-after': '30' }), 30_000],
    ['a date', () => ({ 'retry-after': new Date(Date.now() + 30_000).toUTCString(), date: new Date().toUTCString() }), 30_000],
    ['nothing', () => ({}), 1_000],
  ])('M7 M4 429 with Retry-After as %s stops that tenant for so long, and no other', async (_, headers, wait) => {
    const server = await refusing(429, headers);
    const { callAs } = await opened(server, { maxWait: 0 });
    expect(await callAs('a')).toMatchObject({ code: 'rate_limited', data: { status: 429 } });
    expect(server.executed).toEqual([]);

    const second = (await callAs('a')) as McpToolSetError;
    expect(second).toMatchObject({ code: 'rate_limited', data: { allowed: false } });
    expect(second.data.retryAfter).toBeGreaterThan(wait - 1_000);
    expect(second.data.retryAfter).toBeLessThanOrEqual(wait + 1_000);
    expect(second.message).toMatch(/the server asked for a pause\. Nothing was sent\. Try again in \d/);
    expect(server.requests.filter(({ message }) => message.method === 'tools/call')).toHaveLength(1);

    expect(await callAs('b')).toBe('ok');
  });

  test('M3 a pause that fits the budget is waited for, one that does not fails at once, an abort ends the wait', async () => {
    const server = await refusing(429, () => ({ 'retry-after': '3' }));
    const { callAs } = await opened(server, { maxWait: 5_000 });
    expect(await callAs('a')).toMatchObject({ code: 'rate_limited' });
    const start = performance.now();
    const controller = new AbortController();
    const aborted = callAs('a', controller.signal);
    const waiting = callAs('a');
    controller.abort();
    expect(await aborted).toMatchObject({ code: 'aborted' });
    expect(performance.now() - start).toBeLessThan(1_500);
    expect(await waiting).toBe('ok');
    expect(performance.now() - start).toBeGreaterThan(1_500);

    const stubborn = await refusing(429, () => ({ 'retry-after': '3600' }));
    const { callAs: callStubborn } = await opened(stubborn, { maxWait: 3_000 });
    await callStubborn('a');
    const again = performance.now();
    expect(await callStubborn('a')).toMatchObject({ code: 'rate_limited' });
    expect(performance.now() - again).toBeLessThan(2_000);
  });

  test('a 503 that says Retry-After slows the key down too, one that does not does not', async () => {
    const said = await opened(await refusing(503, () => ({ 'retry-after': '20' })), { maxWait: 0 });
    expect(await said.callAs('a')).toMatchObject({ code: 'http_error' });
    expect(await said.callAs('a')).toMatchObject({ code: 'rate_limited' });
    const unsaid = await opened(await refusing(503, () => ({})), { maxWait: 0 });
    expect(await unsaid.callAs('a')).toMatchObject({ code: 'http_error' });
    expect(await unsaid.callAs('a')).toBe('ok');
  });

  test('M2 a limit reported inside a result slows the key down; the result is handed on as it is', async () => {
    const text = 'Rate limit reached. Retry in 45 seconds.';
    const server = await fake({ tools: [{ name: 'echo', result: { content: [{ type: 'text', text }], isError: true } }] });
    const limited: RateLimitOptions['limited'] = (result) => {
      const [block] = result.content as { text?: string }[];
      const seconds = /Retry in (\d+) seconds/.exec(block?.text ?? '')?.[1];
      return seconds === undefined ? undefined : Number(seconds) * 1_000;
    };
    const { callAs } = await opened(server, { maxWait: 0, limited });
    expect(await callAs('a')).toMatchObject({ content: [{ type: 'text', text }] });
    const second = (await callAs('a')) as McpToolSetError;
    expect(second).toMatchObject({ code: 'rate_limited' });
    expect(second.data.retryAfter).toBeGreaterThan(40_000);
    expect(server.executed).toEqual(['echo']);

    const broken = await opened(server, {
      limited() {
        throw new Error('a mistake');
      },
    });
    await broken.callAs('a');
    await broken.callAs('a');
    expect(server.executed).toHaveLength(3);
  });

  test('a limit of another rateLimit() further in does not count as the server’s word', async () => {
    const server = await fake();
    const outer = rateLimit({ ...WIDE, key: ['server'], maxWait: 0 });
    const inner = rateLimit({ limit: 1, interval: 60_000, maxWait: 0 });
    const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, middleware: [outer, inner], onWarning: false });
    onTestFinished(() => provider.close());
    const callAs = (id: string) => provider.callTool({ server: 's', tool: 'echo', input: {}, principal: { id } });
    await callAs('a');
    await expect(callAs('a')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(callAs('b')).resolves.toBeDefined();
  });

  test('M5 M6 neither handshake nor listings of any number of tenants use up a limit of one', async () => {
    const server = await fake();
    const limits = rateLimit({ limit: 1, interval: 60_000, maxWait: 0, key: () => 'all' });
    const set = await toolSet({ servers: { s: { url: server.url } }, middleware: [limits] });
    expect(server.log()).toContain('initialize');
    expect(await set.s_echo?.execute?.({}, executeOptions())).toBeDefined();
    await expect(set.s_echo?.execute?.({}, executeOptions())).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

describe('rateLimit around tools that are not ours', () => {
  const run = (tools: object, name: string): Promise<unknown> =>
    (tools as Record<string, { execute: (input: unknown, options: unknown) => Promise<unknown> }>)[name]!.execute(
      {},
      executeOptions(),
    );

  test('a plain tool() that reports its limit in its output, or throws one', async () => {
    const failure = Object.assign(new Error('too many'), { statusCode: 429 });
    const inputSchema = jsonSchema<object>({ type: 'object' });
    const tools = {
      polite: tool({ inputSchema, execute: async () => ({ retryInMs: 30_000 }) }),
      rude: tool({ inputSchema, execute: (): Promise<string> => Promise.reject(failure) }),
    };
    const limits = rateLimit({
      ...WIDE,
      maxWait: 0,
      key: ['tool'],
      maxConcurrent: 4,
      limited: (result) => (result.foreign as { retryInMs?: number }).retryInMs,
    });
    const wrapped = await wrapToolSet({ tools, middleware: [limits] });
    expect(await run(wrapped, 'polite')).toEqual({ retryInMs: 30_000 });
    await expect(run(wrapped, 'polite')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(run(wrapped, 'rude')).rejects.toBe(failure);
    await expect(run(wrapped, 'rude')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('M7 the tools of @ai-sdk/mcp, with a limit and with a server’s 429', async () => {
    const server = await refusing(429, () => ({ 'retry-after': '30' }));
    const client = await createMCPClient({ transport: { type: 'http', url: server.url }, maxRetries: 0 });
    onTestFinished(() => client.close());
    const limits = rateLimit({ limit: 3, interval: 60_000, maxWait: 2_000 });
    const tools = await wrapToolSet({ tools: await client.tools(), middleware: [limits] });
    await expect(run(tools, 'echo')).rejects.toMatchObject({ statusCode: 429 });
    // Its error has no Retry-After, so a second it is.
    const start = performance.now();
    await run(tools, 'echo');
    expect(performance.now() - start).toBeGreaterThan(200);
    await run(tools, 'echo');
    const refusal = await run(tools, 'echo').catch((error: unknown) => error);
    expect(McpToolSetError.is(refusal) && refusal.code).toBe('rate_limited');
    expect(server.executed).toEqual(['echo', 'echo']);
  });
});
