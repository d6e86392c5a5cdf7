/** What Gemini gets of a result, field by field: from its third generation with files inside the answer, before that behind it. */

import { describe, expect, test } from 'vitest';
import { aiMajor } from '../../../src/lib/content/ai-version.ts';
import { send } from './providers.ts';
import { DATA, NAMES, RESULTS, TOLD, type Told } from './results.ts';

function answer({ text, error }: Told): object {
  // The provider of ai 6 has no word for an error.
  const said = error !== undefined && aiMajor === 7 ? { error: `McpToolSetError: ${text}` } : { content: text };
  return { name: 'find', response: { name: 'find', ...said } };
}

function inline({ files = [] }: Told): object[] {
  return files.map(({ kind, mediaType }) => ({ inlineData: { mimeType: mediaType, data: DATA[kind] } }));
}

describe('Gemini 3', () => {
  test.each(NAMES)('F1 F9 %s', async (name) => {
    const told = TOLD[name];
    const { result } = await send('Gemini 3', RESULTS[name]);
    const parts = told.files === undefined ? {} : { parts: inline(told) };
    expect(result).toEqual([{ functionResponse: { ...answer(told), ...parts } }]);
  });
});

describe('Gemini 2', () => {
  test.each(NAMES)('F1 F9 %s', async (name) => {
    const told = TOLD[name];
    const { result } = await send('Gemini 2', RESULTS[name]);
    const files = inline(told).flatMap((part, index) => {
      const what = told.files?.[index]?.filename === undefined ? 'image' : 'file';
      return [part, { text: `Tool executed successfully and returned this ${what} as a response` }];
    });
    expect(result).toEqual([{ functionResponse: answer(told) }, ...files]);
  });

  test.each(NAMES)('F1 one call has one answer, or the API refuses the request: %s', async (name) => {
    const { result } = await send('Gemini 2', RESULTS[name]);
    expect((result as object[]).filter((part) => 'functionResponse' in part)).toHaveLength(1);
  });
});
