/** What a model sees of our tools, through the AI SDK itself. */

import { generateText, stepCountIs, streamText } from 'ai';
import { describe, expect, test } from 'vitest';
import { type McpTool, toAiTool } from '../../src/tools/ai-tool.ts';
import type { CallToolResult } from '../../src/types.ts';
import { answersTo, modelThatCalls } from './models.ts';

const PNG = 'iVBORw0KGgo=';

function toolThatGives(result: CallToolResult | Error): McpTool {
  return toAiTool(
    { name: 'find', server: 'docs', originalName: 'find', kind: 'tool', inputSchema: { type: 'object', properties: {} } },
    async () => {
      if (result instanceof Error) throw result;
      return result;
    },
    { current: (definition) => definition },
  );
}

type Run = (tool: McpTool) => Promise<{ model: ReturnType<typeof modelThatCalls>; text: string; parts: string[] }>;

const generate: Run = async (tool) => {
  const model = modelThatCalls({ toolName: 'find', input: '' });
  const { steps, text } = await generateText({ model, tools: { find: tool }, prompt: 'go', stopWhen: stepCountIs(3) });
  return { model, text, parts: steps.flatMap(({ content }) => content.map(({ type }) => type)) };
};

const stream: Run = async (tool) => {
  const model = modelThatCalls({ toolName: 'find', input: '' });
  const result = streamText({ model, tools: { find: tool }, prompt: 'go', stopWhen: stepCountIs(3) });
  const parts: string[] = [];
  for await (const { type } of result.fullStream) parts.push(type);
  return { model, text: await result.text, parts };
};

describe.each([
  ['generateText', generate],
  ['streamText', stream],
])('%s', (_, run) => {
  test('L4J-37 a text-only result is text', async () => {
    const { model, text } = await run(
      toolThatGives({
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      }),
    );
    expect(answersTo(model)).toMatchObject([{ toolName: 'find', output: { type: 'text', value: 'one\ntwo' } }]);
    expect(text).toBe('done');
  });

  test('F1 image and file reach the next prompt as media, in order, and audio as a line', async () => {
    const { model } = await run(
      toolThatGives({
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', data: PNG, mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
          { type: 'resource', resource: { uri: 'file:///r.pdf', mimeType: 'application/pdf', blob: 'BBBB' } },
        ],
      }),
    );
    const [answer] = answersTo(model);
    // A V3 model gets `image-data` or `file-data`, whichever major is in between.
    expect(answer?.output).toMatchObject({
      type: 'content',
      value: [
        { type: 'text', text: expect.stringMatching(/^see\n\[file 1: .*\n\[audio\/wav, 3 bytes\]\nResource .*\n\[file 2: /) },
        { type: expect.stringMatching(/^(image|file)-data$/), mediaType: 'image/png', data: PNG },
        { type: 'file-data', mediaType: 'application/pdf', data: 'BBBB', filename: 'r.pdf' },
      ],
    });
  });

  test('F8 L4J-38 isError reaches the model as an error text, and the run goes on', async () => {
    const { model, text, parts } = await run(
      toolThatGives({ isError: true, content: [{ type: 'text', text: 'no such page' }], structuredContent: { code: 'E42' } }),
    );
    const [answer] = answersTo(model);
    expect(answer?.output.type).toBe('error-text');
    expect(answer?.output.value).toContain('MCP server "docs", tool "find": no such page\n{"code":"E42"}');
    expect(parts).toContain('tool-error');
    expect(text).toBe('done');
  });

  test('F8 whatever is thrown reaches the model as an error text, and the run goes on', async () => {
    const { model, text } = await run(toolThatGives(new Error('boom')));
    expect(answersTo(model)[0]?.output).toMatchObject({
      type: 'error-text',
      value: expect.stringContaining('tool "find": boom'),
    });
    expect(text).toBe('done');
  });

  test.each([
    ['no content', {}],
    ['a broken block', { content: [null, { type: 'image' }] }],
    ['structured null', { content: [], structuredContent: null }],
  ])('F9 a malformed result (%s) does not end the run', async (_name, result) => {
    const { model, text } = await run(toolThatGives(result as unknown as CallToolResult));
    expect(answersTo(model)[0]?.output.type).toBe('text');
    expect(text).toBe('done');
  });

  test('L4J-13 F12 _meta stays on the output and does not reach the model', async () => {
    const { model } = await run(toolThatGives({ content: [{ type: 'text', text: 'x' }], _meta: { secret: 'sentinel' } }));
    expect(JSON.stringify(answersTo(model))).not.toContain('sentinel');
  });
});

test('CARD-05 metadata travels with the call, and _meta with the output', async () => {
  const model = modelThatCalls({ toolName: 'find', input: '{}' });
  const { steps } = await generateText({
    model,
    tools: { find: toolThatGives({ content: [], _meta: { a: 1 } }) },
    prompt: 'go',
    stopWhen: stepCountIs(3),
  });
  const part = steps[0]?.content.find(({ type }) => type === 'tool-result');
  expect(part).toMatchObject({ output: { _meta: { a: 1 } }, toolMetadata: { server: 'docs', toolName: 'find' } });
});
