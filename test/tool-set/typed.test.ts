/** Tools with types: the application's schema has the last word on arguments, and on structured content. */

import { generateText } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { createMcpToolProvider, type McpWarning, type StandardSchema } from '../../src/index.ts';
import { fake } from '../support/fixtures.ts';
import { executeOptions, plannedModel, stopAfter } from '../support/model.ts';

const inputSchema = { type: 'object', properties: { query: { type: 'string' }, page: { type: 'integer' } }, required: ['query'] };

async function provide(result: object = { content: [{ type: 'text', text: '{"hits":["a"]}' }] }) {
  const sent: unknown[] = [];
  const server = await fake({ tools: [{ name: 'search', inputSchema, result }, { name: 'other' }] });
  const warnings: McpWarning[] = [];
  const provider = createMcpToolProvider({
    servers: { docs: { url: server.url } },
    onWarning: (each) => void warnings.push(each),
  });
  const calls = () =>
    server.requests.filter(({ message }) => message.method === 'tools/call').map(({ message }) => message.params?.arguments);
  return { provider, warnings, calls, sent };
}

const own: StandardSchema<{ query: string }> = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: async (value) => {
      const { query } = value as { query: string };
      return query === 'no' ? { issues: [{ message: 'not that', path: ['query'] }] } : { value: { query: `${query}!` } };
    },
  },
};

describe('O3 schemas', () => {
  it.each([
    ['Zod 4', z.object({ query: z.string().trim(), page: z.number().default(1) }), { query: 'x', page: 1 }],
    ['Zod 3', z3.object({ query: z3.string().trim(), page: z3.number().default(1) }), { query: 'x', page: 1 }],
    ['another', own, { query: ' x !' }],
  ])('O1 of %s: what it makes of the arguments is sent, in a call that is not dynamic', async (_, input, expected) => {
    const { provider, calls } = await provide();
    const tools = await provider.tools({ schemas: { docs_search: { input: input as StandardSchema<{ query: string }> } } });
    const model = plannedModel([
      { toolName: 'docs_search', input: { query: ' x ' } },
      { toolName: 'docs_other', input: {} },
    ]);
    const { steps } = await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
    expect(calls()).toEqual([expected, {}]);
    expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, dynamic }) => [toolName, dynamic === true]))).toEqual([
      ['docs_search', false],
      ['docs_other', true],
    ]);
    await provider.close();
  });

  it('what does not fit is not sent, and the model hears where', async () => {
    const { provider, calls } = await provide();
    const tools = await provider.tools({ schemas: { docs_search: { input: z.object({ query: z.string().min(3) }) } } });
    const model = plannedModel([{ toolName: 'docs_search', input: { query: 'x' } }]);
    await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(2) });
    expect(calls()).toEqual([]);
    expect(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)).toMatch(/do not fit the schema in `schemas`: query: /);
    await provider.close();
  });

  it.each([
    ['structured content', { content: [], structuredContent: { hits: ['a'] } }],
    ['JSON in a text', { content: [{ type: 'text', text: '{"hits":["a"]}' }] }],
  ])('an output of %s is what the schema makes of it', async (_, result) => {
    const { provider } = await provide(result);
    const output = z.object({ hits: z.array(z.string()).transform((hits) => new Set(hits)) });
    const tools = await provider.tools({ schemas: { docs_search: { input: z.object({ query: z.string() }), output } } });
    const given = await tools.docs_search.execute?.({ query: 'x' }, executeOptions() as never);
    expect(given).toMatchObject({ ...result, structuredContent: { hits: new Set(['a']) } });
    await provider.close();
  });

  it('an output that does not fit is an error with its place, and no type is a lie', async () => {
    const { provider } = await provide({ content: [], structuredContent: { hits: 'SECRET' } });
    const output = z.object({ hits: z.array(z.string()) });
    const tools = await provider.tools({ schemas: { docs_search: { input: z.object({ query: z.string() }), output } } });
    const call = Promise.resolve(tools.docs_search.execute?.({ query: 'x' }, executeOptions() as never));
    await expect(call).rejects.toMatchObject({
      code: 'bad_response',
      server: 'docs',
      tool: 'search',
      message: expect.stringMatching(/hits: /),
    });
    await expect(call).rejects.not.toThrow(/SECRET/);
    await provider.close();
  });

  it('a name that no tool has is a warning that says what there is; what is no schema throws', async () => {
    const { provider, warnings } = await provide();
    await provider.tools({ schemas: { doc_search: { input: own } } });
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/"doc_search".*Did you mean "docs_search"/) }]);
    await expect(provider.tools({ schemas: { docs_search: { input: { type: 'object' } } } as never })).rejects.toMatchObject({
      code: 'config_invalid',
    });
    await provider.close();
  });
});
