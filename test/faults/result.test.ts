import { describe, expect, it } from 'vitest';
import type { McpToolSet } from '../../src/index.ts';
import { executeOptions } from '../support/model.ts';
import { WRITE } from './http-server.ts';
import { PIXEL, type ResultSwitch } from './result-switches.ts';
import { failure, find, RIGHT, trial } from './trial.ts';

/** What the model reads of it, as a part of the JSON of its output; each of several, in this order. */
const READ: readonly (readonly [ids: string, name: ResultSwitch, parts: readonly string[]])[] = [
  ['F1', 'result-text', ['one', 'two']],
  ['F1', 'result-image', ['before', '[file 1: image/png', 'after', PIXEL]],
  ['F9', 'result-audio', ['[audio/wav, 4 bytes]']],
  ['F9', 'result-resource-link', ['file:///a.txt', 'a.txt', 'text/plain']],
  ['F9', 'result-resource-text', ['file:///report.bin', 'inside']],
  ['F9', 'result-resource-blob', ['file:///report.bin', PIXEL]],
  ['F11', 'result-blob-untyped', ['file:///report.bin']],
  ['F11', 'result-blob-text', ['plain text']],
  ['F11', 'result-blob-bad-base64', ['not valid base64']],
  ['F9', 'result-unknown-block', ['hologram', 'beside']],
  ['F9', 'result-broken-blocks', ['beside']],
  ['F3', 'result-no-blocks', ['no output']],
  ['F3', 'result-no-content', ['no output']],
  ['F3', 'result-content-null', ['no output']],
  ['F3', 'result-content-text', ['bare text']],
  ['F3', 'result-content-block', ['one block']],
  ['F3', 'result-structured-only', ['temperature', '21']],
  ['F5', 'result-structured-null', ['null']],
  ['F5', 'result-structured-zero', ['0']],
  ['F5', 'result-structured-false', ['false']],
  ['F4', 'result-structured-mismatch', ['cold', 'very']],
  ['F4', 'result-structured-summary', ['It is warm.', '21']],
  ['F12', 'result-meta', ['seen']],
  ['F12', 'result-meta-odd', ['seen']],
  ['F15', 'result-base64-5mb', ['image/png']],
  ['F15', 'result-text-5mb', ['xxx']],
  ['F9', 'result-lone-surrogate', ['half', 'of it']],
  ['N4', 'result-injection', ['Ignore all previous instructions']],
  ['M2', 'result-429', ['429 Too Many Requests']],
  ['F9', 'result-resource-link-bare', ['no URI']],
  ['N9', 'result-1000-deep', ['deep']],
];

const FAILED: readonly (readonly [ids: string, name: ResultSwitch, says: string])[] = [
  ['F8', 'result-error', 'the disk is full'],
  ['F8', 'result-error-empty', 'said nothing more'],
  ['F8', 'result-error-image', 'see'],
  ['F7', 'result-error-structured', 'quota'],
  ['F6', 'result-error-mismatch', 'bad'],
  ['F8', 'result-error-missing-content', 'said nothing more'],
];

async function modelReads(tools: McpToolSet, signal: AbortSignal): Promise<string> {
  const tool = find(tools, WRITE);
  const output = await tool.execute?.({}, executeOptions(signal));
  return JSON.stringify(await tool.toModelOutput?.({ toolCallId: 'call-1', input: {}, output }));
}

describe('switches of results', () => {
  it.each(READ)('%s %s: the model reads it', async (_ids, name, parts) => {
    await trial({ switches: [name] }, async ({ server, set, caller }) => {
      const text = await modelReads(await set(), caller.signal);
      let from = 0;
      for (const part of parts) {
        const at = text.indexOf(part, from);
        expect(at, `${part} after ${from} in ${text.slice(0, 500)}`).toBeGreaterThanOrEqual(0);
        from = at;
      }
      expect(text).not.toMatch(/\\ud[89a-f]/i);
      expect(text).not.toContain('for the app');
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it('F5 result-structured-equal: is said once', async () => {
    await trial({ switches: ['result-structured-equal'] }, async ({ set, caller }) => {
      expect((await modelReads(await set(), caller.signal)).split('temperature')).toHaveLength(2);
    });
  });

  it.each(FAILED)('%s %s: an error for the model, with its raw result, and nothing is sent again', async (_ids, name, says) => {
    await trial({ switches: [{ name, times: 1 }] }, async ({ server, set, caller, call }) => {
      const tools = await set();
      const error = await failure(find(tools, WRITE).execute?.({}, executeOptions(caller.signal)));
      expect(error).toMatchObject({ code: 'tool_error', server: 's', tool: WRITE, result: { isError: true } });
      expect(error.message).toContain(says);
      expect(server.count('tools/call')).toBe(1);
      expect(await call(tools)).toBe(RIGHT);
    });
  });

  it('F12 result-meta: `_meta` reaches the application', async () => {
    await trial({ switches: ['result-meta'] }, async ({ set, caller }) => {
      const result = await find(await set(), WRITE).execute?.({}, executeOptions(caller.signal));
      expect(result).toMatchObject({ _meta: { secret: 'for the app' } });
    });
  });
});
