/** Cuts the middle out of what a model would read of a result, however many blocks it is spread over. */

import { type FilePiece, numberFile, type Piece, readBlock } from '../../lib/content/blocks.ts';
import type { ContentBlock } from '../../types.ts';
import { headWithin, type Measure, tailWithin } from './budget.ts';

/** The text of all pieces as one, and where each piece's part of it is; a file has none. */
export interface Script {
  readonly text: string;
  /** The most that the model reads about the files. It cannot be cut. */
  readonly beside: string;
  readonly parts: readonly (FilePiece | { readonly start: number; readonly end: number })[];
}

/** The gap between head and tail, in characters (UTF-16 units) of the whole text. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Joined as the model reads them. */
export function readScript(pieces: readonly Piece[]): Script {
  const texts: string[] = [];
  let end = -1;
  const parts = pieces.map((piece) => {
    if (typeof piece !== 'string') return piece;
    texts.push(piece);
    const start = end + 1;
    end = start + piece.length;
    return { start, end };
  });
  const files = pieces.filter((piece) => typeof piece !== 'string');
  return { text: texts.join('\n'), beside: files.map(saidOf).join(''), parts };
}

/** `head`: the share of the budget that the beginning gets. */
export function findGap(text: string, budget: number, head: number, measure: Measure): Gap {
  const from = headWithin(text, budget * head, measure);
  const left = budget - (from === 0 ? 0 : measure(text.slice(0, from)));
  return { from, to: tailWithin(text, from, head === 1 ? 0 : left, measure) };
}

/** The pieces as blocks without the gap, with the notice once in its place. What is all gap goes; files stay where they are. */
export function closeGap({ text, parts }: Script, { from, to }: Gap, notice: string): readonly ContentBlock[] {
  let told = false;
  return parts.flatMap((part): readonly ContentBlock[] => {
    if (!('start' in part)) return [toBlock(part)];
    const { start, end } = part;
    const head = text.slice(start, Math.max(start, Math.min(end, from)));
    const tail = text.slice(Math.min(end, Math.max(start, to)), end);
    const here = !told && from <= end;
    told ||= here;
    const kept = here ? `${head}${notice}${tail}` : head + tail;
    return kept === '' ? [] : [{ type: 'text', text: kept }];
  });
}

/** Whether it is sent or not, depending on what the model takes. */
function saidOf(file: FilePiece, index: number): string {
  const lines = readBlock(toBlock(file)).map((piece) => (typeof piece === 'string' ? piece : numberFile(piece, index + 1)));
  return `\n${lines.join('\n')}`;
}

/** Nothing of a file is text for the model but its kind; what was said of it stands before it as text. */
function toBlock({ mediaType, data, filename = 'file' }: FilePiece): ContentBlock {
  const [kind] = mediaType.split('/');
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType: mediaType };
  const uri = `file:///${filename.replace(/[^\w.-]/g, '_').slice(-60)}`;
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } };
}
