/** What ten public servers announce, as it was taken from them, and what a model gets of it. */

import { readdirSync, readFileSync } from 'node:fs';
import { asSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpToolSetOptions } from '../../src/index.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { complaints } from './schema-rules.ts';

const folder = new URL('fixtures/servers/', import.meta.url);
const servers = readdirSync(folder).map((file) => {
  const { package: name, version, tools } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  return { file, name, version, tools } as {
    file: string;
    name: string;
    version: string;
    tools: { name: string; description?: string }[];
  };
});

/** As they stand in a request. */
async function modelFacing(tools: object[], schema: McpToolSetOptions['schema']) {
  const server = await fake({ tools: tools as never });
  const set = await toolSet({ servers: { s: { url: server.url } }, schema, onWarning: false });
  const { notes } = inspectToolSet(set);
  const facing = Object.entries(set).map(([name, tool]) => ({
    name,
    description: tool.description,
    inputSchema: asSchema(tool.inputSchema as never).jsonSchema,
  }));
  return { facing, notes };
}

describe.each(servers)('$name $version', ({ file, tools }) => {
  it.each(['auto', 'openai', 'anthropic', 'google'] as const)('L4J-43 every tool converts for %s', async (profile) => {
    const { facing, notes } = await modelFacing(tools, profile);
    expect(facing).toHaveLength(tools.length);
    expect(notes.filter(({ what }) => what === 'dropped')).toEqual([]);
    for (const { name, inputSchema } of facing) expect([name, complaints(inputSchema as never, profile)]).toEqual([name, []]);
  });

  it('the bytes that a model gets are these', async () => {
    const { facing } = await modelFacing(tools, 'auto');
    await expect(`${JSON.stringify(facing, null, 1)}\n`).toMatchFileSnapshot(`fixtures/model/${file}`);
  });
});

it('there are ten of them', () => {
  expect(servers).toHaveLength(10);
});
