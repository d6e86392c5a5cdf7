/** The entries that run anywhere, bundled as for an edge runtime, and run where code cannot be made from text. */

import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as root from '../../src/index.ts';
import { bundleForEdge, sizeOf } from '../support/bundle.ts';
import { entryFile, requireBuild } from '../support/dist.ts';
import { type Everything, startEverything } from '../support/reference.ts';

/** Bytes of our own code after minifying, and after gzip. A change that passes them is worth a look, not a higher number at once. */
const BUDGETS = {
  '.': { min: 234_000, gzip: 83_500 },
  './middleware': { min: 66_000, gzip: 25_000 },
  './stores': { min: 8_000, gzip: 3_500 },
  './tracing': { min: 13_000, gzip: 5_500 },
} as const;

type Entry = keyof typeof BUDGETS;

beforeAll(requireBuild);

describe.each(Object.keys(BUDGETS) as Entry[])('%s bundled for an edge runtime', (entry) => {
  const options = { entryPoints: [entryFile(entry, 'default')], minify: true };

  it('reaches no Node built-in, and nothing that makes code from text', async () => {
    const { text, inputs, imports } = await bundleForEdge(options);
    expect(imports).toEqual([]);
    expect(
      Object.keys(inputs).filter((file) => /node_modules\/(?:ajv|cross-spawn|@modelcontextprotocol\/sdk)\//.test(file)),
    ).toEqual([]);
    expect(text).not.toMatch(/\bnew Function\b|\beval\(|\brequire\(|["']node:/);
  });

  it('keeps to its size', async () => {
    const own = sizeOf((await bundleForEdge({ ...options, packages: 'external' })).text);
    const withoutAi = sizeOf((await bundleForEdge({ ...options, external: ['ai'] })).text);
    const whole = sizeOf((await bundleForEdge(options)).text);
    const show = ({ min, gzip }: typeof own): string => `${min} / ${gzip}`;
    console.log(`${entry} min / gzip: own ${show(own)}, without ai ${show(withoutAi)}, whole ${show(whole)}`);
    expect(own.min).toBeLessThan(BUDGETS[entry].min);
    expect(own.gzip).toBeLessThan(BUDGETS[entry].gzip);
  });
});

describe('the bundled root where code generation is off and nothing of Node is there', () => {
  let server: Everything;
  beforeAll(async () => {
    server = await startEverything();
  });
  afterAll(() => server.stop());

  it('lists and calls the tools of a real server', async () => {
    const { text } = await bundleForEdge({ entryPoints: [entryFile('.', 'default')], format: 'iife', globalName: 'bundle' });
    const { bundle, attempts, context } = runOnEdge(text);
    expect(() => runInContext('new Function("return 1")', context)).toThrow('Code generation from strings disallowed');
    attempts.length = 0;

    const provider = bundle.createMcpToolProvider({ servers: { every: { url: server.url } }, onWarning: false });
    const tools = await provider.tools();
    expect(bundle.inspectToolSet(tools).servers.every).toMatchObject({ state: 'connected' });
    expect(Object.keys(tools)).toEqual(expect.arrayContaining(['every_echo', 'every_get-structured-content', 'get_resource']));
    const options = { toolCallId: 'call-1', messages: [] } as never;
    expect(await tools.every_echo?.execute?.({ message: 'hi' }, options)).toMatchObject({ content: [{ text: 'Echo: hi' }] });
    await provider.close();

    // zod asks once, in a try, whether it may; it is told no and does without.
    expect(attempts.filter((code) => code !== '')).toEqual([]);
  });
});

const WEB = {
  AbortController,
  AbortSignal,
  DOMException,
  Headers,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  clearTimeout,
  console,
  crypto,
  fetch,
  queueMicrotask,
  setTimeout,
  structuredClone,
};

/** Runs a script in a realm of web globals alone, and keeps the code that it tries to make from text. */
function runOnEdge(script: string): { bundle: typeof root; attempts: string[]; context: object } {
  const attempts: string[] = [];
  const context = createContext({ ...WEB, attempts }, { codeGeneration: { strings: false, wasm: false } });
  runInContext(
    `Function = new Proxy(Function, {
      construct(target, args) { attempts.push(args.join()); return new target(...args); },
      apply(target, self, args) { attempts.push(args.join()); return target(...args); },
    });
    ${script}`,
    context,
  );
  return { bundle: runInContext('bundle', context), attempts, context };
}
