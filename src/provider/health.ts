/** Asks open connections from time to time whether they are well, and ends those that are not. */

import { McpToolSetError } from '../errors.ts';
import { bindsIoToRequests, unrefTimer } from '../lib/runtime.ts';
import type { Routes } from './routes.ts';

/** A refusal is an answer: a limit or a rejected token says nothing of the connection. */
const ANSWERS: ReadonlySet<unknown> = new Set(['protocol_error', 'rate_limited', 'unauthorized', 'forbidden', 'not_allowed']);

const isAnswer = (error: unknown): boolean => McpToolSetError.is(error) && ANSWERS.has(error.code);

/** Returns the function that ends it. Nothing is opened by it, and one round is over before the next begins. */
export function startHealthCheck(routes: Routes, interval: number): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function check(): Promise<void> {
    const open = routes.open().filter(({ connection }) => connection.link !== undefined);
    await Promise.all(
      open.map(async (route) => {
        const { link } = route.connection;
        const well = await routes.ping(route, ended.signal).then(() => true, isAnswer);
        // What took its place meanwhile is not the one that failed, and what is borrowed has no other to take its place.
        if (well || ended.signal.aborted || route.connection.link !== link || link?.replaceable !== true) return;
        route.connection.discard();
      }),
    );
    plan();
  }
  function plan(): void {
    if (ended.signal.aborted) return;
    timer = setTimeout(() => void check(), interval);
    unrefTimer(timer);
  }

  // Where timers die with their request, there is nothing that could ask.
  if (!bindsIoToRequests()) plan();
  return () => {
    clearTimeout(timer);
    ended.abort();
  };
}
