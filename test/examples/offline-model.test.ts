/** The offline model decides by what it is given: other tools, results or errors lead to other calls. */

import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { offlineModel } from '../../examples/demo/offline-model.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

type Handler = (input: Record<string, unknown>) => unknown;

function make(description: string, properties: Record<string, object>, handler: Handler, required = Object.keys(properties)) {
  const inputSchema = jsonSchema<Record<string, unknown>>({ type: 'object', properties, required });
  return tool({ description, inputSchema, execute: async (input) => handler(input) });
}

const text = { type: 'string' } as const;
const ROWS = JSON.stringify([
  { mcpServer: 'one', uri: 'doc://bread', name: 'bread', description: 'How to bake bread' },
  { mcpServer: 'two', uri: 'doc://tea', name: 'tea', description: 'How to brew tea' },
]);

function kitchen(read: Handler = ({ uri }) => `This is what ${String(uri)} says about tea and bread: be patient.`) {
  return {
    list_resources: make('Lists all available resources.', {}, () => ROWS),
    get_resource: make('Retrieves a resource.', { mcpServer: text, uri: text }, read),
    search_recipes: make('Search recipes by a query.', { query: text }, ({ query }) => `Recipe found for ${String(query)}.`),
  };
}

async function ask(prompt: string, tools: Parameters<typeof generateText>[0]['tools'] & object) {
  const { text: answer, steps } = await generateText({ model: offlineModel(), tools, prompt, stopWhen: stepCountIs(20) });
  return { answer, calls: steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => ({ toolName, input }))) };
}

it('reads the resource whose row fits the question', async () => {
  const tea = await ask('How do I brew tea?', kitchen());
  expect(tea.calls.slice(0, 2)).toEqual([
    { toolName: 'list_resources', input: {} },
    { toolName: 'get_resource', input: { mcpServer: 'two', uri: 'doc://tea' } },
  ]);
  const bread = await ask('How do I bake bread?', kitchen());
  expect(bread.calls[1]?.input).toEqual({ mcpServer: 'one', uri: 'doc://bread' });
  expect(bread.answer).toContain('doc://bread says about tea and bread: be patient.');
});

it('answers with what the tools say now, not with what they once said', async () => {
  const { answer } = await ask(
    'How do I brew tea?',
    kitchen(() => 'Tea wants 93 degrees.'),
  );
  expect(answer).toContain('Tea wants 93 degrees.');
});

it('goes another way when a call fails, and says what failed', async () => {
  const broken = kitchen(() => {
    throw new Error('the server is gone');
  });
  const { answer, calls } = await ask('How do I brew tea?', broken);
  const names = calls.map(({ toolName }) => toolName);
  expect(names.filter((name) => name === 'get_resource')).toHaveLength(1);
  expect(names).toContain('search_recipes');
  expect(answer).toContain('Recipe found for');
  expect(answer).toMatch(/get_resource failed: .*the server is gone/);
});

it('takes numbers, choices, quotations and paths from the question', async () => {
  const tools = {
    multiply: make('Multiply two numbers.', { x: { type: 'number' }, y: { type: 'integer' } }, () => 'done'),
    paint: make('Paint something.', { colour: { enum: ['dark red', 'blue'] } }, () => 'done'),
    shout: make('Shout a message.', { message: text }, () => 'done'),
    open_file: make('Open a file.', { path: text }, () => 'done'),
  };
  const inputs = async (question: string) => (await ask(question, tools)).calls.map(({ input }) => input);
  expect(await inputs('Please multiply 2.5 by 4.')).toContainEqual({ x: 2.5, y: 4 });
  expect(await inputs('Could it be dark red?')).toEqual([{ colour: 'dark red' }]);
  expect(await inputs('Shout "Land ahoy"!')).toContainEqual({ message: 'Land ahoy' });
  expect(await inputs('What is in /srv/notes.txt?')).toContainEqual({ path: '/srv/notes.txt' });
  expect(await inputs('Please multiply.')).toEqual([]);
});

it('streams the same answer', async () => {
  const tools = kitchen();
  const { answer } = await ask('How do I brew tea?', tools);
  const result = streamText({ model: offlineModel(), tools, prompt: 'How do I brew tea?', stopWhen: stepCountIs(20) });
  let streamed = '';
  for await (const delta of result.textStream) streamed += delta;
  expect(streamed).toBe(answer);
});

it('says so when it has no tools', async () => {
  expect((await ask('How do I brew tea?', {})).answer).toContain('I was given no tools');
});

it('comes to an end with any tools, results and questions, and never repeats a call', async () => {
  const word = fc.constantFrom(
    'tea',
    'list',
    'read',
    'path',
    'query',
    'pattern',
    'search',
    'resources',
    'sum',
    '/tmp/tea.md',
    '7',
  );
  const words = fc.array(word, { maxLength: 4 }).map((all) => all.join('_'));
  const schema = fc.record({ type: fc.constantFrom('string', 'number', 'array', 'object', 'boolean'), items: fc.constant(text) });
  const output = fc.oneof(fc.string(), words, fc.constant(ROWS), fc.json(), fc.constant(undefined));
  const anyTool = fc.record({ description: words, properties: fc.dictionary(word, schema, { maxKeys: 3 }), output });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(words, anyTool, { maxKeys: 5 }), fc.oneof(fc.string(), words), async (specs, question) => {
      const tools = Object.fromEntries(
        Object.entries(specs).map(([name, { description, properties, output }]) => [
          `t_${name}`,
          make(description, properties, () => {
            if (output === undefined) throw new Error('no');
            return output;
          }),
        ]),
      );
      const { calls, answer } = await ask(`tea ${question}`, tools);
      expect(calls.length).toBeLessThan(10);
      expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(calls.length);
      expect(answer).not.toBe('');
    }),
    { numRuns: 100 },
  );
});
