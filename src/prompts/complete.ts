/** Asks a server how the value of a prompt's argument may go on. */

import { complete } from '../connection/complete.ts';
import type { SendRequest } from '../types.ts';
import { type Asked, explained } from './failure.ts';
import { type PromptRequest, textsOf } from './get.ts';
import type { PromptMemory } from './memory.ts';
import { isMissingMethod } from './rows.ts';

export interface CompletionRequest extends PromptRequest {
  /** The name of the argument. */
  readonly argument: string;
  /** What there is of it so far. */
  readonly value: string;
}

/** In the server's order. Empty where the server has no such method. */
export async function completeArgument(
  send: SendRequest,
  { argument, value, arguments: values, ...request }: CompletionRequest,
  memory: PromptMemory,
): Promise<readonly string[]> {
  const { server, name, ...asker } = request;
  const { [argument]: _own, ...others } = textsOf(request, values);
  const asked: Asked = { ...request, given: { ...others, [argument]: value } };
  const context = Object.keys(others).length > 0 ? { arguments: others } : undefined;
  const ref = { type: 'ref/prompt', name } as const;
  try {
    return await complete(send, { server, ref, argument: { name: argument, value }, context, ...asker });
  } catch (error) {
    if (isMissingMethod(error)) return [];
    throw await explained(error, send, asked, memory, false);
  }
}
