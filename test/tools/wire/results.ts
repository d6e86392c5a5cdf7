/** Results of every kind of block that a server can send. */

import type { CallToolResult } from '../../../src/types.ts';

export type FileKind = 'png' | 'jpeg' | 'webp' | 'gif' | 'wav' | 'mp3' | 'pdf' | 'zip';

/** Long enough to be told from anything else in a request. */
export const DATA = {
  png: Buffer.from('\x89PNG\r\n\x1a\n a picture of png make'.repeat(8), 'latin1').toString('base64'),
  jpeg: Buffer.from('\xff\xd8\xff a picture of jpeg make'.repeat(8), 'latin1').toString('base64'),
  webp: Buffer.from('RIFF....WEBP a picture of webp make'.repeat(8)).toString('base64'),
  gif: Buffer.from('GIF89a a picture of gif make'.repeat(8)).toString('base64'),
  wav: Buffer.from('RIFF sound of wav make'.repeat(8)).toString('base64'),
  mp3: Buffer.from('ID3 sound of mp3 make'.repeat(8)).toString('base64'),
  pdf: Buffer.from('%PDF-1.7 a document'.repeat(8)).toString('base64'),
  zip: Buffer.from('PK\x03\x04 an archive\xff'.repeat(8), 'latin1').toString('base64'),
};

const text = (value: string): object => ({ type: 'text', text: value });
const base64 = (value: string): string => Buffer.from(value).toString('base64');
const image = (kind: 'png' | 'jpeg' | 'webp' | 'gif'): object => ({ type: 'image', data: DATA[kind], mimeType: `image/${kind}` });
const resource = (uri: string, mimeType: string, rest: object): object => ({
  type: 'resource',
  resource: { uri, mimeType, ...rest },
});
const result = (...content: object[]): CallToolResult => ({ content }) as CallToolResult;

export const RESULTS = {
  text: result(text('one'), text('two')),
  'image/png': result(text('see'), image('png')),
  'image/png alone': result(image('png')),
  'images between texts': result(text('A'), image('png'), text('B'), image('jpeg'), text('C')),
  'image/jpeg': result(text('see'), image('jpeg')),
  'image/webp': result(text('see'), image('webp')),
  'image/gif': result(text('see'), image('gif')),
  'image/svg+xml': result({ type: 'image', data: base64('<svg/>'), mimeType: 'image/svg+xml' }),
  'audio/wav': result(text('hear'), { type: 'audio', data: DATA.wav, mimeType: 'audio/wav' }),
  'audio/mpeg alone': result({ type: 'audio', data: DATA.mp3, mimeType: 'audio/mpeg' }),
  'application/pdf': result(resource('file:///r.pdf', 'application/pdf', { blob: DATA.pdf })),
  'application/zip': result(resource('file:///r.zip', 'application/zip', { blob: DATA.zip })),
  'text in a blob': result(resource('file:///r.csv', 'text/csv', { blob: base64('a,b') })),
  'embedded text': result(resource('file:///r.txt', 'text/plain', { text: 'hello' })),
  'resource link': result({ type: 'resource_link', uri: 'file:///l.txt', name: 'l.txt', mimeType: 'text/plain' }),
  'unknown type': result(text('before'), { type: 'chart', points: [1] }),
  'structured alone': { structuredContent: { n: 1 } } as unknown as CallToolResult,
  'structured, the same as the text': { content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } },
  'structured, other than the text': { content: [{ type: 'text', text: 'one found' }], structuredContent: { n: 1 } },
  'an error with an image': { ...result(text('failed'), image('png')), isError: true },
  empty: result(),
  'for the user alone': result({ ...text('secret words'), annotations: { audience: ['user'] } }),
} satisfies Record<string, CallToolResult>;

export type ResultName = keyof typeof RESULTS;

/** What a model should be told of a result, in whatever format. */
export interface Told {
  readonly text: string;
  readonly files?: readonly { readonly kind: FileKind; readonly mediaType: string; readonly filename?: string }[];
  readonly error?: true;
}

const PNG = { kind: 'png', mediaType: 'image/png' } as const;
const JPEG = { kind: 'jpeg', mediaType: 'image/jpeg' } as const;
const WEBP = { kind: 'webp', mediaType: 'image/webp' } as const;
const PDF = { kind: 'pdf', mediaType: 'application/pdf', filename: 'r.pdf' } as const;
const size = (kind: FileKind): string => `${Buffer.from(DATA[kind], 'base64').length} bytes`;
const placeholder = (kind: FileKind, mediaType: string): string => `[${mediaType}, ${size(kind)}]`;
const PNG_LINE = placeholder('png', 'image/png');

/** By default. */
export const TOLD: Readonly<Record<ResultName, Told>> = {
  text: { text: 'one\ntwo' },
  'image/png': { text: 'see', files: [PNG] },
  'image/png alone': { text: `[file 1: image/png, ${size('png')}]`, files: [PNG] },
  'images between texts': {
    text: `A\n[file 1: image/png, ${size('png')}]\nB\n[file 2: image/jpeg, ${size('jpeg')}]\nC`,
    files: [PNG, JPEG],
  },
  'image/jpeg': { text: 'see', files: [JPEG] },
  'image/webp': { text: 'see', files: [WEBP] },
  'image/gif': { text: `see\n${placeholder('gif', 'image/gif')}` },
  'image/svg+xml': { text: '<svg/>' },
  'audio/wav': { text: `hear\n${placeholder('wav', 'audio/wav')}` },
  'audio/mpeg alone': { text: placeholder('mp3', 'audio/mpeg') },
  'application/pdf': { text: 'Resource file:///r.pdf (application/pdf):', files: [PDF] },
  'application/zip': {
    text: `[resource file:///r.zip, application/zip, ${size('zip')}: binary data that cannot be shown]`,
  },
  'text in a blob': { text: 'Resource file:///r.csv (text/csv):\na,b' },
  'embedded text': { text: 'Resource file:///r.txt (text/plain):\nhello' },
  'resource link': { text: 'Resource link: file:///l.txt — l.txt (text/plain)' },
  'unknown type': { text: 'before\n[content of an unknown type: {"type":"chart","points":[1]}]' },
  'structured alone': { text: '{"n":1}' },
  'structured, the same as the text': { text: '{"n":1}' },
  'structured, other than the text': { text: 'one found\n{"n":1}' },
  'an error with an image': { text: `MCP server "docs", tool "find": failed\n${PNG_LINE}`, error: true },
  empty: { text: '(no output)' },
  'for the user alone': { text: '[text for the user, 12 characters]' },
};

/** With `media: false`. */
export const TOLD_AS_TEXT: Readonly<Record<ResultName, Told>> = {
  ...TOLD,
  'image/png': { text: `see\n${PNG_LINE}` },
  'image/png alone': { text: PNG_LINE },
  'images between texts': { text: `A\n${PNG_LINE}\nB\n${placeholder('jpeg', 'image/jpeg')}\nC` },
  'image/jpeg': { text: `see\n${placeholder('jpeg', 'image/jpeg')}` },
  'image/webp': { text: `see\n${placeholder('webp', 'image/webp')}` },
  'application/pdf': { text: `Resource file:///r.pdf (application/pdf):\n${placeholder('pdf', 'application/pdf')}` },
};

export const NAMES = Object.keys(RESULTS) as ResultName[];
