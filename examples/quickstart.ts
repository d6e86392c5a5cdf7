/** The README's first example as a test of itself: a filesystem server, a read-only set of its tools, and one question. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, isStepCount } from 'ai';
import { closeToolSet, createMcpToolSet, inspectToolSet } from 'mcp-tool-set';
import { readOnly } from 'mcp-tool-set/middleware';
import { stdio } from 'mcp-tool-set/node';
import { offlineModel } from './demo/offline-model.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;
const folder = await mkdtemp(join(tmpdir(), 'mcp-tool-set-quickstart-'));
await writeFile(join(folder, 'shopping-list.md'), 'Shopping list: two lemons and a loaf of bread.\n');

const tools = await createMcpToolSet({
  servers: {
    files: stdio({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', folder] }),
  },
  middleware: [readOnly()],
  onWarning: false,
});
try {
  assert.equal(inspectToolSet(tools).servers.files?.state, 'connected');
  assert.ok('files_read_text_file' in tools);
  assert.ok(!('files_write_file' in tools), 'readOnly hides what changes files');

  const { text } = await generateText({
    // Any model of the AI SDK; this one needs no key.
    model: offlineModel(),
    tools,
    stopWhen: isStepCount(8),
    prompt: 'What is on the shopping list?',
  });
  assert.match(text, /two lemons and a loaf of bread/);
  console.log(text);
} finally {
  await closeToolSet(tools);
  await rm(folder, { recursive: true });
}
