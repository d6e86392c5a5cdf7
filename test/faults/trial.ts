/** One attempt at a misbehaving server: whatever happens in it is cleaned up, and nothing of it may be left. */

import { expect } from 'vitest';
import {
  closeToolSet,
  createMcpToolSet,
  type HttpServer,
  type McpErrorCode,
  type McpToolSet,
  McpToolSetError,
  type McpToolSetOptions,
  type McpWarning,
} from '../../src/index.ts';
import { executeOptions } from '../support/model.ts';
import { type FaultServer, type SwitchUse, startFaultServer, WRITE } from './http-server.ts';
import { expectNoListeners, expectNoMoreThan, expectQuiet, takeCensus, watchRejections } from './leaks.ts';

export interface Trial {
  readonly server: FaultServer;
  /** A well-behaved server beside it, which must hear nothing. */
  readonly other: FaultServer;
  readonly warnings: McpWarning[];
  /** The caller's signal of every call. */
  readonly caller: AbortController;
  /** A set whose one server, `s`, is the misbehaving one. It is closed with the trial. */
  set(options?: Partial<McpToolSetOptions>, http?: Partial<HttpServer>): Promise<McpToolSet>;
  /** How a call of one of its tools ends. */
  call(tools: McpToolSet, tool?: string, input?: unknown): Promise<string>;
}

export interface TrialOptions {
  readonly switches?: readonly SwitchUse[];
  /** The server refuses to end its sessions. */
  readonly keepsSessions?: boolean;
}

/** Long enough to be no reason for a failure on a slow machine. */
export const AMPLE = { connect: 10_000, request: 10_000, total: 15_000 } as const;
/** Closing a set takes no longer than this, whatever its servers do; in milliseconds. */
const LONGEST_CLOSE = 6_000;

export async function trial(options: TrialOptions, work: (trial: Trial) => Promise<void>): Promise<void> {
  const before = takeCensus();
  const rejections = watchRejections();
  const other = await startFaultServer();
  const server = await startFaultServer({ switches: options.switches ?? [], elsewhere: other.url });
  const sets: McpToolSet[] = [];
  const caller = new AbortController();
  try {
    const warnings: McpWarning[] = [];
    await work({
      server,
      other,
      warnings,
      caller,
      async set(own = {}, http = {}) {
        const config: HttpServer = { url: server.url, ...http };
        const onWarning = (warning: McpWarning): void => void warnings.push(warning);
        const tools = await createMcpToolSet({ servers: { s: config }, timeouts: AMPLE, onWarning, ...own });
        sets.push(tools);
        return tools;
      },
      call: (tools, tool = WRITE, input = {}) =>
        outcome(async () => find(tools, tool).execute?.(input, executeOptions(caller.signal))),
    });
    await within(Promise.all(sets.map(closeToolSet)), LONGEST_CLOSE, 'closing');
    expectNoListeners(caller.signal);
    await expectQuiet(server, options.keepsSessions);
  } finally {
    await Promise.allSettled(sets.map(closeToolSet));
    await Promise.all([server.close(), other.close()]);
    rejections.end();
  }
  await expectNoMoreThan(before);
}

/** The code of the error that it ends with, which must be one of ours, or the text of the answer. */
export async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    return textOf(await work());
  } catch (error) {
    if (!McpToolSetError.is(error)) throw error;
    expect(error.message, 'an error says what happened').not.toBe('');
    return error.code;
  }
}

/** What a set that cannot be made, or a tool call, ends with. */
export async function failure(promise: unknown): Promise<McpToolSetError> {
  const error = await Promise.resolve(promise).then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!McpToolSetError.is(error)) throw error;
  return error;
}

export interface Expectation {
  /** What the call ends with; absent: the right answer. */
  readonly code?: McpErrorCode;
  /** How often the call takes effect on the server. */
  readonly executed: number;
  /** Budgets, where a call is meant to end by one. */
  readonly request?: number;
  readonly total?: number;
  /** Whether the next call meets the switch again, and ends the same; otherwise it is right. */
  readonly persists?: boolean;
  readonly http?: Partial<HttpServer>;
  readonly keepsSessions?: boolean;
}

export const RIGHT = `${WRITE} done`;

/** Calls the tool that changes things once, and once more: the set must be as good as before. */
export async function tryCall(
  switches: readonly SwitchUse[],
  { code, executed, request = AMPLE.request, total = AMPLE.total, persists = true, http = {}, ...options }: Expectation,
): Promise<void> {
  await trial({ switches, ...options }, async ({ server, other, set, call }) => {
    const tools = await set({ timeouts: { ...AMPLE, request, total } }, http);
    expect(await call(tools)).toBe(code ?? RIGHT);
    expect(server.executed).toHaveLength(executed);
    expect(await call(tools)).toBe(persists ? (code ?? RIGHT) : RIGHT);
    expect(server.executed.length).toBeLessThanOrEqual(2 * Math.max(executed, 1));
    expect(other.requests).toEqual([]);
  });
}

export function find(tools: McpToolSet, originalName: string): McpToolSet[string] {
  const found = Object.values(tools).find((tool) => tool.metadata?.toolName === originalName);
  if (found === undefined) throw new Error(`there is no tool "${originalName}" among ${Object.keys(tools).join(', ')}`);
  return found;
}

async function within(promise: Promise<unknown>, milliseconds: number, what: string): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${milliseconds} ms`)), milliseconds);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function textOf(result: unknown): string {
  const { content } = (result ?? {}) as { content?: readonly { readonly text?: string }[] };
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}

/** Waits until something holds; the test's own time-out is the bound. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
