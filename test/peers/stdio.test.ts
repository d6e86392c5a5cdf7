/** Real servers as child processes. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeToolSet, inspectToolSet, type McpToolSet } from '../../src/index.ts';
import { type StdioOptions, stdio } from '../../src/node/stdio.ts';
import { EVERYTHING, FILESYSTEM, MEMORY } from '../support/reference.ts';
import { hasSdkV1, sdkV1LeftOut } from '../support/sdk-v1.ts';
import { ADD, type Call, children, connect, fixture, GIT, living, make, moduleFile, repository, temporary } from './support.ts';

/** Connects, makes the calls, closes, and finds no process left. */
async function visit(options: Omit<StdioOptions, 'command'>, ...calls: readonly Call[]) {
  const tools = await start(options);
  for (const call of calls) await make(tools, call);
  const heads = children();
  expect(living(heads)).not.toEqual([]);
  await closeToolSet(tools);
  expect(living(heads)).toEqual([]);
  return inspectToolSet(tools).servers.peer;
}

function start(options: Omit<StdioOptions, 'command'>): Promise<McpToolSet> {
  return connect(stdio({ command: process.execPath, ...options }));
}

const entity = { name: 'Ada', entityType: 'person', observations: ['wrote the first program'] };
const remember: Call = {
  tool: 'create_entities',
  input: { entities: [entity] },
  result: { structuredContent: { entities: [entity] } },
};
const recall: Call = { tool: 'read_graph', input: {}, result: { structuredContent: { entities: [entity] } } };

describe('real servers over stdio', () => {
  it('peer everything', async () => {
    const echo = { tool: 'echo', input: { message: 'hi' }, result: { content: [{ type: 'text', text: 'Echo: hi' }] } };
    await visit({ args: [EVERYTHING, 'stdio'] }, echo);
  });

  it('peer filesystem', async () => {
    const folder = temporary();
    const [old, fresh] = [join(folder, 'old.txt'), join(folder, 'new.txt')];
    writeFileSync(old, 'what was there');
    await visit(
      { args: [FILESYSTEM, folder] },
      { tool: 'read_text_file', input: { path: old }, result: { structuredContent: { content: 'what was there' } } },
      { tool: 'write_file', input: { path: fresh, content: 'what is new' }, result: { content: [{ type: 'text' }] } },
    );
    expect(readFileSync(fresh, 'utf8')).toBe('what is new');
  });

  it('peer memory', async () => {
    const file = join(temporary(), 'memory.jsonl');
    await visit({ args: [MEMORY], env: { MEMORY_FILE_PATH: file } }, remember, recall);
    expect(readFileSync(file, 'utf8')).toContain('wrote the first program');
  });

  it('A18 peer memory: killed between two calls, it is started again by the second', async () => {
    const tools = await start({ args: [MEMORY], env: { MEMORY_FILE_PATH: join(temporary(), 'memory.jsonl') } });
    await make(tools, remember);
    const [first = Number.NaN] = children();
    process.kill(first, 'SIGKILL');
    // Gone, but this process may not have been told yet: that must not cost the call either.
    await expect.poll(() => living([first])).toEqual([]);
    await make(tools, recall);
    const heads = children();
    expect(heads).not.toContain(first);
    await closeToolSet(tools);
    expect(living(heads)).toEqual([]);
  });

  it('peer git', async () => {
    const { cwd, status } = repository();
    await visit({ args: [GIT], env: { MCP_TRANSPORT_TYPE: 'stdio' }, cwd }, status);
  });

  it('peer playwright lists its tools without a browser', async () => {
    const server = await visit({ args: [moduleFile('@playwright/mcp/cli.js'), '--headless'], cwd: temporary() });
    expect(server?.tools).toBeGreaterThan(20);
  });

  it.skipIf(!hasSdkV1)(`peer SDK 1.x${sdkV1LeftOut}`, async () => {
    const structured = { ...ADD, result: { ...ADD.result, structuredContent: { sum: 42 } } };
    expect(await visit({ args: [fixture('sdk-v1.mjs'), 'stdio'] }, structured)).toMatchObject({ era: 'legacy' });
  });

  it.each([
    ['auto', { era: 'legacy', version: '2025-11-25' }],
    ['2025-06-18', { era: 'legacy', version: '2025-06-18' }],
    ['2026-07-28', { era: 'modern', version: '2026-07-28' }],
  ])('peer SDK 2.x, protocol %s', async (protocol, spoken) => {
    expect(await visit({ args: [fixture('sdk-v2-stdio.mjs')], protocol }, ADD)).toMatchObject(spoken);
  });
});
