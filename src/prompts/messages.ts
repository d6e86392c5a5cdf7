/** The messages of a prompt as those of the AI SDK. */

import type { ModelMessage } from 'ai';
import { describeFile, type Piece } from '../lib/content/blocks.ts';
import { type MessagePart, messagePieces, toMessagePart } from '../lib/content/message-parts.ts';
import type { SaidMessage } from './get.ts';

interface Turn {
  readonly role: SaidMessage['role'];
  readonly parts: MessagePart[];
}

/**
 * Order and roles stay; what one role says in a row becomes one message, and what says nothing becomes none. Most providers drop or
 * refuse files in an assistant message: such a file comes in a user message right behind, under a line that says whose it was.
 */
export function toModelMessages(said: readonly SaidMessage[]): ModelMessage[] {
  const turns: Turn[] = [];
  const add = (role: Turn['role'], ...pieces: readonly Piece[]): void => {
    const last = turns.at(-1);
    const parts = pieces.map((piece) => toMessagePart(piece));
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts });
  };
  for (const { role, blocks } of said) {
    for (const piece of blocks.flatMap(messagePieces)) {
      if (role === 'assistant' && typeof piece !== 'string') {
        add('user', `[The assistant's message above holds this file: ${describeFile(piece).slice(1)}`, piece);
      } else add(role, piece);
    }
  }
  return turns.map(({ role, parts }) => ({ role, content: parts }));
}
