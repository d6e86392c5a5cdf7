/** The README's table of what survives on its way to a model is what the provider packages were seen to send. */

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type Provider, send } from './providers.ts';
import { DATA, RESULTS, type ResultName } from './results.ts';

const ROWS: Readonly<Record<string, readonly ResultName[]>> = {
  'text, embedded or in a blob too; SVG; links; unknown types; structured content': [
    'text',
    'embedded text',
    'text in a blob',
    'image/svg+xml',
    'resource link',
    'unknown type',
    'structured, other than the text',
  ],
  'PNG, JPEG, WebP': ['image/png', 'image/jpeg', 'image/webp'],
  PDF: ['application/pdf'],
  'other pictures, audio, other files; files in an error; what is for the user alone': [
    'image/gif',
    'audio/wav',
    'audio/mpeg alone',
    'application/zip',
    'an error with an image',
    'for the user alone',
  ],
};
const COLUMNS: readonly Provider[] = ['OpenAI Responses', 'OpenAI Chat', 'Anthropic', 'Gemini 3', 'Gemini 2'];
const KINDS: Readonly<Record<string, string>> = {
  input_image: '`input_image`',
  input_file: '`input_file`',
  image: '`image`',
  document: '`document`',
};

/** How the file, or what stands in its place, arrived. */
async function cell(provider: Provider, name: ResultName): Promise<string> {
  const { result } = await send(provider, RESULTS[name], provider === 'OpenAI Chat' ? { media: false } : {});
  const wire = JSON.stringify(result);
  const part = [result].flat().find((each) => Object.values(DATA).some((data) => JSON.stringify(each).includes(data)));
  if (part !== undefined) return KINDS[(part as { type?: string }).type ?? ''] ?? '`inlineData`';
  return /\[[^\]]*\d+ (?:bytes|characters)[^\]]*\]/.test(wire) ? 'a line' : 'text';
}

test('O6 F1 the table in the README is what is sent', async () => {
  const lines = await Promise.all(
    Object.entries(ROWS).map(async ([row, names]) => {
      const cells = COLUMNS.map(async (provider) => {
        const all = await Promise.all(names.map((name) => cell(provider, name)));
        return [...new Set(all)].join(' or ');
      });
      return `| ${row} | ${(await Promise.all(cells)).join(' | ')} |`;
    }),
  );
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, table] = /\| of a result \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(readme) ?? [];
  expect(table?.trimEnd().split('\n')).toEqual(lines);
});
