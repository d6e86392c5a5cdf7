/** The prompts of a provider's servers, for the application. */

import type { McpToolProviderOptions } from '../api.ts';
import { checkPromptComplete, checkPromptGet, checkPromptList } from '../config/methods.ts';
import { closedError } from '../connection/failure.ts';
import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import type { McpPrompts, PromptGetOptions, PromptListOptions } from '../prompts/api.ts';
import { completeArgument } from '../prompts/complete.ts';
import { named, refusal } from '../prompts/failure.ts';
import { askPrompt } from '../prompts/get.ts';
import type { PromptMemory } from '../prompts/memory.ts';
import { toModelMessages } from '../prompts/messages.ts';
import { type PromptRow, promptRows } from '../prompts/rows.ts';
import type { McpWarning } from '../report.ts';
import type { McpRequest } from '../types.ts';
import type { Caller } from './caller.ts';
import type { Core } from './core.ts';
import { enabledServers, unknownServer } from './offers.ts';

export interface PromptsOptions {
  readonly core: Core;
  readonly options: McpToolProviderOptions;
  readonly caller: Caller;
  readonly warn: (warning: McpWarning) => void;
}

/** What has to be known of a server before it is asked. */
interface Reached {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly memory: PromptMemory;
}

type Asking = Pick<McpRequest, 'method' | 'principal' | 'signal'>;

export function createPrompts({ core, options, caller, warn }: PromptsOptions): McpPrompts {
  const { routes } = core;
  const { send } = caller.of(undefined);

  /** Connects if need be. */
  async function reach(server: string, asking: Asking): Promise<Reached> {
    if (core.closed) throw closedError(server);
    if (!routes.servers.has(server)) throw unknownServer(server, [...routes.servers.keys()]);
    const { method, signal } = asking;
    try {
      const { connection, identity, prompts } = await routes.find(server, asking);
      const { facts } = await connection.ready(identity.headers, signal);
      return { capabilities: facts.capabilities, memory: prompts };
    } catch (error) {
      if (signal?.aborted && !McpToolSetError.is(error)) throw aborted(server, method, error);
      if (McpToolSetError.is(error)) throw error.at({ server });
      throw new McpToolSetError('unavailable', 'connecting failed in a middleware; see the cause.', { server, cause: error });
    }
  }

  /** The same for one prompt, which its error then names. */
  async function reachFor({ server, name }: PromptGetOptions, asking: Asking): Promise<Reached> {
    const outcome = await settled(reach(server, asking));
    if ('value' in outcome) return outcome.value;
    const isMistake = McpToolSetError.is(outcome.error) && outcome.error.code === 'config_invalid';
    throw isMistake ? outcome.error : named(outcome.error, { server, name, given: {} });
  }

  async function* list(request: PromptListOptions): AsyncGenerator<PromptRow, void, undefined> {
    if (core.closed) throw closedError(request.server);
    const { server, principal = options.principal, signal } = request;
    const keys = server === undefined ? enabledServers(routes) : [server];
    // Connecting goes side by side, listing one after the other, as rows are asked for.
    const scope = openScope({ parents: [signal] });
    const asker = { principal, signal: scope.signal };
    const reached = keys.map((key) => settled(reach(key, { method: 'prompts/list', ...asker })));
    const failures: McpToolSetError[] = [];
    try {
      for (const [index, key] of keys.entries()) {
        try {
          const outcome = await reached[index];
          if (outcome === undefined || 'error' in outcome) throw outcome?.error;
          const { capabilities, memory } = outcome.value;
          if (capabilities.prompts !== undefined) yield* promptRows(send, key, asker, memory);
        } catch (error) {
          const failure = toError(error, key, 'prompts/list');
          if (server !== undefined || signal?.aborted || core.closed) throw failure;
          failures.push(failure);
        }
      }
      if (failures.length > 0 && failures.length === keys.length) throw failures[0];
      for (const error of failures) {
        const message = `${error.message} Its prompts are left out.`;
        warn({ kind: 'server_failed', server: error.server, error, message });
      }
    } finally {
      // Nobody waits any more for those that still connect.
      scope.abort(closedError());
    }
  }

  return {
    list(request = {}) {
      checkPromptList(request);
      return { [Symbol.asyncIterator]: () => list(request) };
    },
    async get(request) {
      checkPromptGet(request);
      const { principal = options.principal, ...asked } = request;
      const { signal } = asked;
      const { capabilities, memory } = await reachFor(asked, { method: 'prompts/get', principal, signal });
      if (capabilities.prompts === undefined) throw refusal(asked, 'the server offers no prompts.');
      return toModelMessages(await within(asked, 'prompts/get', askPrompt(send, { ...asked, principal }, memory)));
    },
    async complete(request) {
      checkPromptComplete(request);
      const { principal = options.principal, ...asked } = request;
      const { signal } = asked;
      const { capabilities, memory } = await reachFor(asked, { method: 'completion/complete', principal, signal });
      if (capabilities.completions === undefined) return [];
      return within(asked, 'completion/complete', completeArgument(send, { ...asked, principal }, memory));
    },
  };
}

/** Also a middleware that hears of no signal keeps nobody waiting who has gone. */
async function within<T>({ server, name, signal }: PromptGetOptions, method: string, work: Promise<T>): Promise<T> {
  try {
    return await abortable(work, signal);
  } catch (error) {
    throw McpToolSetError.is(error) ? error : aborted(server, `prompt "${name}": ${method}`, error);
  }
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

function settled<T>(promise: Promise<T>): Promise<Outcome<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

function toError(error: unknown, server: string, method: string): McpToolSetError {
  if (McpToolSetError.is(error)) return error.at({ server });
  return new McpToolSetError('unavailable', `${method} failed in a middleware; see the cause.`, { server, cause: error });
}

function aborted(server: string, method: string, cause: unknown): McpToolSetError {
  return new McpToolSetError('aborted', `${method} was aborted by its caller.`, { server, cause });
}
