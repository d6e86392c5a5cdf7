import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stdio } from '../../src/node/index.ts';
import { toolSet } from '../support/fixtures.ts';
import { EVERYTHING, MEMORY, startEverything } from '../support/reference.ts';
import { page, run, shelf, texts } from './support.ts';

const app = (name: string) =>
  stdio({
    command: process.execPath,
    args: [fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url)), '--stdio'],
  });

describe('the everything server', () => {
  it.each(['stdio', 'http'])(
    'over %s: text, text in a blob, templates with what the server suggests',
    async (how) => {
      const http = how === 'http' ? await startEverything() : undefined;
      const server = http === undefined ? stdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] }) : { url: http.url };
      const tools = await toolSet({ servers: { every: server } });
      const { rows } = await page(tools);
      const template = rows.find(({ uriTemplate }) => uriTemplate === 'demo://resource/dynamic/text/{resourceId}');
      expect(template?.variables).toEqual({ resourceId: expect.any(Array) });
      expect((await page(tools, { query: 'dynamic blob' })).rows[0]).toMatchObject({
        uriTemplate: 'demo://resource/dynamic/blob/{resourceId}',
      });
      const read = (input: object) => texts(tools, 'get_resource', input);
      expect((await read({ uri: 'demo://resource/dynamic/text/{resourceId}', variables: { resourceId: '7' } }))[0]).toMatch(
        /^Resource 7/,
      );
      expect((await read({ uri: 'demo://resource/dynamic/blob/3' }))[0]).toMatch(/^Resource 3/);
      await expect(run(tools, 'get_resource', { uri: 'demo://resource/dynamic/{kind}/3' })).rejects.toThrow(/still has \{kind\}/);
      await expect(run(tools, 'get_resource', { uri: 'demo://resource/other' })).rejects.toThrow(/The nearest are: /);
      await http?.stop();
    },
    20_000,
  );

  it('G6 a link that one of its tools gives is read', async () => {
    const tools = await toolSet({ servers: { every: stdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] }) } });
    const result = await run(tools, 'every_get-resource-links', { count: 2 });
    const links = result.content.filter(({ type }) => type === 'resource_link') as unknown as { uri: string }[];
    expect(links.length).toBeGreaterThan(0);
    for (const { uri } of links) expect((await texts(tools, 'get_resource', { uri }))[0]).toMatch(/^Resource \d/);
  }, 20_000);
});

describe('servers of apps and of memory', () => {
  it('a `ui://` page is read in parts, and a server that cannot reach what it serves says so', async () => {
    const tools = await toolSet({ servers: { basic: app('server-basic-vanillajs'), video: app('server-video-resource') } });
    const { content, _meta } = await run(tools, 'get_resource', { uri: 'ui://get-time/mcp-app.html' });
    expect(content[0]?.text).toHaveLength(40_000);
    expect(content[1]?.text).toMatch(
      /^\[Characters 0 to 40000 of \d{6}\. For what follows call get_resource with "offset": 40000\]$/,
    );
    expect(_meta?.['mcp-tool-set/contents']).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }]);
    const rows = (await page(tools, { server: 'video' })).rows.filter(({ mimeType }) => mimeType === 'video/mp4');
    expect(rows.length).toBeGreaterThan(3);
    // Its videos are on the network, which tests do without.
    await expect(run(tools, 'get_resource', { mcpServer: 'video', uri: 'videos://none-such' })).rejects.toThrow(/video/);
  }, 30_000);

  it('a page of four million characters costs a model no more than a small one', async () => {
    const text = '<p>é</p>'.repeat(540_000);
    const server = await shelf({
      resources: [{ uri: 'ui://big' }],
      read: (uri) => ({ contents: [{ uri, mimeType: 'text/html', text }] }),
    });
    const tools = await toolSet({ servers: { s: { url: server.url } } });
    const result = await run(tools, 'get_resource', { uri: 'ui://big' });
    const output = tools.get_resource?.toModelOutput?.({ output: result } as never) as { value: string };
    expect(output.value.length).toBeLessThan(40_200);
  });

  it('the memory server’s graph', async () => {
    const tools = await toolSet({ servers: { memory: stdio({ command: process.execPath, args: [MEMORY] }) } });
    expect((await texts(tools, 'get_resource', { uri: 'memory://knowledge-graph' }))[0]).toMatch(/^\{/);
  }, 20_000);
});
