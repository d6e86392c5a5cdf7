/** From the pieces of a block to the parts that the installed AI SDK takes. */

import type { Tool } from 'ai';
import { aiMajor } from './ai-version.ts';
import type { Piece } from './blocks.ts';

/** What the installed AI SDK takes from `toModelOutput`. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
export type ContentPart = Extract<ModelOutput, { type: 'content' }>['value'][number];

/** The AI SDK's part for a piece. */
export function toPart(piece: Piece): ContentPart {
  if (typeof piece === 'string') return { type: 'text', text: piece };
  const { mediaType, data, filename } = piece;
  const name = filename === undefined ? {} : { filename };
  if (aiMajor === 7) return { type: 'file', mediaType, data: { type: 'data', data }, ...name } as unknown as ContentPart;
  return mediaType.startsWith('image/')
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...name };
}
