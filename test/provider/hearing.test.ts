/** A question that a server puts on its listening stream is heard, however late that stream opens. */

import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { fake, toolSet } from '../support/fixtures.ts';
import { json } from '../support/listen.ts';
import { executeOptions } from '../support/model.ts';

it('L4J-32 the first call waits until the stream is open on which its question comes', async () => {
  let stream: ServerResponse | undefined;
  let call: { response: ServerResponse; id: unknown } | undefined;
  const server = await fake({
    async intercept({ method, message }, response) {
      if (method === 'GET') {
        await new Promise((resolve) => setTimeout(resolve, 200));
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        stream = response;
        return true;
      }
      if (message.method === 'tools/call') {
        // As the 1.x SDK does: without a stream, the question goes nowhere.
        const question = {
          jsonrpc: '2.0',
          id: 7,
          method: 'elicitation/create',
          params: { message: 'Name?', requestedSchema: {} },
        };
        stream?.write(`data: ${JSON.stringify(question)}\n\n`);
        call = { response, id: message.id };
        return true;
      }
      if (message.method === undefined && message.id === 7) {
        const { action } = (message as { result?: { action?: string } }).result ?? {};
        response.writeHead(202).end();
        if (call !== undefined)
          json(call.response, { jsonrpc: '2.0', id: call.id, result: { content: [{ type: 'text', text: action }] } });
        return true;
      }
      return undefined;
    },
  });
  const tools = await toolSet({
    servers: { s: { url: server.url, timeouts: { request: 3_000 } } },
    handlers: { elicitation: () => ({ action: 'accept', content: { name: 'Ada' } }) },
  });
  expect(await tools.s_echo?.execute?.({}, executeOptions())).toMatchObject({ content: [{ text: 'accept' }] });
  stream?.end();
});
