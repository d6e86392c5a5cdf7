/** What OpenAI's two APIs get of a result, field by field. */

import { describe, expect, test } from 'vitest';
import { aiMajor } from '../../../src/lib/content/ai-version.ts';
import { send } from './providers.ts';
import { DATA, NAMES, RESULTS, TOLD, TOLD_AS_TEXT, type Told } from './results.ts';

/** The provider of ai 7 wraps an error, that of ai 6 sends it bare; the AI SDK's 7 names the class of what was thrown. */
function inText({ text, error }: Told): string {
  if (error === undefined) return text;
  return aiMajor === 7 ? JSON.stringify({ error: `McpToolSetError: ${text}` }) : text;
}

function inResponses(told: Told): unknown {
  if (told.files === undefined) return inText(told);
  const files = told.files.map(({ kind, mediaType, filename }) => {
    const url = `data:${mediaType};base64,${DATA[kind]}`;
    return filename === undefined ? { type: 'input_image', image_url: url } : { type: 'input_file', filename, file_data: url };
  });
  return [{ type: 'input_text', text: told.text }, ...files];
}

describe('Responses', () => {
  test.each(NAMES)('CARD-04 F1 F8 F9 %s', async (name) => {
    const { result, warnings } = await send('OpenAI Responses', RESULTS[name]);
    expect(result).toEqual(inResponses(TOLD[name]));
    expect(warnings).toEqual([]);
  });
});

describe('Chat, with `media: false`', () => {
  test.each(NAMES)('F1 F9 %s', async (name) => {
    const { result, warnings } = await send('OpenAI Chat', RESULTS[name], { media: false });
    expect(result).toBe(inText(TOLD_AS_TEXT[name]));
    expect(warnings).toEqual([]);
  });

  test('F1 it is needed: the provider writes any part out as JSON, base64 and all', async () => {
    const { result } = await send('OpenAI Chat', RESULTS['image/png']);
    expect(result).toContain(DATA.png);
  });
});
