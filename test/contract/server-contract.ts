/** What a tool set does over any kind of connection: one suite for ours, and for clients and transports of either SDK line. */

import { generateText } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpToolSet, ServerConfig } from '../../src/index.ts';
import { closeToolSet, createMcpToolSet, inspectToolSet, McpToolSetError } from '../../src/index.ts';
import { executeOptions, plannedModel, stopAfter, toolResultsOf } from '../support/model.ts';

export interface ContractPeer {
  /** A connection to the everything server. */
  readonly config: ServerConfig;
  stop(): Promise<void>;
}

/** `start` is called once; the set connects to what it gives. */
export function describeServerContract(kind: string, start: () => Promise<ContractPeer>): void {
  describe(`a server as ${kind}`, () => {
    let peer: ContractPeer;
    let tools: McpToolSet;

    beforeAll(async () => {
      peer = await start();
      tools = await createMcpToolSet({ servers: { every: { ...peer.config, timeouts: { request: 5_000 } } }, onWarning: false });
    });
    afterAll(async () => {
      await closeToolSet(tools);
      await peer.stop();
    });

    it('CARD-01 lists every tool under its prefixed name, and the resource tools', () => {
      const names = Object.keys(tools);
      expect(names).toEqual([...names].sort());
      expect(names).toEqual(expect.arrayContaining(['every_echo', 'every_get-sum', 'get_resource', 'list_resources']));
      expect(names.every((name) => name.startsWith('every_') || name.endsWith('_resources') || name === 'get_resource')).toBe(
        true,
      );
      expect(inspectToolSet(tools).servers.every).toMatchObject({ state: 'connected', tools: names.length - 2 });
      expect(inspectToolSet(tools).servers.every?.instructions).toContain('Everything Server');
    });

    it('CARD-05 generateText calls a tool and the model reads its result', async () => {
      const model = plannedModel([{ toolName: 'every_get-sum', input: { a: 2, b: 40 } }]);
      const { text } = await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
      expect(text).toBe('done');
      expect(toolResultsOf(model)).toEqual([
        { toolName: 'every_get-sum', output: { type: 'text', value: 'The sum of 2 and 40 is 42.' } },
      ]);
    });

    it('F1 an image reaches the model as an image', async () => {
      const model = plannedModel([{ toolName: 'every_get-tiny-image' }]);
      await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(3) });
      const [result] = toolResultsOf(model);
      expect(result?.output).toMatchObject({ type: 'content' });
      const parts = (result as { output: { value: { type: string; mediaType?: string }[] } }).output.value;
      expect(parts.map(({ type }) => type)).toEqual(['text', expect.stringMatching(/^(file|image-data|file-data)$/)]);
      expect(parts[1]?.mediaType).toBe('image/png');
    });

    it('F4 structured content is not lost', async () => {
      const output = await tools['every_get-structured-content']?.execute?.({ location: 'New York' }, executeOptions());
      expect(output).toMatchObject({ structuredContent: { conditions: expect.any(String) } });
    });

    it('L4J-38 an error of a tool is a tool error, and the run goes on', async () => {
      const model = plannedModel(
        [{ toolName: 'every_get-sum', input: { a: 'x' } }],
        [{ toolName: 'every_echo', input: { message: 'still here' } }],
      );
      const { text } = await generateText({ model, tools, prompt: 'go', stopWhen: stopAfter(4) });
      expect(text).toBe('done');
      const [failed, fine] = toolResultsOf(model);
      expect(JSON.stringify(failed?.output)).toMatch(/error-text.*get-sum/);
      expect(fine?.output).toEqual({ type: 'text', value: 'Echo: still here' });
    });

    it('L4J-44 resources can be listed and read, text and text in a blob', async () => {
      const listed = (await tools.list_resources?.execute?.({}, executeOptions())) as { content: { text: string }[] };
      const rows = JSON.parse(listed.content[0]?.text ?? '') as Record<string, string>[];
      expect(Object.keys(rows[0] ?? {})).toEqual(['mcpServer', 'uri', 'name', 'description', 'mimeType']);
      expect(rows.map(({ uriTemplate }) => uriTemplate)).toContain('demo://resource/dynamic/blob/{resourceId}');
      const read = (uri: string) => tools.get_resource?.execute?.({ mcpServer: 'every', uri }, executeOptions());
      expect(await read('demo://resource/dynamic/text/1')).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('Resource 1') }],
      });
      expect(await read('demo://resource/dynamic/blob/1')).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining('Resource 1') }],
        _meta: { 'mcp-tool-set/contents': [{ blob: expect.any(String) }] },
      });
    });

    it('H1 an abort rejects at once and the connection goes on working', async () => {
      const controller = new AbortController();
      const call = tools['every_trigger-long-running-operation']?.execute?.(
        { duration: 30, steps: 2 },
        executeOptions(controller.signal),
      );
      setTimeout(() => controller.abort(new Error('the user went away')), 100);
      await expect(call).rejects.toSatisfy((error) => McpToolSetError.is(error) && error.code === 'aborted');
      expect(await tools.every_echo?.execute?.({ message: 'hi' }, executeOptions())).toMatchObject({
        content: [{ text: 'Echo: hi' }],
      });
    });
  });
}
