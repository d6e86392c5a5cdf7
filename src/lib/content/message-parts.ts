/** From what servers send to the parts that a message of the AI SDK holds. */

import type { FilePart, TextPart } from 'ai';
import type { ResourceContents } from '../../types.ts';
import { blocksOf, describeFile, type Piece, readBlock } from './blocks.ts';
import { readMediaType } from './media-type.ts';
import { type MediaChoice, takesMedia } from './view.ts';

/** A part that a user message takes, in ai 6 and 7 alike. */
export type MessagePart = TextPart | FilePart;

/** A part for a piece; what `media` does not name (default: images, audio and PDFs) is a line that says what it is. An image is a file too: the AI SDK's own kind of part for it is deprecated in ai 7. */
export function toMessagePart(piece: Piece, media?: MediaChoice): MessagePart {
  if (typeof piece === 'string') return { type: 'text', text: piece };
  const takes = media === undefined ? readMediaType(piece.mediaType).kind === 'file' : takesMedia(piece.mediaType, media);
  if (!takes) return { type: 'text', text: describeFile(piece) };
  const { mediaType, data, filename } = piece;
  return { type: 'file', mediaType, data, ...(filename !== undefined && { filename }) };
}

/** What a block says in a message. Blank text is no part of one: some providers refuse it. */
export function messagePieces(block: unknown): readonly Piece[] {
  return readBlock(block).filter((piece) => typeof piece !== 'string' || piece.trim() !== '');
}

/**
 * The contents of a resource as parts of a user message: text under a line with its URI and type, images, audio and PDFs as files
 * under such a line, other bytes as a line that says what they are. `media` says which files go as files instead. Never throws.
 *
 * @example
 * ```ts
 * const contents = [{ uri: 'file:///notes.md', mimeType: 'text/markdown', text: '# Notes' }];
 * toParts(contents); // [{ type: 'text', text: 'Resource file:///notes.md (text/markdown):\n# Notes' }]
 * ```
 */
export function toParts(
  contents: readonly ResourceContents[],
  { media }: { readonly media?: MediaChoice | undefined } = {},
): MessagePart[] {
  return blocksOf(contents).flatMap((resource) =>
    messagePieces({ type: 'resource', resource }).map((piece) => toMessagePart(piece, media)),
  );
}
