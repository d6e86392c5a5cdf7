/** Asks a server for one prompt, filled in. */

import { McpToolSetError } from '../errors.ts';
import { blocksOf } from '../lib/content/blocks.ts';
import { isRecord } from '../lib/content/json.ts';
import type { SendRequest } from '../types.ts';
import { missingArguments, toTexts } from './arguments.ts';
import { type Asked, explained, refusal } from './failure.ts';
import type { PromptMemory } from './memory.ts';

/** A message as a server gave it. */
export interface SaidMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly unknown[];
}

export type PromptRequest = Omit<Asked, 'given'> & { readonly arguments?: Readonly<Record<string, unknown>> | undefined };

/**
 * The messages, in order. Throws `invalid_arguments` before anything is sent where the server's list is known and says that an argument
 * is missing, and after a refusal where the list then tells what was wrong.
 */
export async function askPrompt(
  send: SendRequest,
  { arguments: values, ...request }: PromptRequest,
  memory: PromptMemory,
): Promise<readonly SaidMessage[]> {
  const { server, name, ...asker } = request;
  const asked: Asked = { ...request, given: textsOf(request, values) };
  const { given } = asked;
  const known = memory.recall()?.find((row) => row.name === name);
  const missing = known === undefined ? undefined : missingArguments(known, given);
  if (missing !== undefined) throw refusal(request, missing);
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) };
  try {
    return readMessages(await send({ method: 'prompts/get', server, params, peer: {}, ...asker }));
  } catch (error) {
    throw await explained(error, send, asked, memory);
  }
}

/** The arguments as texts; the error for one that is none says of which prompt. */
export function textsOf(
  request: Pick<PromptRequest, 'server' | 'name'>,
  values: PromptRequest['arguments'],
): Record<string, string> {
  try {
    return toTexts(values);
  } catch (error) {
    throw refusal(request, McpToolSetError.is(error) ? error.detail : 'its arguments cannot be read.');
  }
}

/** Read leniently: one message in place of a list, a list of blocks or a bare text in place of a block. */
function readMessages({ messages }: Readonly<Record<string, unknown>>): readonly SaidMessage[] {
  const list = isRecord(messages) ? [messages] : messages;
  if (!Array.isArray(list))
    throw new McpToolSetError('bad_response', 'the answer to prompts/get has no messages. Fix the server.');
  return list.flatMap((message: unknown): SaidMessage[] => {
    if (typeof message === 'string') return [{ role: 'user', blocks: [message] }];
    if (!isRecord(message)) return [];
    // Only these two are MCP's; whatever else a server calls itself, it does not speak with more weight than a user.
    return [{ role: message.role === 'assistant' ? 'assistant' : 'user', blocks: blocksOf(message.content) }];
  });
}
