/** What a tool gives, by its own `outputSchema`: told of where it does not fit, and never lost. */

import { describe, expect, it, test } from 'vitest';
import { McpToolSetError, type McpWarning } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';
import { provide } from './support.ts';

const KEY = 'mcp-tool-set/warnings';
const SCHEMA = {
  type: 'object',
  properties: { count: { type: 'integer' }, rows: { type: 'array', items: { type: 'object', required: ['id'] } } },
  required: ['count'],
};
const text = [{ type: 'text', text: 'said' }];

async function ask(outputSchema: unknown, result: object) {
  const server = await fake({ tools: [{ name: 'look', result, ...(outputSchema !== undefined && { outputSchema }) } as never] });
  const warnings: McpWarning[] = [];
  const provider = provide({ servers: { s: { url: server.url } }, onWarning: (warning) => void warnings.push(warning) });
  const { s_look } = await provider.tools();
  const output = await Promise.resolve(s_look?.execute?.({}, executeOptions())).catch((error: unknown) => error);
  const shown = await s_look?.toModelOutput?.({ toolCallId: 'c', input: {}, output });
  return { output: output as { _meta?: Record<string, unknown>; content: unknown }, shown, warnings, provider, tool: s_look };
}

describe('outputSchema', () => {
  it('F13 F6 what does not fit is a warning on the result, with places and no values, and the answer stays', async () => {
    const structuredContent = { count: 'SECRET', rows: [{ id: 1 }, { SECRET: 1 }] };
    const { output, shown, warnings } = await ask(SCHEMA, { content: text, structuredContent, _meta: { own: 1 } });
    expect(output).toEqual({
      content: text,
      structuredContent,
      _meta: {
        own: 1,
        [KEY]: [{ kind: 'output_mismatch', message: expect.stringMatching(/^structuredContent: .*count.*rows\[1\]\.id/) }],
      },
    });
    expect(JSON.stringify(output._meta)).not.toContain('SECRET');
    expect(shown).toMatchObject({ type: 'text', value: expect.stringContaining('said') });
    expect(JSON.stringify(shown)).not.toContain('warnings');
    expect(warnings).toMatchObject([
      { kind: 'output_mismatch', server: 's', message: expect.stringMatching(/"s", tool "look".*does not fit its outputSchema/) },
    ]);
  });

  it('F13 a missing structuredContent is a warning; the content is the answer', async () => {
    const { output, shown } = await ask(SCHEMA, { content: text });
    expect(output._meta?.[KEY]).toEqual([{ kind: 'output_mismatch', message: expect.stringContaining('is missing') }]);
    expect(shown).toEqual({ type: 'text', value: 'said' });
  });

  it('F6 an error is never looked at', async () => {
    const { output, warnings } = await ask(SCHEMA, { content: text, structuredContent: { error: 'no' }, isError: true });
    expect(McpToolSetError.is(output) && output.code === 'tool_error' && output.result?._meta === undefined).toBe(true);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['one that fits', SCHEMA, { count: 1 }],
    ['no schema', undefined, { anything: 1 }],
    ['a schema that is none', 'nonsense', 7],
    ['D5 one without a type', { description: 'only' }, 7],
    ['D4 a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, { a: 1 }],
    ['D4 a recursion', { type: 'object', properties: { a: { $ref: '#' } } }, { a: { a: {} } }],
    ['a remote reference', { $ref: 'http://127.0.0.1:9/schema' }, { a: 1 }],
    [
      'a pattern that could stand still',
      { type: 'object', properties: { a: { pattern: '^(a+)+$' } } },
      { a: `${'a'.repeat(60)}!` },
    ],
    ['F5 a falsy one', { type: ['null', 'integer'] }, 0],
  ])('D4 D5 %s is no warning', async (_, schema, structuredContent) => {
    const { output, warnings } = await ask(schema, { content: text, structuredContent });
    expect(output).toEqual({ content: text, structuredContent });
    expect(warnings).toEqual([]);
  });

  test('it is told once for each tool, and in callTool too', async () => {
    const { provider, tool, warnings } = await ask(SCHEMA, { content: text, structuredContent: {} });
    await tool?.execute?.({}, executeOptions());
    const result = await provider.callTool({ server: 's', tool: 'look' });
    expect(result._meta?.[KEY]).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  test('the memory of a mismatch lies outside of what a server can forge', async () => {
    const { output } = await ask(SCHEMA, { content: text, structuredContent: { count: 'x' }, _meta: { [KEY]: 'forged' } });
    expect(output._meta?.[KEY]).toMatchObject([{ kind: 'output_mismatch' }]);
  });
});

describe('D15 a schema that arrived empty', () => {
  it('is told of when its server refuses the arguments that it does not name', async () => {
    const server = await fake({
      tools: [{ name: 'blind' }, { name: 'seeing', inputSchema: { type: 'object', properties: { a: {} } } }],
      intercept({ message }, response) {
        if (message.method !== 'tools/call') return false;
        json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'a is required' } });
        return true;
      },
    });
    const warnings: McpWarning[] = [];
    const provider = provide({ servers: { s: { url: server.url } }, onWarning: (warning) => void warnings.push(warning) });
    const tools = await provider.tools();
    for (const name of ['s_blind', 's_seeing', 's_blind']) {
      await expect(Promise.resolve(tools[name]?.execute?.({}, executeOptions()))).rejects.toMatchObject({
        data: { code: -32602 },
      });
    }
    expect(warnings).toMatchObject([
      { kind: 'empty_schema', server: 's', message: expect.stringMatching(/"blind".*names none/) },
    ]);
  });
});
