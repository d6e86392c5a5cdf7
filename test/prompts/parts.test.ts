import { generateText } from 'ai';
import { expect, it } from 'vitest';
import { toParts } from '../../src/index.ts';
import { plannedModel } from '../support/model.ts';

it('toParts gives what a user message takes of a resource: text, files, and a line for what cannot be shown', async () => {
  const parts = toParts([
    { uri: 'file:///notes.md', mimeType: 'text/markdown', text: '# Notes' },
    { uri: 'file:///a.png', mimeType: 'image/png', blob: 'iVBORw0KGgo=' },
    { uri: 'file:///b.txt', mimeType: 'text/plain', blob: 'aGk=' },
    { uri: 'file:///c.zip', mimeType: 'application/zip', blob: 'UEsDBA==' },
  ]);
  expect(parts).toEqual([
    { type: 'text', text: 'Resource file:///notes.md (text/markdown):\n# Notes' },
    { type: 'text', text: 'Resource file:///a.png (image/png):' },
    { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', filename: 'a.png' },
    { type: 'text', text: 'Resource file:///b.txt (text/plain):\nhi' },
    { type: 'text', text: expect.stringMatching(/file:\/\/\/c\.zip.*4 bytes/) },
  ]);
  const model = plannedModel();
  await generateText({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'Sum up:' }, ...parts] }] });
  expect(model.doGenerateCalls[0]?.prompt[0]?.content).toHaveLength(6);
});

it('toParts takes what the application’s model takes', () => {
  const contents = [{ uri: 'file:///a.png', mimeType: 'image/png', blob: 'iVBORw0KGgo=' }];
  expect(toParts(contents, { media: false }).map(({ type }) => type)).toEqual(['text', 'text']);
  expect(
    toParts([{ uri: 'file:///c.zip', mimeType: 'application/zip', blob: 'UEsDBA==' }], { media: ['application/zip'] }),
  ).toMatchObject([{ type: 'file', mediaType: 'application/zip' }]);
});

it('toParts never throws, whatever it is given', () => {
  for (const odd of [undefined, null, 7, 'text', {}, [null], [{ uri: 1, blob: '!' }]]) {
    expect(toParts(odd as never).every(({ type }) => type === 'text')).toBe(true);
  }
});
