import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aiMajor } from '../../src/lib/content/ai-version.ts';
import { errorText, type ResultView, toModelOutput } from '../../src/tools/result.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value: string) => ({ type: 'text', text: value });
const base64 = (value: string | Uint8Array) => Buffer.from(value).toString('base64');

function filePart(mediaType: string, data: string, filename?: string): object {
  const name = filename === undefined ? {} : { filename };
  if (aiMajor === 7) return { type: 'file', mediaType, data: { type: 'data', data }, ...name };
  return mediaType.startsWith('image/')
    ? { type: 'image-data', data, mediaType }
    : { type: 'file-data', data, mediaType, ...name };
}

/** The text that the model reads where there is only text. */
function textOf(result: unknown, view?: ResultView): string {
  const output = toModelOutput(result, view);
  if (output.type !== 'text') throw new Error(`got ${output.type}`);
  return output.value;
}

function blob(mimeType: string | undefined, data: string, uri = 'file:///dir/a.bin'): object {
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: data } }] };
}

test('the installed AI SDK is told apart', () => {
  expect(aiMajor).toBe(process.env.AI_MAJOR === '6' ? 6 : 7);
});

describe('text', () => {
  test('L4J-37 text blocks are joined by newline, as text', () => {
    expect(toModelOutput({ content: [text('one'), text('two')] })).toEqual({ type: 'text', value: 'one\ntwo' });
  });

  test.each([[{ content: [] }], [{}], [{ content: [text('')] }], [null], [undefined], [{ _meta: { a: 1 }, content: [] }]])(
    'no output is said in words: %j',
    (result) => expect(toModelOutput(result)).toEqual({ type: 'text', value: '(no output)' }),
  );

  test('half characters are replaced', () => {
    expect(textOf({ content: [text('a\ud800b\udc00c\u{1F600}')] })).toBe('a\uFFFDb\uFFFDc\u{1F600}');
  });

  test('content that is one text or one block, not a list', () => {
    expect(textOf({ content: 'plain' })).toBe('plain');
    expect(textOf({ content: text('one') })).toBe('one');
  });

  test('F12 _meta never reaches the model', () => {
    const _meta = { secret: 'sentinel' };
    for (const result of [
      { content: [text('x')], _meta },
      { content: [], structuredContent: { a: 1 }, _meta },
      { content: [{ type: 'odd', value: 1, _meta }] },
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'x', _meta }, _meta }] },
      { content: [{ type: 'image', data: PNG, mimeType: 'image/png', _meta }] },
      { content: [{ type: 'resource_link', uri: 'a:b', name: 'n', _meta }] },
      { isError: true, content: [text('x')], _meta },
      { toolResult: 5, _meta },
    ]) {
      expect(JSON.stringify(toModelOutput(result))).not.toContain('sentinel');
    }
  });
});

describe('media', () => {
  test('F1 a picture behind its text is the next part', () => {
    const content = [text('see'), { type: 'image', data: PNG, mimeType: 'image/png' }];
    expect(toModelOutput({ content })).toEqual({ type: 'content', value: [text('see'), filePart('image/png', PNG)] });
  });

  test('F1 there is one text, which says where each file belongs, and then the files in order', () => {
    const image = (mimeType: string): object => ({ type: 'image', data: PNG, mimeType });
    expect(toModelOutput({ content: [text('A'), image('image/png'), text('B'), image('image/webp')] })).toEqual({
      type: 'content',
      value: [
        text('A\n[file 1: image/png, 70 bytes]\nB\n[file 2: image/webp, 70 bytes]'),
        filePart('image/png', PNG),
        filePart('image/webp', PNG),
      ],
    });
    expect(toModelOutput({ content: [image('image/png')] })).toEqual({
      type: 'content',
      value: [text('[file 1: image/png, 70 bytes]'), filePart('image/png', PNG)],
    });
  });

  describe('which files are sent', () => {
    const media = ['image/png', 'image/gif', 'audio/wav', 'application/zip'] as const;
    const content = media.map((mimeType) => ({
      type: 'resource',
      resource: { uri: `file:///f.${mimeType.slice(-3)}`, mimeType, blob: base64('\0') },
    }));
    const sent = (view?: ResultView): (string | undefined)[] => {
      const output = toModelOutput({ content }, view);
      if (output.type !== 'content') return [];
      return output.value.map((part) => ('mediaType' in part ? part.mediaType : part.type));
    };

    test('F1 by default those that every provider takes, and a line for every other', () => {
      expect(sent()).toEqual(['text', 'image/png']);
      expect(toModelOutput({ content })).toMatchObject({
        value: [
          {
            text: [
              'Resource file:///f.png (image/png):',
              '[file 1: image/png, 1 bytes]',
              'Resource file:///f.gif (image/gif):',
              '[image/gif, 1 bytes]',
              'Resource file:///f.wav (audio/wav):',
              '[audio/wav, 1 bytes]',
              '[resource file:///f.zip, application/zip, 1 bytes: binary data that cannot be shown]',
            ].join('\n'),
          },
          {},
        ],
      });
    });

    test('F1 those that are named, and no others', () => {
      expect(sent({ media: ['image/*', 'Audio/WAV'] })).toEqual(['text', 'image/png', 'image/gif', 'audio/wav']);
      expect(sent({ media: ['application/*'] })).toEqual(['text', 'application/zip']);
      expect(toModelOutput({ content: content.slice(3) }, { media: ['application/zip'] })).toMatchObject({
        value: [{ text: '[file 1: resource file:///f.zip, application/zip, 1 bytes]' }, {}],
      });
    });

    test.each([[false], [[]]] as const)('F1 none: %j', (none) => {
      expect(toModelOutput({ content }, { media: none }).type).toBe('text');
      expect(JSON.stringify(toModelOutput({ content }, { media: none }))).toContain('[image/png, 1 bytes]');
    });
  });

  test('F9 an embedded file keeps its URI', () => {
    expect(toModelOutput(blob('application/pdf', base64('%PDF-'), 'file:///dir/report.pdf'))).toEqual({
      type: 'content',
      value: [
        text('Resource file:///dir/report.pdf (application/pdf):'),
        filePart('application/pdf', base64('%PDF-'), 'report.pdf'),
      ],
    });
  });

  test.each([
    'text/plain',
    'text/csv; charset=utf-8',
    'application/json',
    'application/problem+json',
    'image/svg+xml',
    'application/yaml',
  ])('F9 text hidden in a blob of %s is read', (mimeType) =>
    expect(textOf(blob(mimeType, base64('grüße')))).toBe(`Resource file:///dir/a.bin (${mimeType}):\ngrüße`),
  );

  test('F9 text in another charset is read, and what is not that charset is not', () => {
    expect(textOf(blob('text/plain; charset=iso-8859-1', base64(new Uint8Array([0xfc]))))).toContain('\nü');
    expect(textOf(blob('text/plain', base64(new Uint8Array([0xfc]))))).toMatch(/1 bytes: binary data/);
  });

  test.each([
    ['no type', undefined, base64(new Uint8Array([0, 159, 255]))],
    ['a type that is none', 'png', base64(new Uint8Array([0, 159, 255]))],
    ['an archive', 'application/zip', base64(new Uint8Array([0, 159, 255]))],
    ['a video', 'video/mp4', base64(new Uint8Array([0, 159, 255]))],
  ])('F11 %s becomes one line with URI, type and size', (_, mimeType, data) => {
    const line = textOf(blob(mimeType, data));
    expect(line).toMatch(/^\[resource file:\/\/\/dir\/a\.bin, \w+\/[\w-]+, 3 bytes: .*\]$/);
    expect(line).not.toContain(data);
  });

  test('F11 data that is no base64 becomes one line', () => {
    for (const mimeType of ['image/png', 'text/plain', undefined]) {
      expect(textOf(blob(mimeType, 'not base64!'))).toMatch(/^\[resource file:.*not valid base64\]$/);
    }
    expect(textOf({ content: [{ type: 'image', data: '%%%', mimeType: 'image/png' }] })).toBe(
      '[image, image/png: its data is not valid base64]',
    );
  });

  test('F1 an image without a type, or without data, becomes one line', () => {
    expect(textOf({ content: [{ type: 'image', data: PNG }] })).toMatch(/^\[image, application\/octet-stream, 70 bytes/);
    expect(textOf({ content: [{ type: 'image', data: '', mimeType: 'image/png' }] })).toMatch(/^\[image, image\/png, 0 bytes/);
  });

  test('F1 base64 with line breaks, in the URL alphabet, unpadded or as a data URL is mended', () => {
    const bytes = base64(new Uint8Array([251, 239, 190, 1]));
    expect(bytes).toBe('++++AQ==');
    for (const data of [bytes, '++++\r\nAQ==\n', '----AQ', `data:image/png;base64,${bytes}`]) {
      expect(toModelOutput({ content: [{ type: 'image', data, mimeType: 'image/PNG' }] })).toEqual({
        type: 'content',
        value: [text('[file 1: image/png, 4 bytes]'), filePart('image/png', bytes)],
      });
    }
  });

  test('F1 five megabytes of base64 are no trouble', () => {
    const data = 'A'.repeat(5_000_000);
    expect(toModelOutput({ content: [{ type: 'image', data, mimeType: 'image/png' }] })).toMatchObject({ type: 'content' });
    expect(textOf({ content: [{ type: 'image', data: `${data}!`, mimeType: 'image/png' }] })).toContain('not valid base64');
  });
});

describe('links, resources and the unknown', () => {
  test('F9 a link is one line with URI, name and type, and is not fetched', () => {
    const link = {
      type: 'resource_link',
      uri: 'file:///a.txt',
      name: 'a.txt',
      mimeType: 'text/plain',
      description: 'The\nfirst.',
    };
    expect(textOf({ content: [link] })).toBe('Resource link: file:///a.txt — a.txt (text/plain): The first.');
    expect(textOf({ content: [{ type: 'resource_link', uri: 'a:b' }] })).toBe('Resource link: a:b');
  });

  test('F9 an embedded text keeps its URI', () => {
    const resource = { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'hello' };
    expect(textOf({ content: [{ type: 'resource', resource }] })).toBe('Resource file:///a.txt (text/plain):\nhello');
  });

  test('F9 a block of an unknown type is described in one line', () => {
    const line = textOf({ content: [{ type: 'chart', points: [1, 2], note: 'a\nb' }] });
    expect(line).toBe('[content of an unknown type: {"type":"chart","points":[1,2],"note":"a\\nb"}]');
    expect(textOf({ content: [{ type: 'chart', points: 'x'.repeat(9_000) }] }).length).toBeLessThan(600);
  });

  test.each([
    [null],
    [5],
    [[]],
    [{ type: 'text' }],
    [{ type: 'image' }],
    [{ type: 'resource' }],
    [{ type: 'resource', resource: {} }],
  ])('F9 a malformed block is described, and its neighbours stay: %j', (block) =>
    expect(textOf({ content: [text('before'), block, text('after')] })).toMatch(/^before\n.+\nafter$/),
  );
});

describe('structured content', () => {
  test('F3 it stands alone where there is no content', () => {
    expect(textOf({ structuredContent: { n: 1 } })).toBe('{"n":1}');
    expect(textOf({ content: [], structuredContent: [1, 2] })).toBe('[1,2]');
  });

  test.each([
    [null, 'null'],
    [0, '0'],
    [false, 'false'],
    ['', '""'],
  ])('F5 %j is an answer', (structuredContent, expected) => {
    expect(textOf({ content: [], structuredContent })).toBe(expected);
    expect(textOf({ content: [text('see')], structuredContent })).toBe(`see\n${expected}`);
  });

  test('F4 it is added to a summary', () => {
    expect(textOf({ content: [text('two found')], structuredContent: { found: ['a', 'b'], total: 9 } })).toBe(
      'two found\n{"found":["a","b"],"total":9}',
    );
  });

  test('F5 it is not repeated where a text says the same, whatever the order of keys or the layout', () => {
    const said = '{\n  "b": [1, null],\n  "a": "x"\n}';
    expect(textOf({ content: [text(said)], structuredContent: { a: 'x', b: [1, null] } })).toBe(said);
    expect(textOf({ content: [text(said)], structuredContent: { a: 'x', b: [1, 2] } })).toContain('\n{"a":"x","b":[1,2]}');
    expect(textOf({ content: [text('0')], structuredContent: 0 })).toBe('0');
  });

  test('F5 a plain answer wrapped under one key is not repeated', () => {
    expect(textOf({ content: [text('hello')], structuredContent: { content: 'hello' } })).toBe('hello');
    expect(textOf({ content: [text('["a"]')], structuredContent: { result: ['a'] } })).toBe('["a"]');
    expect(textOf({ content: [text('a'), text('b')], structuredContent: { result: ['a', 'b'] } })).toBe('a\nb');
    expect(textOf({ content: [text('21')], structuredContent: { celsius: 21 } })).toBe('21\n{"celsius":21}');
    expect(textOf({ content: [], structuredContent: { result: [] } })).toBe('{"result":[]}');
  });

  test('F4 an empty list beside a picture, and a key that means something, are not lost', () => {
    const content = [{ type: 'image', data: PNG, mimeType: 'image/png' }];
    expect(JSON.stringify(toModelOutput({ content, structuredContent: { rows: [] } }))).toContain('{\\"rows\\":[]}');
    expect(textOf({ content: [text('bob')], structuredContent: { blockedBy: 'bob' } })).toBe('bob\n{"blockedBy":"bob"}');
    expect(textOf({ content: [text('bob')], structuredContent: { result: 'bob' } })).toBe('bob');
  });

  test('F12 a `_meta` inside a block of an unknown kind stays away from the model', () => {
    expect(textOf({ content: [{ type: 'odd', inner: { _meta: { secret: 1 }, kept: 2 } }] })).toBe(
      '[content of an unknown type: {"type":"odd","inner":{"kept":2}}]',
    );
  });

  test('F5 content that is repeated as structured content is sent once, and its base64 never as text', () => {
    const content = [{ type: 'image', data: PNG, mimeType: 'image/png' }];
    expect(toModelOutput({ content, structuredContent: { content } })).toEqual({
      type: 'content',
      value: [text('[file 1: image/png, 70 bytes]'), filePart('image/png', PNG)],
    });
    const large = base64('x'.repeat(900));
    const output = textOf({ content: [], structuredContent: { file: { data: large, mimeType: 'application/zip' }, n: 1 } });
    expect(output).toBe('{"file":{"data":"(900 bytes)","mimeType":"application/zip"},"n":1}');
  });
});

describe('the choice between content and structured content', () => {
  const other = { content: [text('one found')], structuredContent: { n: 1 } };
  const same = { content: [text('{"n":1}')], structuredContent: { n: 1 } };
  const only = { content: [], structuredContent: { n: 1 } };
  const none = { content: [text('plain')] };

  test.each([
    ['auto', 'one found\n{"n":1}', '{"n":1}', '{"n":1}', 'plain'],
    ['structured', '{"n":1}', '{"n":1}', '{"n":1}', 'plain'],
    ['content', 'one found', '{"n":1}', '{"n":1}', 'plain'],
    ['both', 'one found\n{"n":1}', '{"n":1}\n{"n":1}', '{"n":1}', 'plain'],
  ] as const)('L4J-36 F3 F4 F5 %s', (structured, ...expected) => {
    const results = [other, same, only, none];
    expect(results.map((result) => textOf(result, { structured }))).toEqual(expected);
    expect(results.map((result) => errorText({ ...result, isError: true }, { structured }))).toEqual(expected);
  });

  test('F5 `structured` counts what is null, and leaves pictures out', () => {
    const content = [{ type: 'image', data: PNG, mimeType: 'image/png' }];
    expect(textOf({ content, structuredContent: null }, { structured: 'structured' })).toBe('null');
  });
});

describe('blocks for the user alone', () => {
  const forUser = { annotations: { audience: ['user'] } };
  test.each([
    [{ ...text('secret words'), ...forUser }, '[text for the user, 12 characters]'],
    [{ type: 'image', data: PNG, mimeType: 'image/png', ...forUser }, '[image/png for the user, 70 bytes]'],
    [{ type: 'resource_link', uri: 'a:secret', name: 'secret', ...forUser }, '[resource link for the user]'],
    [
      { type: 'resource', resource: { uri: 'a:secret', mimeType: 'application/zip', blob: base64('\0') }, ...forUser },
      '[application/zip for the user, 1 bytes]',
    ],
  ])('become one line without their content: %j', (block, line) => {
    expect(textOf({ content: [block] })).toBe(line);
    expect(textOf({ content: [text('before'), block, text('after')] })).toBe(`before\n${line}\nafter`);
    expect(errorText({ isError: true, content: [block] })).toBe(line);
  });

  test.each([[['user', 'assistant']], [['assistant']], [[]], [undefined], [null], [7]])(
    "those for both, for the model, or for nobody in particular are the model's: %j",
    (audience) => expect(textOf({ content: [{ ...text('words'), annotations: { audience } }] })).toBe('words'),
  );

  test('what only the user is told does not stand for structured content', () => {
    expect(textOf({ content: [{ ...text('{"n":1}'), ...forUser }], structuredContent: { n: 1 } })).toBe(
      '[text for the user, 7 characters]\n{"n":1}',
    );
  });
});

describe('errors and what is no result', () => {
  test('F7 structured detail is part of what an error says', () => {
    expect(errorText({ isError: true, content: [], structuredContent: { code: 'E42' } })).toBe('{"code":"E42"}');
    expect(errorText({ isError: true, content: [text('failed')], structuredContent: { code: 'E42' } })).toBe(
      'failed\n{"code":"E42"}',
    );
  });

  test('F8 an image in an error becomes one line, and silence is said in words', () => {
    expect(errorText({ isError: true, content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })).toBe(
      '[image/png, 70 bytes]',
    );
    expect(errorText({ isError: true, content: [] })).toBe('the tool failed and said nothing more');
    expect(errorText(undefined)).toBe('the tool failed and said nothing more');
  });

  test('TNX-12 an error result that was returned reaches the model as error text', () => {
    expect(toModelOutput({ isError: true, content: [text('no such URI')] })).toEqual({
      type: 'error-text',
      value: 'no such URI',
    });
  });

  test('a value that is no result is text or JSON', () => {
    expect(textOf('stored')).toBe('stored');
    expect(textOf(5)).toBe('5');
    expect(textOf({ toolResult: { a: 1 } })).toBe('{"toolResult":{"a":1}}');
  });
});

describe('any result', () => {
  const word = fc.string({ unit: 'binary', maxLength: 12 });
  const textBlock = fc.record({ type: fc.constant('text'), text: word });
  const otherBlock = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true }),
    fc.record({
      type: fc.constantFrom('image', 'audio'),
      data: fc.oneof(fc.base64String(), word),
      mimeType: fc.oneof(word, fc.constant('image/png')),
    }),
    fc.record({ type: fc.constant('resource_link'), uri: word, name: word, mimeType: word }),
    fc.record({
      type: fc.constant('resource'),
      resource: fc.record(
        { uri: fc.webUrl(), mimeType: fc.constantFrom('text/plain', 'image/png', 'x'), text: word, blob: fc.base64String() },
        { requiredKeys: [] },
      ),
    }),
  );

  test('never throws', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), (result) => void expect(toModelOutput(result).type).toBeTypeOf('string')),
    );
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (content, structuredContent, isError) => {
        toModelOutput({ content, structuredContent, isError });
        errorText({ content, structuredContent });
      }),
    );
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    );
    for (const result of [trap, { content: [trap] }, { content: [], structuredContent: trap }]) toModelOutput(result);
  });

  test('loses no text block, keeps their order, and sends only what AI SDK parts can be', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(textBlock, otherBlock), { maxLength: 8 }), fc.anything(), (content, structuredContent) => {
        const output = toModelOutput({ content, structuredContent });
        const parts = output.type === 'content' ? output.value : [output as { type: string; value: unknown }];
        const all = parts.map((part) => ('text' in part ? part.text : 'value' in part ? part.value : '')).join('\n');
        let from = 0;
        for (const block of content) {
          if (typeof block !== 'object' || block === null || !('text' in block) || !('type' in block) || block.type !== 'text')
            continue;
          const said = String(block.text).replace(/\p{Surrogate}/gu, '\uFFFD');
          const at = all.indexOf(said, from);
          expect(at).toBeGreaterThanOrEqual(0);
          from = at + said.length;
        }
        for (const part of parts) expect(['text', 'file', 'image-data', 'file-data']).toContain(part.type);
        expect(JSON.stringify(all)).not.toMatch(/\\ud[89a-f]/);
      }),
    );
  });
});
