import { describe, expect, it } from 'vitest';
import { closeToolSet, createMcpToolSet, inspectToolSet, McpToolSetError } from '../../src/index.ts';
import { stdio } from '../../src/node/stdio.ts';
import { fake, toolSet } from '../support/fixtures.ts';
import { executeOptions } from '../support/model.ts';
import { MEMORY } from '../support/reference.ts';

const coded = (code: string) => expect.toSatisfy((error) => McpToolSetError.is(error) && error.code === code);
const withResource = () => fake({ resources: [{ uri: 'test://r', name: 'r' }] });

describe('what toolnexus does', () => {
  it('TNX-08 states are connected, disabled and failed, and one failure stays one', async () => {
    const server = await fake();
    const tools = await toolSet({
      servers: {
        up: { url: server.url },
        down: stdio({ command: 'no-such-command-here' }),
        off: { url: server.url, enabled: false },
      },
    });
    const { servers } = inspectToolSet(tools);
    expect([servers.up?.state, servers.down?.state, servers.off?.state]).toEqual(['connected', 'failed', 'disabled']);
    expect(Object.keys(tools)).toEqual(['up_echo']);
    expect(server.log().filter((method) => method === 'initialize')).toHaveLength(1);
  });

  it('TNX-09 a name is the sanitised server, an underscore and the sanitised tool', async () => {
    const server = await fake({ tools: [{ name: 'search.files' }, { name: 'read' }] });
    const tools = await toolSet({ servers: { 'my-docs': { url: server.url } } });
    expect(Object.keys(tools)).toEqual(['my-docs_read', 'my-docs_search_files']);
    await tools['my-docs_search_files']?.execute?.({}, executeOptions());
    expect(server.executed).toEqual(['search.files']);
  });

  it('TNX-13 both resource tools carry a read-only hint', async () => {
    const server = await withResource();
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    for (const tool of [tools.list_resources, tools.get_resource])
      expect(tool?.metadata).toMatchObject({ annotations: { readOnlyHint: true } });
  });

  it('TNX-14 both resource tools fail with `closed` after the end', async () => {
    const server = await withResource();
    const tools = await createMcpToolSet({ servers: { s: { url: server.url } } });
    await closeToolSet(tools);
    await expect(tools.list_resources?.execute?.({}, executeOptions())).rejects.toThrow(coded('closed'));
    await expect(tools.get_resource?.execute?.({ mcpServer: 's', uri: 'test://r' }, executeOptions())).rejects.toThrow(
      coded('closed'),
    );
  });

  it('TNX-17 a tool that fails is an error of that tool, with its server; it never breaks the rest', async () => {
    const server = await fake({
      tools: [{ name: 'bad', result: { isError: true, content: [{ type: 'text', text: 'out of paper' }] } }, { name: 'good' }],
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    expect(tools.s_bad?.metadata).toMatchObject({ server: 's' });
    await expect(tools.s_bad?.execute?.({}, executeOptions())).rejects.toMatchObject({
      code: 'tool_error',
      server: 's',
      tool: 'bad',
      message: expect.stringContaining('out of paper'),
    });
    expect(await tools.s_good?.execute?.({}, executeOptions())).toBeDefined();
  });

  it('TNX-18 `await using` ends everything', async () => {
    const server = await fake();
    let held: Awaited<ReturnType<typeof createMcpToolSet>> | undefined;
    {
      await using tools = await createMcpToolSet({
        servers: {
          s: { url: server.url },
          memory: stdio({ command: process.execPath, args: [MEMORY], env: { MEMORY_FILE_PATH: '/dev/null' } }),
        },
      });
      held = tools;
      expect(server.sessions.size).toBe(1);
    }
    expect(server.sessions.size).toBe(0);
    await expect(held.s_echo?.execute?.({}, executeOptions())).rejects.toThrow(coded('closed'));
  });
});
