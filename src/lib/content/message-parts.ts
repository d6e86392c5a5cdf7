/** From the pieces of a block to the parts of a message in a prompt, the same in both majors of the AI SDK. */

import type { FilePart, TextPart } from 'ai';
import type { Piece } from './blocks.ts';

/** What stands in the content of a user's or an assistant's message. */
export type MessagePart = TextPart | FilePart;

export function toMessagePart(piece: Piece): MessagePart {
  if (typeof piece === 'string') return { type: 'text', text: piece };
  const { mediaType, data, filename } = piece;
  return { type: 'file', mediaType, data, ...(filename === undefined ? {} : { filename }) };
}
