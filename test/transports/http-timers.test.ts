import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FetchLike } from '../../src/servers.ts';
import { drive, event } from './http-support.ts';

// The clock is faked and `fetch` given, so the only timers are those of the transport.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const URL = 'https://docs.example.com/mcp';
const never: FetchLike = () => new Promise(() => {});
const reply = { jsonrpc: '2.0', id: 1, result: {} };

test('a request waits without a timer, and leaves none', async () => {
  const json: FetchLike = async () => Response.json(reply);
  const { request, transport } = drive(URL, { fetch: json });
  await request('ping');
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await transport.acknowledged;
  expect(vi.getTimerCount()).toBe(0);
  const waiting = drive(URL, { fetch: never });
  const sending = waiting.request('ping').catch(() => {});
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
  await waiting.transport.close();
  await sending;
});

test('a message without a reply has ten seconds', async () => {
  const { transport, errors } = drive(URL, { fetch: never });
  await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(errors).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await transport.acknowledged;
  expect(errors).toEqual([expect.objectContaining({ code: 'timeout', message: expect.stringContaining('10000 ms') })]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a stream has a moment to end after the reply, then it is cancelled', async () => {
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(event(reply))),
    cancel() {
      cancelled = true;
    },
  });
  const { request, messages } = drive(URL, {
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const sending = request('ping');
  await vi.advanceTimersByTimeAsync(99);
  expect([messages.length, cancelled]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(1);
  await sending;
  expect(cancelled).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('close ends such a stream at once', async () => {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(event(reply))) });
  const { request, transport } = drive(URL, {
    fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const sending = request('ping');
  await vi.advanceTimersByTimeAsync(10);
  await transport.close();
  await sending;
  expect(vi.getTimerCount()).toBe(0);
});

test('B16 the end of a session has two seconds', async () => {
  const opening: FetchLike = async (_, init) =>
    init?.method === 'POST' ? Response.json(reply, { headers: { 'mcp-session-id': 'session' } }) : never(URL);
  const { request, transport } = drive(URL, { fetch: opening });
  await request('initialize');
  let closed = false;
  transport.onclose = () => {
    closed = true;
  };
  const closing = transport.close();
  await vi.advanceTimersByTimeAsync(1_999);
  expect(closed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  expect(closed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
