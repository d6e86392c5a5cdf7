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
