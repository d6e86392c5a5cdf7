/** What was read, as blocks: the part that was asked for, within what a model can take at once. */

import { decodeText, measureBase64, readBase64 } from '../lib/content/base64.ts';
import { readMediaType } from '../lib/content/media-type.ts';
import type { ContentBlock, ResourceContents } from '../types.ts';

export interface WindowOptions {
  /** Characters of all text of the read, in order, that are left out. */
  readonly offset: number;
  /** Characters from there on. */
  readonly limit: number;
  readonly maxMediaBytes: number;
}

export interface Window {
  readonly blocks: readonly ContentBlock[];
  /** Characters of text that there are. */
  readonly total: number;
  /** Where the given text begins and ends in it. */
  readonly from: number;
  readonly to: number;
  /** Whether the blocks are not simply what the server sent. */
  readonly changed: boolean;
}

/** A single text stands for itself; of several contents, each keeps its URI. Files stand where they are between the texts. */
export function windowOf(contents: readonly ResourceContents[], { offset, limit, maxMediaBytes }: WindowOptions): Window {
  const read = contents.map(readContents);
  const total = read.reduce((sum, { text = '' }) => sum + text.length, 0);
  const joined = read.map(({ text = '' }) => text).join('');
  const from = edge(joined, Math.min(offset, total));
  const to = Math.max(edge(joined, Math.min(from + limit, total)), Math.min(total, nextEdge(joined, from)));
  const alone = contents.length === 1;
  let changed = false;
  let position = 0;
  const blocks: ContentBlock[] = [];
  for (const [index, { text, resource }] of read.entries()) {
    const start = position;
    position += text?.length ?? 0;
    if (text === undefined) {
      // What stands before the beginning was given with the part before.
      if (start < from || start > to || (start === to && to < total)) changed = true;
      else blocks.push(fileBlock(resource, maxMediaBytes));
      changed ||= blocks.at(-1)?.type === 'text';
      continue;
    }
    const part = text.slice(Math.max(0, from - start), Math.max(0, to - start));
    changed ||= part !== contents[index]?.text;
    if (part === '' && text !== '') continue;
    if (alone) blocks.push({ type: 'text', text: part });
    else blocks.push({ type: 'resource', resource: { ...plain(resource), text: part } });
  }
  return { blocks, total, from, to, changed };
}

/** Text that a server put into a blob is text. */
function readContents(resource: ResourceContents): { readonly resource: ResourceContents; readonly text?: string } {
  if (typeof resource.text === 'string') return { resource, text: resource.text };
  const { kind, charset } = readMediaType(resource.mimeType);
  const data = kind === 'text' ? readBase64(resource.blob) : undefined;
  const text = data === undefined ? undefined : decodeText(data, charset);
  return text === undefined ? { resource } : { resource, text };
}

function plain({ uri, mimeType }: ResourceContents): { readonly uri: string; readonly mimeType?: string } {
  return mimeType === undefined ? { uri } : { uri, mimeType };
}

function fileBlock(resource: ResourceContents, maxBytes: number): ContentBlock {
  const bytes = measureBase64(resource.blob) ?? 0;
  if (bytes <= maxBytes) return { type: 'resource', resource };
  const { name } = readMediaType(resource.mimeType);
  const text = `[Resource ${resource.uri}, ${name}, ${bytes} bytes: larger than the ${maxBytes} bytes that are shown]`;
  return { type: 'text', text: text.replace(/[\r\n]+/g, ' ') };
}

/** Longest sequence of code points that is looked at as one character. */
const LONGEST = 64;

/** The nearest place at or before this one that parts no character. */
function edge(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  const from = Math.max(0, at - LONGEST);
  const segment = segmenter()
    .segment(text.slice(from, at + LONGEST))
    .containing(at - from);
  // A character longer than any is parted all the same, but no half of one.
  return segment === undefined || (segment.index === 0 && from > 0) ? whole(text, at) : from + segment.index;
}

/** The place after the character that begins here. */
function nextEdge(text: string, at: number): number {
  if (at >= text.length) return at;
  const segment = segmenter()
    .segment(text.slice(at, at + LONGEST))
    .containing(0);
  return at + (segment?.segment.length ?? 1);
}

function whole(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

let graphemes: Intl.Segmenter | undefined;
function segmenter(): Intl.Segmenter {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return graphemes;
}
