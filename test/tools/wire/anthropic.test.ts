/** What Anthropic gets of a result, field by field. */

import { describe, expect, test } from 'vitest';
import { aiMajor } from '../../../src/lib/content/ai-version.ts';
import { send } from './providers.ts';
import { DATA, NAMES, RESULTS, TOLD, type Told } from './results.ts';

function inMessages({ text, files, error }: Told): unknown {
  if (error !== undefined) return aiMajor === 7 ? `McpToolSetError: ${text}` : text;
  if (files === undefined) return text;
  return [
    { type: 'text', text },
    ...files.map(({ kind, mediaType, filename }) => ({
      type: filename === undefined ? 'image' : 'document',
      source: { type: 'base64', media_type: mediaType, data: DATA[kind] },
    })),
  ];
}

describe('Messages', () => {
  test.each(NAMES)('F1 F9 %s', async (name) => {
    const { result } = await send('Anthropic', RESULTS[name]);
    expect(result).toEqual(inMessages(TOLD[name]));
  });

  test('F8 an error is marked as one', async () => {
    const { body } = await send('Anthropic', RESULTS['an error with an image']);
    expect(body).toContain('"is_error":true');
  });

  test('F1 audio that the application names is left out by the provider, with a warning; so it is not sent unasked', async () => {
    const { result, warnings } = await send('Anthropic', RESULTS['audio/wav'], { media: ['audio/*'] });
    expect(result).toEqual([{ type: 'text', text: 'hear' }]);
    expect(warnings).toContainEqual(expect.objectContaining({ message: expect.stringContaining('audio/wav') }));
  });
});
