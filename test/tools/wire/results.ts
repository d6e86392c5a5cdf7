/** Results of every kind of block that a server can send. */

import type { CallToolResult } from '../../../src/types.ts';

/** Long enough to be told from anything else in a request. */
export const DATA = {
  png: Buffer.from('\x89PNG\r\n\x1a\n a picture of png make'.repeat(8), 'latin1').toString('base64'),
  jpeg: Buffer.from('\xff\xd8\xff a picture of jpeg make'.repeat(8), 'latin1').toString('base64'),
  gif: Buffer.from('GIF89a a picture of gif make'.repeat(8)).toString('base64'),
  wav: Buffer.from('RIFF sound of wav make'.repeat(8)).toString('base64'),
  mp3: Buffer.from('ID3 sound of mp3 make'.repeat(8)).toString('base64'),
  pdf: Buffer.from('%PDF-1.7 a document'.repeat(8)).toString('base64'),
  zip: Buffer.from('PK\x03\x04 an archive\xff'.repeat(8), 'latin1').toString('base64'),
};

const text = (value: string): object => ({ type: 'text', text: value });
const base64 = (value: string): string => Buffer.from(value).toString('base64');
const image = (kind: 'png' | 'jpeg' | 'gif'): object => ({ type: 'image', data: DATA[kind], mimeType: `image/${kind}` });
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
