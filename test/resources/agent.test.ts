import { generateText } from 'ai';
import { encode } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import { offlineModel } from '../../examples/demo/offline-model.ts';
import type { McpToolSetOptions } from '../../src/index.ts';
import { toolSet } from '../support/fixtures.ts';
import { stopAfter } from '../support/model.ts';
import { shelf } from './support.ts';

const ADJECTIVES = ['amber', 'brisk', 'calm', 'dusty', 'early', 'faint', 'grand', 'hollow', 'inner', 'jolly'];
const NOUNS = ['anchor', 'bridge', 'candle', 'dragon', 'ember', 'forest', 'glacier', 'harbour', 'island', 'jungle'];

/** Ten thousand documents over a hundred pages, one of which is wanted. */
const entries = Array.from({ length: 10_000 }, (_, index) => {
  const name = `${ADJECTIVES[index % 10]}-${NOUNS[Math.floor(index / 10) % 10]}-${String(Math.floor(index / 100)).padStart(2, '0')}`;
  return {
    uri: `docs://archive/${String(index).padStart(5, '0')}`,
    name,
    description: `Field report of the ${name} survey.`,
    mimeType: 'text/plain',
  };
});
entries[7_341] = {
  uri: 'docs://archive/07341',
  name: 'tide-tables-bergen',
  description: 'Tide tables for Bergen.',
  mimeType: 'text/plain',
};

const QUESTION = 'What do the tide tables for Bergen say about the spring flood?';
const ANSWER = 'The spring flood in Bergen comes at 04:12 and stands at 1.9 metres.';

async function ask(resources: McpToolSetOptions['resources']) {
  const server = await shelf({
    resources: entries,
    tools: [],
    read: (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: uri.endsWith('07341') ? ANSWER : 'Nothing of note.' }] }),
  });
  const tools = await toolSet({ servers: { docs: { url: server.url } }, resources });
  const { text, steps } = await generateText({ model: offlineModel(), tools, stopWhen: stopAfter(8), prompt: QUESTION });
  const calls = steps.flatMap((step) => step.toolCalls.map(({ toolName, input }) => ({ toolName, input })));
  const outputs = steps.flatMap((step) =>
    step.toolResults.map(({ output }) => (output as { content: { text: string }[] }).content),
  );
  const tokens = outputs.flat().reduce((sum, block) => sum + encode(block.text).length, 0);
  return { text, calls, tokens };
}

/** A server of templates that completes, and what a model does with the suggestions in the rows, or with an argument to ask for them. */
async function forecast(form: 'rows' | 'argument') {
  const cities = ['Bergen', 'Lisbon', 'Ulm'];
  const server = await shelf({
    resources: [],
    templates: [{ uriTemplate: 'weather://{city}', name: 'forecast', description: 'The forecast for a city.' }],
    capabilities: { completions: {} },
    tools: [],
    answer: ({ message }) => (message.method === 'completion/complete' ? { completion: { values: cities } } : undefined),
    read: (uri) => ({ contents: [{ uri, text: `The forecast for ${uri.slice('weather://'.length)}: rain at noon.` }] }),
  });
  const withoutSuggestions: McpToolSetOptions['resources'] = {
    presenter: {
      // Without its own value a variable's suggestions are asked for in a call of their own.
      list: ({ standard }) => ({
        ...standard,
        inputSchema: { type: 'object', properties: { variable: { type: 'string' } } },
        async run(call) {
          const [first] = (await standard.run({ ...call, input: {} })).content as unknown as readonly { text: string }[];
          const rows = JSON.parse(first?.text ?? '[]') as { variables: Record<string, string[]> }[];
          const { variable } = call.input as { variable?: string };
          const shown = rows.map((row) => (variable === undefined ? { ...row, variables: Object.keys(row.variables) } : row));
          return { content: [{ type: 'text', text: JSON.stringify(shown) }] };
        },
      }),
      get: ({ standard }) => standard,
    },
  };
  const tools = await toolSet({
    servers: { weather: { url: server.url } },
    resources: form === 'rows' ? true : withoutSuggestions,
  });
  const prompt = 'What does the forecast for Lisbon say?';
  const { text, steps } = await generateText({ model: offlineModel(), tools, stopWhen: stopAfter(6), prompt });
  return { text, calls: steps.flatMap((step) => step.toolCalls.map(({ toolName }) => toolName)) };
}

describe('a model over templates', () => {
  it('L4J-50 reads one in two calls where the suggestions stand in the rows; where it has to ask for them it does not get there', async () => {
    const rows = await forecast('rows');
    expect(rows.calls).toEqual(['list_resources', 'get_resource']);
    expect(rows.text).toContain('rain at noon');
    const argument = await forecast('argument');
    console.log(
      `suggestions in rows: ${rows.calls.length} calls; behind an argument: ${argument.calls.length} calls, ${argument.text.includes('rain') ? 'read' : 'not read'}`,
    );
    expect(argument.text).not.toContain('rain at noon');
  });
});

describe('a model over ten thousand documents', () => {
  it('L4J-50 finds and reads the one that is asked for in three calls and fewer than 6,000 tokens', async () => {
    const ours = await ask(true);
    expect(ours.calls.at(-1)).toMatchObject({ toolName: 'get_resource', input: { uri: 'docs://archive/07341' } });
    expect(ours.text).toContain('04:12');
    expect(ours.calls.length).toBeLessThanOrEqual(3);
    expect(ours.tokens).toBeLessThan(6_000);

    // The pair of the seed: everything at once.
    const plain = await ask({
      presenter: {
        list: ({ standard, servers, rows }) => ({
          ...standard,
          inputSchema: { type: 'object', properties: {} },
          async run(call) {
            const all = (await Promise.all(servers().map((each) => rows(each, call)))).flat();
            return { content: [{ type: 'text', text: JSON.stringify(all) }] };
          },
        }),
        get: ({ standard }) => standard,
      },
    });
    expect(plain.text).toContain('04:12');
    console.log(
      `ours: ${ours.calls.length} calls, ${ours.tokens} tokens; list everything: ${plain.calls.length} calls, ${plain.tokens} tokens`,
    );
    expect(plain.tokens).toBeGreaterThan(50 * ours.tokens);
  }, 60_000);
});
