/** Results of any make: nothing throws, no block is lost, and no file is text. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBase64 } from '../../src/lib/content/base64.ts';
import { type MediaChoice, type StructuredChoice, takesMedia } from '../../src/lib/content/view.ts';
import { errorText, type ResultView, toModelOutput } from '../../src/tools/result.ts';

const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const bytes = fc
  .uint8Array({ minLength: 60, maxLength: 200 })
  .map((each) => Buffer.from(Uint8Array.of(0xff, 0xfe, ...each)).toString('base64'));
const mediaType = fc.constantFrom(
  'image/png',
  'image/GIF',
  'image/svg+xml',
  'audio/wav',
  'application/pdf',
  'application/zip',
  'text/plain',
  'x',
  undefined,
);
const annotations = fc.option(
  fc.record({ audience: fc.oneof(fc.subarray(['user', 'assistant']), fc.constantFrom('user', null, 7)) }),
  { nil: undefined },
);
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: word, annotations }),
  fc.record({ type: fc.constantFrom('image', 'audio'), data: fc.oneof(bytes, word), mimeType: mediaType, annotations }),
  fc.record({
    type: fc.constant('resource'),
    resource: fc.record({ uri: fc.webUrl(), mimeType: mediaType, text: word, blob: bytes }, { requiredKeys: [] }),
    annotations,
  }),
  fc.record({ type: fc.constant('resource_link'), uri: word, name: word, mimeType: word, annotations }),
  fc.record({ type: fc.constantFrom('chart', 7, undefined), value: fc.jsonValue(), annotations }),
  fc.anything({ withBigInt: true, withNullPrototype: true }).filter((value) => value !== ''),
);
const view: fc.Arbitrary<ResultView> = fc.record(
  {
    media: fc.constantFrom<MediaChoice[]>('auto', false, [], ['image/*'], ['audio/wav', 'application/*']),
    structured: fc.constantFrom<StructuredChoice[]>('auto', 'content', 'both'),
  },
  { requiredKeys: [] },
);
const mark = (index: number): string => `<<block ${index}>>`;
/** Of every block that its neighbours are told from. */
const between = (blocks: readonly unknown[]): unknown[] => [
  ...blocks.flatMap((each, index) => [{ type: 'text', text: mark(index) }, each]),
  { type: 'text', text: mark(blocks.length) },
];

interface Shown {
  readonly text: string;
  readonly files: readonly { readonly mediaType: string; readonly data: unknown }[];
}

function shown(output: ReturnType<typeof toModelOutput>): Shown {
  if (output.type === 'text' || output.type === 'error-text') return { text: output.value, files: [] };
  if (output.type !== 'content') throw new Error(`got ${output.type}`);
  const [first, ...files] = output.value;
  if (first?.type !== 'text') throw new Error('the first part is no text');
  return { text: first.text, files: files as unknown as Shown['files'] };
}

test('F9 no block is lost: each leaves something between its neighbours, in order', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), fc.jsonValue(), view, (blocks, structuredContent, choice) => {
      const content = between(blocks);
      for (const text of [
        shown(toModelOutput({ content, structuredContent }, choice)).text,
        errorText({ isError: true, content, structuredContent }, choice),
      ]) {
        blocks.forEach((_, index) => {
          const [from, to] = [text.indexOf(mark(index)), text.indexOf(mark(index + 1))];
          expect(from).toBeGreaterThanOrEqual(0);
          // More than the line breaks around nothing.
          expect(to - from - mark(index).length).toBeGreaterThan(2);
        });
      }
    }),
    { numRuns: 400 },
  );
});

test('F1 a file is a part, in order and told of in the text, or one line; never text', () => {
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), view, (blocks, choice) => {
      const { text, files } = shown(toModelOutput({ content: between(blocks) }, choice));
      expect([...text.matchAll(/^\[file (\d+): /gm)].map(([, number]) => Number(number))).toEqual(
        files.map((_, index) => index + 1),
      );
      for (const file of files) expect(takesMedia(file.mediaType, choice.media)).toBe(true);
      for (const each of blocks as { data?: unknown; resource?: { blob?: unknown } }[]) {
        const data = readBase64(each?.data ?? each?.resource?.blob);
        if (data !== undefined && data.length > 80) expect(text).not.toContain(data);
      }
    }),
    { numRuns: 400 },
  );
});

test('what only the user is told never reaches the model', () => {
  const secret = 'the-secret-words';
  const forUser = fc.oneof(
    fc.constant({ type: 'text', text: secret }),
    fc.constant({ type: 'resource', resource: { uri: `a:${secret}`, text: secret, mimeType: 'text/plain' } }),
    mediaType.map((mimeType) => ({
      type: 'resource',
      resource: { uri: `a:${secret}`, mimeType, blob: Buffer.from(secret).toString('base64') },
    })),
    fc.constant({ type: 'resource_link', uri: secret, name: secret, description: secret }),
    fc.constant({ type: 'chart', value: secret }),
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          block,
          forUser.map((each) => ({ ...each, annotations: { audience: ['user'] } })),
        ),
        { maxLength: 6 },
      ),
      view,
      (content, choice) => {
        const output = JSON.stringify(toModelOutput({ content }, choice));
        expect(output).not.toContain(secret);
        expect(output).not.toContain(Buffer.from(secret).toString('base64'));
        expect(errorText({ content }, choice)).not.toContain(secret);
      },
    ),
  );
});
