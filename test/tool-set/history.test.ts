/** A stored conversation converts the same way later, whatever has become of its tools. */

import { convertToModelMessages, type ToolSet, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { createMcpToolProvider, historyTools, type McpToolSet } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';

const DATA = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const RESULT = {
  content: [
    { type: 'text', text: 'a picture' },
    { type: 'image', data: DATA, mimeType: 'image/png' },
    { type: 'audio', data: DATA, mimeType: 'audio/wav' },
  ],
  _meta: { secret: 'for the application' },
};

/** As `useChat` stores it: as JSON. */
function stored(type: string, output: unknown, more: object = {}): UIMessage[] {
  const part = { type, toolCallId: '1', state: 'output-available', input: { a: 1 }, output, ...more };
  return JSON.parse(
    JSON.stringify([
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'look' }] },
      { id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, part, { type: 'text', text: 'done' }] },
    ]),
  );
}

const convert = (messages: UIMessage[], tools: object) => convertToModelMessages(messages, { tools: tools as ToolSet });

describe('historyTools', () => {
  it.each(['dynamic-tool', 'tool-s_look'])(
    'F12 F1 %s: converts alike with the tool there, with its server down, and with it gone',
    async (type) => {
      const server = await fake({ tools: [{ name: 'look', result: RESULT }] });
      const provider = createMcpToolProvider({ servers: { s: { url: server.url } }, onWarning: false, listTtl: 0 });
      const tools: McpToolSet = await provider.tools();
      const output = await tools.s_look?.execute?.({}, executeOptions());
      const messages = stored(type, output, type === 'dynamic-tool' ? { toolName: 's_look' } : {});

      const there = await convert(messages, historyTools(messages, tools));
      await server.close();
      const down = await convert(messages, historyTools(messages, await provider.tools()));
      await provider.removeServer('s');
      const without = await provider.tools();
      expect(Object.keys(without)).toEqual([]);
      const gone = await convert(messages, historyTools(messages, without));
      expect(down).toEqual(there);
      expect(gone).toEqual(there);
      const text = JSON.stringify(there);
      expect(text).not.toContain('for the application');
      expect(text).toContain('audio/wav');
      expect(text.split(DATA)).toHaveLength(2);
      // What it is for: the AI SDK alone sends all of it.
      expect(JSON.stringify(await convert(messages, without))).toContain('for the application');
      await provider.close();
    },
  );

  it('shows as `media` says, and leaves what is there, what failed and what is another’s as it is', async () => {
    const own = { toModelOutput: () => ({ type: 'text', value: 'own' }), inputSchema: {} };
    const messages = [
      ...stored('tool-gone', RESULT),
      ...stored('tool-mine', RESULT),
      ...stored('tool-other', { rows: [] }),
      ...stored('tool-failed', undefined, { state: 'output-error', errorText: 'no' }),
      { id: 'x', role: 'assistant', parts: undefined } as never,
    ];
    const tools = historyTools(messages, { mine: own }, { media: false });
    expect(Object.getOwnPropertyNames(tools).sort()).toEqual(['gone', 'mine']);
    expect(Object.keys(tools)).toEqual(['mine']);
    expect(tools.mine).toBe(own);
    expect(tools.gone?.execute).toBeUndefined();
    expect(tools.gone?.toModelOutput?.({ output: RESULT } as never)).toMatchObject({ type: 'text' });
  });

  it('keeps the report of the record', async () => {
    const provider = createMcpToolProvider({ servers: {}, onWarning: false });
    const tools = await provider.tools();
    expect(Object.getOwnPropertySymbols(historyTools([], tools))).toEqual(Object.getOwnPropertySymbols(tools));
    await provider.close();
  });
});
