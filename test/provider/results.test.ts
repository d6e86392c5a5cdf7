/** What of results a model is shown: for the whole set, and for one request. */

import { createOpenAI } from '@ai-sdk/openai';
import { expect, test } from 'vitest';
import type { ToolsOptions } from '../../src/api.ts';
import { fake } from '../support/fixtures.ts';
import { coded, provide } from './support.ts';

const RESULT = {
  content: [
    { type: 'text', text: 'see' },
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
  ],
  structuredContent: { n: 1 },
};

test('F1 L4J-36 media and structured content as the set says, and as one request says', async () => {
  const server = await fake({ tools: [{ name: 'look', result: RESULT }] });
  const provider = provide({ servers: { s: { url: server.url } }, media: false });
  const shown = async (options?: ToolsOptions): Promise<unknown> => {
    const { s_look } = await provider.tools(options);
    return s_look?.toModelOutput?.({ toolCallId: 'c', input: {}, output: RESULT });
  };
  expect(await shown()).toEqual({ type: 'text', value: 'see\n[image/png, 8 bytes]\n{"n":1}' });
  expect(await shown({ structured: 'content' })).toEqual({ type: 'text', value: 'see\n[image/png, 8 bytes]' });
  expect(await shown({ media: ['image/*'] })).toMatchObject({
    type: 'content',
    value: [{ type: 'text' }, { mediaType: 'image/png' }],
  });
  expect(await shown({ structured: 'structured', media: 'auto' })).toEqual({ type: 'text', value: '{"n":1}' });
  // What one request says holds for that one alone.
  expect(await shown()).toEqual({ type: 'text', value: 'see\n[image/png, 8 bytes]\n{"n":1}' });
});

test('F1 a model stands for what its provider takes: none for a Chat Completions API', async () => {
  const server = await fake({ tools: [{ name: 'look', result: RESULT }] });
  const provider = provide({ servers: { s: { url: server.url } } });
  const openai = createOpenAI({ apiKey: 'none' });
  const models = {
    'openai.chat': openai.chat('x'),
    'openai.responses': openai('x'),
    'google.vertex.chat': { provider: 'google.vertex.chat' },
  };
  for (const [name, model] of Object.entries(models)) {
    expect(model.provider).toBe(name);
    const { s_look } = await provider.tools({ media: model });
    const output = await s_look?.toModelOutput?.({ toolCallId: 'c', input: {}, output: RESULT });
    expect([name, output?.type]).toEqual([name, name === 'openai.chat' ? 'text' : 'content']);
  }
});

test('L4J-36 F7 an error says what was chosen', async () => {
  const server = await fake({ tools: [{ name: 'look', result: { ...RESULT, isError: true } }] });
  const provider = provide({ servers: { s: { url: server.url } }, structured: 'structured' });
  const ask = async (options?: ToolsOptions): Promise<string> => {
    const { s_look } = await provider.tools(options);
    return Promise.resolve(s_look?.execute?.({}, { toolCallId: 'c', messages: [], context: undefined } as never)).then(
      () => 'it did not fail',
      (error: Error) => error.message,
    );
  };
  expect(await ask()).toMatch(/: \{"n":1\}$/);
  expect(await ask({ structured: 'content' })).toMatch(/: see\n\[image\/png, 8 bytes\]$/);
});

test.each([
  [{ media: true }],
  [{ media: 'image/png' }],
  [{ media: ['png'] }],
  [{ media: ['*/*'] }],
  [{ media: [7] }],
  [{ structured: 'never' }],
  [{ structured: true }],
])('a choice that there is not is told: %j', async (wrong) => {
  const options = wrong as ToolsOptions;
  const [name] = Object.keys(wrong);
  const provider = provide({ servers: {} });
  await expect(provider.tools(options)).rejects.toEqual(coded('config_invalid'));
  await expect(provider.tools(options)).rejects.toThrow(String(name));
  expect(() => provide({ ...options, servers: {} })).toThrow(String(name));
});
