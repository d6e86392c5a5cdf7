/** What a model gets of one content block: lines of text, and files. */

import { decodeText, measureBase64, readBase64 } from './base64.ts';
import { isRecord, jsonText, wellFormed, withoutMeta } from './json.ts';
import { readMediaType } from './media-type.ts';

/** A piece of a block, before the AI SDK's major matters. */
export type Piece = string | FilePiece;

export interface FilePiece {
  readonly mediaType: string;
  /** Standard base64. */
  readonly data: string;
  readonly filename?: string | undefined;
  /** What it is of, where no text before it says so. */
  readonly label?: string | undefined;
}

/** Longest description of a block of a kind that is not known, in characters. */
const DESCRIPTION_LENGTH = 500;

/** The blocks of a result; a server that sends one text or one block instead of a list is understood. */
export function blocksOf(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** What a block says, in order; never throws and never drops one. Links are named, not fetched. */
export function readBlock(block: unknown): readonly Piece[] {
  try {
    if (typeof block === 'string') return [wellFormed(block)];
    if (!isRecord(block)) return [describe(block)];
    if (typeof block.text === 'string' && (block.type === 'text' || block.type === undefined)) return [wellFormed(block.text)];
    if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string') {
      return [readMedia(block.data, block.mimeType, { label: block.type })];
    }
    if (block.type === 'resource_link') return [describeLink(block)];
    if (block.type === 'resource' && isRecord(block.resource)) return readResource(block.resource);
    return [describe(block)];
  } catch {
    return ['[a content block that cannot be read]'];
  }
}

/** One line in place of a file, for where only text can go. */
export function describeFile(file: FilePiece): string {
  return file.label === undefined ? nameFile(file) : `${nameFile(file).slice(0, -1)}: binary data that cannot be shown]`;
}

/** One line where a file belongs that stands behind the text, as the first, the second, … */
export function numberFile(file: FilePiece, number: number): string {
  return `[file ${number}: ${nameFile(file).slice(1)}`;
}

/** One line that says what a file is. `whose` stands behind the type. */
export function nameFile({ mediaType, data, label }: FilePiece, whose = ''): string {
  return line(`[${label === undefined ? '' : `${label}, `}${mediaType}${whose}, ${measureBase64(data) ?? 0} bytes]`);
}

function readResource(resource: Record<string, unknown>): readonly Piece[] {
  const uri = typeof resource.uri === 'string' ? resource.uri : '(no URI)';
  const header = line(`Resource ${uri}${typeof resource.mimeType === 'string' ? ` (${resource.mimeType})` : ''}:`);
  if (typeof resource.text === 'string') return [`${header}\n${wellFormed(resource.text)}`];
  if (typeof resource.blob !== 'string') return [`${header} ${describe(resource)}`];
  const piece = readMedia(resource.blob, resource.mimeType, { label: `resource ${uri}`, header, filename: filenameOf(uri) });
  return typeof piece === 'string' || piece.label !== undefined ? [piece] : [header, piece];
}

/** Bytes as a file, as the text that they are, or as one line that says what they are. */
function readMedia(
  raw: string,
  mimeType: unknown,
  { label, header, filename }: { label: string; header?: string; filename?: string | undefined },
): Piece {
  const { name, kind, charset } = readMediaType(mimeType);
  const data = readBase64(raw);
  if (data === undefined) return line(`[${label}, ${name}: its data is not valid base64]`);
  if (data !== '' && kind === 'file') return { mediaType: name, data, filename };
  const text = kind === 'text' ? decodeText(data, charset) : undefined;
  if (text !== undefined) return wellFormed(header === undefined ? text : `${header}\n${text}`);
  const file = { mediaType: name, data, filename, label };
  return data === '' ? describeFile(file) : file;
}

function describeLink({ name, uri, mimeType, description }: Record<string, unknown>): string {
  const label = typeof name === 'string' && name !== '' ? ` — ${name}` : '';
  const type = typeof mimeType === 'string' && mimeType !== '' ? ` (${mimeType})` : '';
  const note = typeof description === 'string' && description !== '' ? `: ${description}` : '';
  return line(`Resource link: ${typeof uri === 'string' ? uri : '(no URI)'}${label}${type}${note}`);
}

function describe(block: unknown): string {
  const text = jsonText(withoutMeta(isRecord(block) ? block : { value: block }));
  const cut = text.length > DESCRIPTION_LENGTH ? `${wellFormed(text.slice(0, DESCRIPTION_LENGTH))}…` : text;
  return line(`[content of an unknown type: ${cut}]`);
}

function filenameOf(uri: string): string | undefined {
  const name = uri.split(/[?#]/, 1)[0]?.split(/[/\\]/).at(-1);
  return name === undefined || name === '' || name.includes(':') ? undefined : name;
}

function line(text: string): string {
  return wellFormed(text.replace(/[\r\n]+/g, ' '));
}
