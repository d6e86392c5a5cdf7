/** Typed tools: what of them compiles, and what does not. Checked against ai 7 with the project, and against ai 6 by `ai6/tsconfig.json`. */

import { generateText, type LanguageModel, streamText } from 'ai';
import * as z4 from 'zod';
import * as z3 from 'zod/v3';
import { createMcpToolSet, type McpToolProvider, type StandardSchema } from '../../src/index.ts';

declare const model: LanguageModel;
declare const provider: McpToolProvider;
declare const own: StandardSchema<{ city: string }>;
const servers = { docs: { url: 'https://docs.example.com/mcp' } };

/** Named tools have types, in calls and in results; every other call is a dynamic one. */
export async function typed(): Promise<void> {
  const tools = await createMcpToolSet({
    servers,
    schemas: {
      docs_search: { input: z4.object({ query: z4.string() }), output: z4.object({ hits: z4.array(z4.string()) }) },
      docs_old: { input: z3.object({ id: z3.number() }) },
      docs_own: { input: own },
    },
  });
  const { toolCalls, toolResults } = await generateText({ model, tools, prompt: 'go' });
  for (const call of toolCalls) {
    if (call.dynamic) {
      const input: unknown = call.input;
      void input;
      continue;
    }
    if (call.toolName === 'docs_search') {
      const query: string = call.input.query;
      void query;
    }
    if (call.toolName === 'docs_old') {
      const id: number = call.input.id;
      void id;
    }
    if (call.toolName === 'docs_own') {
      const city: string = call.input.city;
      // @ts-expect-error it has no such argument
      void call.input.town;
      void city;
    }
  }
  for (const result of toolResults) {
    if (result.dynamic || result.toolName !== 'docs_search') continue;
    const hits: string[] = result.output.structuredContent.hits;
    const text: string | undefined = result.output.content[0]?.type;
    void [hits, text];
  }
  // @ts-expect-error only the named ones are known
  void tools.docs_other;
  streamText({ model, tools, prompt: 'go' });
  await using owned = tools;
  void owned;
}

/** The same for one request. */
export async function request(): Promise<void> {
  const tools = await provider.tools({
    principal: { id: 'ann' },
    schemas: { docs_search: { input: z4.object({ query: z4.string() }) } },
  });
  const { toolCalls } = await generateText({ model, tools, prompt: 'go' });
  const [call] = toolCalls;
  if (call !== undefined && !call.dynamic) {
    const query: string = call.input.query;
    void query;
  }
  // @ts-expect-error no schema
  await provider.tools({ schemas: { docs_search: { input: { type: 'object' } } } });
  const plain = await provider.tools();
  void plain.anything;
}
