/** What definitions cost in each prompt, and how to have fewer of them. */

import { expect, it } from 'vitest';
import { inspectToolSet } from '../../src/index.ts';
import { readOnly } from '../../src/middleware/index.ts';
import { fake, toolSet } from '../support/fixtures.ts';

const TOOLS = [
  { name: 'find', description: 'x'.repeat(4_000), annotations: { readOnlyHint: true } },
  { name: 'note', description: 'x'.repeat(4_000), annotations: { readOnlyHint: false, destructiveHint: false } },
  { name: 'wipe', description: 'x'.repeat(4_000), annotations: { destructiveHint: true } },
];

it('K4 the report says about how many tokens a server’s tools cost, and a filter brings that down', async () => {
  const { url } = await fake({ tools: TOOLS });
  const all = inspectToolSet(await toolSet({ servers: { s: { url } } })).servers.s;
  const one = inspectToolSet(await toolSet({ servers: { s: { url, tools: { allow: ['find'] } } } })).servers.s;
  expect(all).toMatchObject({ tools: 3 });
  expect(one).toMatchObject({ tools: 1 });
  expect(all?.approximateTokens).toBeGreaterThan(3_000);
  expect(one?.approximateTokens).toBeGreaterThan(1_000);
  expect(one?.approximateTokens).toBeLessThan((all?.approximateTokens ?? 0) / 2.5);
});

it('L4J-17 tools are chosen by their hints: read-only ones by readOnly, those that destroy nothing by a filter', async () => {
  const { url } = await fake({ tools: TOOLS });
  const reading = await toolSet({ servers: { s: { url } }, middleware: [readOnly()] });
  expect(Object.keys(reading)).toEqual(['s_find']);
  const harmless = await toolSet({
    servers: { s: { url } },
    filter: ({ annotations }) => annotations?.readOnlyHint === true || annotations?.destructiveHint === false,
  });
  expect(Object.keys(harmless)).toEqual(['s_find', 's_note']);
});
