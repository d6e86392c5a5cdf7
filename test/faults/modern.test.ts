import { describe, expect, it } from 'vitest';
import { inspectToolSet, type McpErrorCode } from '../../src/index.ts';
import { executeOptions } from '../support/model.ts';
import { WRITE } from './http-server.ts';
import type { HttpSwitch } from './http-switches.ts';
import type { ListSwitch } from './list-switches.ts';
import type { ResultSwitch } from './result-switches.ts';
import type { SchemaSwitch } from './schema-switches.ts';
import type { StreamSwitch } from './stream-switches.ts';
import { find, RIGHT, trial, tryCall } from './trial.ts';

/** Oddities of a list that must cost no more in the modern era than in the one before. */
const LISTS: readonly (readonly [ids: string, name: ListSwitch | SchemaSwitch])[] = [
  ['D5', 'broken-entries'],
  ['D5', 'unknown-fields'],
  ['N8', 'hints-contradict'],
  ['E4', 'name-empty'],
  ['I1', 'three-pages'],
  ['I1', 'cursor-null'],
  ['D5', 'schema-absent'],
  ['D1', 'schema-empty'],
  ['D2', 'schema-root-anyof'],
  ['D11', 'schema-property-is-text'],
  ['D4', 'output-dangling'],
  ['D5', 'output-no-type'],
  ['D5', 'output-text'],
];

const RESULTS: readonly (readonly [ids: string, name: ResultSwitch, part: string])[] = [
  ['F1', 'result-image', 'before'],
  ['F9', 'result-unknown-block', 'hologram'],
  ['F9', 'result-broken-blocks', 'beside'],
  ['F3', 'result-no-content', 'no output'],
  ['F3', 'result-content-null', 'no output'],
  ['F3', 'result-content-text', 'bare text'],
  ['F3', 'result-structured-only', 'temperature'],
  ['F5', 'result-structured-zero', '0'],
  ['F9', 'result-resource-link-bare', 'no URI'],
  ['F11', 'result-blob-bad-base64', 'not valid base64'],
  ['F12', 'result-meta-odd', 'seen'],
];

const FAILING: readonly (readonly [ids: string, name: HttpSwitch | StreamSwitch, code: McpErrorCode, executed: number])[] = [
  ['B8', '401', 'unauthorized', 0],
  ['M1', '429-seconds', 'rate_limited', 0],
  ['H5', '503-after-commit', 'http_error', 1],
  ['B14', '200-html', 'bad_response', 0],
  ['N1', 'redirect-307-loopback', 'redirect_refused', 0],
  ['B3', 'reset-after-commit', 'outcome_unknown', 1],
  ['B7', 'eof-before-reply', 'outcome_unknown', 1],
  ['B3', 'reset-mid-frame', 'outcome_unknown', 1],
];

describe('switches on a server of the modern era', () => {
  it.each(LISTS)('%s %s: costs itself at most; the other tools are there', async (_ids, name) => {
    await trial({ switches: [name, 'modern'] }, async ({ server, set, call }) => {
      const tools = await set();
      expect(inspectToolSet(tools).servers.s).toMatchObject({ state: 'connected', era: 'modern' });
      expect(await call(tools)).toBe(RIGHT);
      expect(server.executed).toEqual([WRITE]);
    });
  });

  it.each(RESULTS)('%s %s: the model reads it', async (_ids, name, part) => {
    await trial({ switches: [name, 'modern'] }, async ({ set, caller }) => {
      const tool = find(await set(), WRITE);
      const output = await tool.execute?.({}, executeOptions(caller.signal));
      const read = await tool.toModelOutput?.({ toolCallId: 'call-1', input: {}, output });
      expect(JSON.stringify(read)).toContain(part);
    });
  });

  it.each(FAILING)('%s %s: %s, and it took effect at most once', (_ids, name, code, executed) =>
    tryCall([name, 'modern'], { code, executed }),
  );

  it.each(['sse', 'data-only', 'crlf', 'string-id', 'stays-open'] as const)('B5 %s: the reply is understood', (name) =>
    tryCall([name, 'modern'], { executed: 1 }),
  );

  it('H1 an abort ends the stream of the call: in this era that is how the server is told', async () => {
    await trial({ switches: ['never-answers', 'modern'] }, async ({ server, set, call, caller }) => {
      const tools = await set();
      const running = call(tools);
      while (server.executed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      caller.abort();
      expect(await running).toBe('aborted');
      expect(server.executed).toEqual([WRITE]);
    });
  });
});
