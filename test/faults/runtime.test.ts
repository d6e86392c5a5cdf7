import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FetchLike } from '../../src/index.ts';
import { bundleForEdge } from '../support/bundle.ts';
import { ROOT } from '../support/dist.ts';
import type { Switch } from './http-server.ts';
import { RIGHT, trial } from './trial.ts';

const SCRIPT = `
  import { closeToolSet, createMcpToolSet } from './src/index.ts';
  export async function run(url) {
    const tools = await createMcpToolSet({ servers: { s: { url } }, onWarning: false });
    const result = await tools.s_odd.execute({}, { toolCallId: '1', messages: [] });
    await closeToolSet(tools);
    return { names: Object.keys(tools), text: result.content[0].text };
  }
`;

const MAIN = `
  import { run } from './bundle.mjs';
  let code = 'allowed';
  try { new Function('return 1'); } catch (error) { code = error.name; }
  console.log(JSON.stringify({ code, ...(await run(process.argv[2])) }));
`;

/** A fetch that lets six requests be under way, as some edge runtimes do; one is over when its body is. */
function sixAtOnce(): { readonly fetch: FetchLike; most(): number; now(): number } {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const leave = (): void => {
    running--;
    waiting.shift()?.();
  };
  const limited: FetchLike = async (url, init) => {
    if (running >= 6) await new Promise<void>((resolve) => waiting.push(resolve));
    most = Math.max(most, ++running);
    try {
      const response = await fetch(url, init);
      if (response.body === null) leave();
      return response.body === null ? response : new Response(watch(response.body, leave), response);
    } catch (error) {
      leave();
      throw error;
    }
  };
  return { fetch: limited, most: () => most, now: () => running };
}

function watch(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let over = false;
  const end = (): void => {
    if (!over) onEnd();
    over = true;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}

describe('what the runtime does not allow', () => {
  it('J1 no code is made from text, whatever schemas are listed', async () => {
    const { text, imports } = await bundleForEdge({ stdin: { contents: SCRIPT, resolveDir: ROOT, loader: 'ts' } });
    expect(imports).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'bundle.mjs'), text);
    writeFileSync(join(folder, 'main.mjs'), MAIN);
    for (const name of ['output-uncompilable', 'output-array', 'schema-ref-recursive'] as const) {
      await trial({ switches: [name] }, async ({ server }) => {
        const args = ['--disallow-code-generation-from-strings', join(folder, 'main.mjs'), server.url];
        const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 15_000 });
        expect(JSON.parse(stdout)).toEqual({ code: 'EvalError', names: ['s_odd', 's_read', 's_write'], text: 'odd done' });
      });
    }
  });

  const LIMITED: readonly (readonly [switches: readonly Switch[], end: string])[] = [
    [[], RIGHT],
    [['sse'], RIGHT],
    [['stays-open'], RIGHT],
    [['asks-ping'], RIGHT],
    [['502-html'], 'http_error'],
    [['200-html'], 'bad_response'],
    [['401'], 'unauthorized'],
    [['429-text'], 'rate_limited'],
    [['redirect-302-same'], 'redirect_refused'],
    [['reset-mid-frame'], 'outcome_unknown'],
  ];

  it.each(LIMITED)('J5 K5 six requests at once and no more: thirty calls end all the same, %j', async (switches, end) => {
    const limited = sixAtOnce();
    await trial({ switches }, async ({ set, call }) => {
      const tools = await set({ fetch: limited.fetch });
      const ends = await Promise.all(Array.from({ length: switches.includes('asks-ping') ? 5 : 30 }, () => call(tools)));
      expect(new Set(ends)).toEqual(new Set([end]));
      expect(limited.most()).toBeLessThanOrEqual(6);
    });
    expect(limited.now(), 'bodies that were not let go of').toBe(0);
  });
});
