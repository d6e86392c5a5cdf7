/** What leaves for a provider, recorded from `@ai-sdk/openai` on the Responses API. */

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import { toAiTool } from '../../../src/tools/ai-tool.ts';
import type { CallToolResult, ToolDefinition } from '../../../src/types.ts';
import { json, listen } from '../../support/listen.ts';

interface Body {
  readonly tools: { name: string; description: string; parameters: unknown }[];
  readonly input: { type?: string; call_id?: string; output?: unknown }[];
}

const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const HEAD = { object: 'response', created_at: 0, model: 'gpt-test', status: 'completed', usage: USAGE };
const CALL = { type: 'function_call', id: 'fc1', call_id: 'c1', name: 'docs_find', arguments: '{"q":"x"}', status: 'completed' };
const MESSAGE = {
  type: 'message',
  id: 'm1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'done', annotations: [] }],
};

const DEFINITION: ToolDefinition = {
  name: 'docs_find',
  server: 'docs',
  originalName: 'find',
  kind: 'tool',
  description: 'Finds.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
};

/** One run of two steps; what was sent in the second. */
async function send(result: CallToolResult): Promise<{ body: Body; text: string; inputs: unknown[] }> {
  const server = await listen((_request, response) => {
    const first = server.requests.length === 1;
    json(response, { id: first ? 'r1' : 'r2', ...HEAD, output: [first ? CALL : MESSAGE] });
  });
  onTestFinished(() => server.close());
  const inputs: unknown[] = [];
  const tool = toAiTool(
    DEFINITION,
    async ({ input }) => {
      inputs.push(input);
      return result;
    },
    { current: (definition) => definition },
  );
  const openai = createOpenAI({ apiKey: 'none', baseURL: server.url });
  const { text } = await generateText({
    model: openai.responses('gpt-test'),
    tools: { docs_find: tool },
    prompt: 'go',
    stopWhen: stepCountIs(3),
  });
  expect(server.requests).toHaveLength(2);
  return { body: JSON.parse(server.requests[1]?.body ?? ''), text, inputs };
}

const outputOf = (body: Body): unknown => body.input.find(({ type }) => type === 'function_call_output')?.output;

test('CARD-04 the definition as the provider gets it', async () => {
  const { body, inputs, text } = await send({ content: [{ type: 'text', text: 'x' }] });
  expect(body.tools).toMatchObject([{ name: 'docs_find', description: 'Finds.', parameters: DEFINITION.inputSchema }]);
  expect(body.tools[0]?.parameters).toEqual(DEFINITION.inputSchema);
  expect(inputs).toEqual([{ q: 'x' }]);
  expect(text).toBe('done');
});

test('CARD-04 a text-only result is a text on the wire', async () => {
  const { body } = await send({
    content: [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
  });
  expect(outputOf(body)).toBe('one\ntwo');
});

test('CARD-04 F1 an image is an image on the wire, beside its text', async () => {
  const { body } = await send({
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    ],
  });
  expect(outputOf(body)).toEqual([
    { type: 'input_text', text: 'see' },
    { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
  ]);
});

test('CARD-04 F9 a PDF is a file on the wire, with its name', async () => {
  const { body } = await send({
    content: [{ type: 'resource', resource: { uri: 'file:///r.pdf', mimeType: 'application/pdf', blob: 'JVBERi0=' } }],
  });
  expect(outputOf(body)).toEqual([
    { type: 'input_text', text: 'Resource file:///r.pdf (application/pdf):' },
    { type: 'input_file', filename: 'r.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  ]);
});

test('CARD-04 F8 an error is a text on the wire, and the run goes on', async () => {
  const { body, text } = await send({ isError: true, content: [{ type: 'text', text: 'no such page' }] });
  // The provider of ai 7 wraps it as {"error": …}, that of ai 6 sends it bare.
  expect(outputOf(body)).toBeTypeOf('string');
  expect(outputOf(body)).toContain('no such page');
  expect(text).toBe('done');
});
