/** From the pieces of a result to what the installed AI SDK takes. */

import type { Tool } from 'ai';
import { aiMajor } from './ai-version.ts';
import { describeFile, type FilePiece, numberFile, type Piece } from './blocks.ts';
import { type MediaChoice, takesMedia } from './view.ts';

/** What the installed AI SDK takes from `toModelOutput`. */
export type ModelOutput = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
export type ContentPart = Extract<ModelOutput, { type: 'content' }>['value'][number];

/**
 * Text alone as a text; with files, one text part and then the files, in order. A line in the text says where each file belongs, unless
 * all of the text comes before a single one. Gemini takes exactly one text for each call, and puts files behind it in any case.
 */
export function toOutput(pieces: readonly Piece[], media: MediaChoice | undefined): ModelOutput {
  const shown = pieces.map((piece) =>
    typeof piece === 'string' || takesMedia(piece.mediaType, media) ? piece : describeFile(piece),
  );
  const files = shown.filter((piece) => typeof piece !== 'string');
  if (files.length === 0) return { type: 'text', value: shown.join('\n') };
  const [first] = files;
  const plain = files.length === 1 && shown.length > 1 && shown.at(-1) === first && first?.label === undefined;
  const texts = shown.flatMap((piece) => {
    if (typeof piece === 'string') return [piece];
    return plain ? [] : [numberFile(piece, files.indexOf(piece) + 1)];
  });
  return { type: 'content', value: [{ type: 'text', text: texts.join('\n') }, ...files.map(toPart)] };
}

/** The AI SDK's part for a file. */
function toPart({ mediaType, data, filename }: FilePiece): ContentPart {
  const name = filename === undefined ? {} : { filename };
  if (aiMajor === 7) return { type: 'file', mediaType, data: { type: 'data', data }, ...name } as unknown as ContentPart;
  return mediaType.startsWith('image/')
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...name };
}
