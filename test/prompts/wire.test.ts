/** What leaves for a provider of the messages of a prompt, recorded from `@ai-sdk/openai` on both of its APIs. */

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage } from 'ai';
import { expect, it, onTestFinished } from 'vitest';
import { provide } from '../provider/support.ts';
import { json, listen } from '../support/listen.ts';
import { prompting } from './support.ts';

const PNG = 'iVBORw0KGgo=';
const image = { type: 'image', data: PNG, mimeType: 'image/png' };

async function messagesOf(said: object[]): Promise<ModelMessage[]> {
  const server = await prompting({ messages: said });
  return provide({ servers: { s: { url: server.url } } }).prompts.get({ server: 's', name: 'p' });
}

/** The body of one request, whatever came of it. */
async function wire(api: 'responses' | 'chat', messages: ModelMessage[]): Promise<string> {
  const server = await listen((_, response) => json(response, { error: { message: 'enough' } }, 400));
  onTestFinished(() => server.close());
  const openai = createOpenAI({ apiKey: 'none', baseURL: server.url });
  await generateText({ model: openai[api]('gpt-test'), messages, maxRetries: 0 }).catch(() => {});
  return server.requests[0]?.body ?? '';
}

it.each(['responses', 'chat'] as const)(
  'L4J-52 images of a user and of an assistant both reach OpenAI’s %s, in order',
  async (api) => {
    const user = { role: 'user', content: image };
    const assistant = { role: 'assistant', content: image };
    const say = (role: string, text: string) => ({ role, content: { type: 'text', text } });
    const body = await wire(
      api,
      await messagesOf([say('user', 'one'), user, say('assistant', 'two'), assistant, say('user', 'three')]),
    );
    const found = [...body.matchAll(/"(one|two|three)"|data:image\/png;base64,(iVBORw0KGgo=)/g)].map(
      ([, word, data]) => word ?? data,
    );
    expect(found).toEqual(['one', PNG, 'two', PNG, 'three']);
  },
);

it('an assistant’s file left where it was would be lost: the reason why it is moved', async () => {
  const file = { type: 'file' as const, mediaType: 'image/png', data: PNG };
  for (const api of ['responses', 'chat'] as const) {
    const left: ModelMessage[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: [file] },
    ];
    expect(await wire(api, left)).toContain('one');
    expect(await wire(api, left)).not.toContain(PNG);
  }
});
