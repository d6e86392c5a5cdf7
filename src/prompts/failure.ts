/** Says of a request for a prompt that failed which prompt it was, and what was wrong with it where the server's list tells. */

import { McpToolSetError } from '../errors.ts';
import { didYouMean } from '../lib/suggest.ts';
import { withoutValues } from '../lib/without-values.ts';
import type { SendRequest } from '../types.ts';
import { missingArguments } from './arguments.ts';
import type { PromptMemory } from './memory.ts';
import { type Asker, listPrompts, type PromptRow } from './rows.ts';

/** A prompt that is asked for. */
export interface Asked extends Asker {
  readonly server: string;
  readonly name: string;
  /** Texts by now. */
  readonly given: Readonly<Record<string, string>>;
}

const INVALID_PARAMS = -32602;

/** Servers refuse an unknown prompt and a missing argument in many ways: after a refusal their list says which it was. */
export async function explained(
  error: unknown,
  send: SendRequest,
  asked: Asked,
  memory: PromptMemory,
  needsAll = true,
): Promise<McpToolSetError> {
  const { server, name, given, signal, principal, call } = asked;
  const said = named(error, asked);
  if (typeof said.data.code !== 'number' || signal?.aborted) return said;
  const rows = await listPrompts(send, server, { signal, principal, call }, memory).catch(() => undefined);
  // Some servers know prompts that they do not list; an empty list says nothing.
  if (rows === undefined || rows.length === 0) return said;
  const row = rows.find((each) => each.name === name);
  const { cause, data } = said;
  if (row === undefined) return refusal(asked, `the server has no such prompt.${whatThereIs(name, rows)}`, { cause, data });
  const missing = needsAll ? missingArguments(row, given) : undefined;
  return missing === undefined ? said : refusal(asked, missing, { cause, data });
}

/** An `invalid_arguments` error of this prompt. */
export function refusal(
  { server, name }: Pick<Asked, 'server' | 'name'>,
  detail: string,
  more: Pick<McpToolSetError, 'cause'> & Partial<Pick<McpToolSetError, 'data'>> = { cause: undefined },
): McpToolSetError {
  return new McpToolSetError('invalid_arguments', `prompt "${name}": ${detail}`, { server, ...more });
}

/** The same error with the prompt's name, and without the values that a server may have repeated. */
export function named(error: unknown, { server, name, given }: Pick<Asked, 'server' | 'name' | 'given'>): McpToolSetError {
  if (!McpToolSetError.is(error)) {
    return new McpToolSetError('unavailable', `prompt "${name}": asking for it failed in a middleware; see the cause.`, {
      server,
      cause: error,
    });
  }
  const { code, detail, tool, cause, data, result } = error;
  const refused = code === 'protocol_error' && data.code === INVALID_PARAMS ? 'invalid_arguments' : code;
  const place = { server: error.server ?? server, tool };
  const text = `prompt "${name}": ${withoutValues(detail, given)}`;
  return new McpToolSetError(refused, text, { ...place, cause, data, result });
}

function whatThereIs(name: string, rows: readonly PromptRow[]): string {
  const names = rows.map((row) => row.name);
  return didYouMean(name, names) || ` It offers: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.`;
}
