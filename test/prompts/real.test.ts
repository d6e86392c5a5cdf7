/** Prompts of real servers, of both MCP SDK lines and both eras, over HTTP and stdio. */

import { completable } from '@modelcontextprotocol/server';
import { generateText } from 'ai';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { McpToolProvider } from '../../src/index.ts';
import { stdio } from '../../src/node/index.ts';
import { failure, provide } from '../provider/support.ts';
import { plannedModel } from '../support/model.ts';
import { startSdkServer } from '../support/modern-server.ts';
import { EVERYTHING, type Everything, startEverything } from '../support/reference.ts';
import { all } from './support.ts';

describe.each(['HTTP', 'stdio'])('the everything server over %s', (way) => {
  let every: Everything | undefined;
  beforeAll(async () => {
    if (way === 'HTTP') every = await startEverything();
  });
  afterAll(() => every?.stop());
  const provider = (): McpToolProvider => {
    const server = every === undefined ? stdio({ command: process.execPath, args: [EVERYTHING, 'stdio'] }) : { url: every.url };
    return provide({ servers: { every: server } });
  };

  it('L4J-52 lists, gets and completes', async () => {
    const { prompts } = provider();
    const rows = await all(prompts.list());
    expect(rows.map(({ name }) => name)).toEqual(['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt']);
    expect(rows[1]).toMatchObject({
      server: 'every',
      title: 'Arguments Prompt',
      arguments: [{ name: 'city', required: true }, {}],
    });
    const messages = await prompts.get({ server: 'every', name: 'args-prompt', arguments: { city: 'Ulm', state: 7 } });
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: "What's weather in Ulm, 7?" }] }]);
    const name = { server: 'every', name: 'completable-prompt' };
    expect(await prompts.complete({ ...name, argument: 'department', value: 'S' })).toEqual(['Sales', 'Support']);
    const others = { arguments: { department: 'Sales' } };
    expect(await prompts.complete({ ...name, argument: 'name', value: 'E', ...others })).toEqual(['Eve']);
  });

  it('embedded text and bytes reach a model in one message, decoded', async () => {
    const { prompts } = provider();
    for (const resourceType of ['Text', 'Blob']) {
      const request = { server: 'every', name: 'resource-prompt', arguments: { resourceType, resourceId: 7 } };
      const messages = await prompts.get(request);
      const model = plannedModel();
      await generateText({ model, messages });
      const prompt = model.doGenerateCalls[0]?.prompt;
      expect(prompt).toHaveLength(1);
      expect(JSON.stringify(prompt)).toMatch(
        new RegExp(`Resource demo://resource/dynamic/${resourceType.toLowerCase()}/7 \\(text/plain\\):`),
      );
      expect(JSON.stringify(prompt)).toContain('Resource 7');
    }
  });

  it('an unknown prompt and a missing argument are told in our words, a refused value without the value', async () => {
    const { prompts } = provider();
    const get = async (name: string, given = {}) =>
      (await failure(prompts.get({ server: 'every', name, arguments: given }))).message;
    expect(await get('simpel-prompt')).toBe(
      'MCP server "every": prompt "simpel-prompt": the server has no such prompt. Did you mean "simple-prompt"?',
    );
    expect(await get('args-prompt', { state: 'x' })).toContain('prompt "args-prompt": the argument "city" is missing');
    const refused = await get('resource-prompt', { resourceType: 'my-secret', resourceId: '1' });
    expect(refused).toMatch(/prompt "resource-prompt": .*Invalid resourceType: \[resourceType\]/);
  });
});

describe('a server of the modern era', () => {
  it('lists, gets and completes', async () => {
    const server = await startSdkServer((each) => {
      const city = completable(z.string(), (value) => ['Ulm', 'Utrecht'].filter((name) => name.startsWith(value)));
      each.registerPrompt('weather', { title: 'Weather', argsSchema: z.object({ city }) }, ({ city }) => ({
        messages: [
          { role: 'user', content: { type: 'text', text: `Weather in ${city}?` } },
          { role: 'assistant', content: { type: 'text', text: 'Wet.' } },
        ],
      }));
    });
    onTestFinished(() => server.close());
    const provider = provide({ servers: { s: { url: server.url } } });
    expect(await all(provider.prompts.list())).toMatchObject([
      { server: 's', name: 'weather', title: 'Weather', arguments: [{ name: 'city', required: true }] },
    ]);
    expect((await provider.status()).s?.era).toBe('modern');
    expect(await provider.prompts.get({ server: 's', name: 'weather', arguments: { city: 'Ulm' } })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Weather in Ulm?' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Wet.' }] },
    ]);
    expect(await provider.prompts.complete({ server: 's', name: 'weather', argument: 'city', value: 'Ut' })).toEqual(['Utrecht']);
    const unknown = await failure(provider.prompts.get({ server: 's', name: 'weathr' }));
    expect(unknown.message).toContain('Did you mean "weather"?');
  });
});
