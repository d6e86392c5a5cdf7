/** Keeps a tool's output from filling the model's context. */

import { McpToolSetError } from '../errors.ts';
import type { CallToolResult, McpMiddleware, ToolCall, ToolDefinition } from '../types.ts';
import { type CountTokens, escaping, fits, measureFor, type OutputLimit, safely } from './limit-output/budget.ts';
import { type Material, readMaterial } from './limit-output/material.ts';
import { makeRoom, noticeOf } from './limit-output/notice.ts';
import { readMoreTool } from './limit-output/read-more.ts';
import { createHandle, createShelf } from './limit-output/shelf.ts';
import { createSteps } from './limit-output/steps.ts';
import { aDuration, aShare, aWholeNumber } from './shared/numbers.ts';
import { aFunction, checkOptions, type Rule } from './shared/options.ts';
import { byPattern, matchesTool } from './shared/patterns.ts';
import { aTextStore, type TextStore } from './shared/text-store.ts';

export type { CountTokens, OutputLimit } from './limit-output/budget.ts';

export interface LimitOutputOptions extends OutputLimit {
  /** Most tokens of one result. Default 10 000 where `maxBytes` is not given either. At least 100. */
  readonly maxTokens?: number | undefined;
  /** Most bytes of one result's text, in UTF-8. Where both are given, both hold. At least 400. */
  readonly maxBytes?: number | undefined;
  /** Limits of single tools in place of those, by globs on `server/tool`; the first that matches counts, `false` = none. */
  readonly perTool?: Readonly<Record<string, OutputLimit | false>> | undefined;
  /** What all results of one step may take together (calls that share their `messages`). One that comes late gets what is left. */
  readonly perStep?: OutputLimit | undefined;
  /** The share of what is kept that comes from the beginning, 0 to 1; the rest is the end. Default 0.7. */
  readonly head?: number | undefined;
  /** A tokenizer. Default: a token for every four bytes. */
  readonly count?: CountTokens | undefined;
  /** Where whole outputs are kept, so that other processes can read on. Default: in memory. */
  readonly store?: TextStore | undefined;
  /** Budget of the memory in bytes; the longest unused outputs go first. Default 64 MiB. */
  readonly storeBytes?: number | undefined;
  /** Milliseconds after which a store may drop an output. Default 3 600 000 (one hour). */
  readonly ttl?: number | undefined;
  /** What the model calls the tool with which it reads on. Default `read_more`. */
  readonly toolName?: string | undefined;
}

export interface LimitOutputMiddleware extends McpMiddleware {
  /** What the tool had returned, whole, for the output that took its place; nothing for one that was not cut. */
  original(output: unknown): unknown;
}

const LIMITS = { maxTokens: aWholeNumber(100), maxBytes: aWholeNumber(400) };
const aLimit: Rule = {
  phrase: 'an object { maxTokens, maxBytes } with whole numbers, at least 100 and 400',
  test: (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    return entries.length > 0 && entries.every(([key, each]) => LIMITS[key as keyof typeof LIMITS]?.test(each) === true);
  },
};
const RULES: Readonly<Record<keyof LimitOutputOptions, Rule>> = {
  ...LIMITS,
  perTool: byPattern(`${aLimit.phrase}, or false`, (value) => value === false || aLimit.test(value)),
  perStep: aLimit,
  head: aShare,
  count: aFunction,
  store: aTextStore,
  storeBytes: aWholeNumber(1),
  ttl: aDuration(1),
  toolName: {
    phrase: 'a tool name: letters, digits, _ and -, at most 64',
    test: (value) => typeof value === 'string' && /^[A-Za-z_][\w-]{0,63}$/.test(value),
  },
};

/**
 * Cuts the middle out of a result whose text is too long, with a notice in its place that says how much is missing and how to read it:
 * the whole text is kept under a handle, and a tool of ours (`read_more`) gives it page by page, to the same principal only. Media is never
 * cut; of a result that is, files other than pictures, audio and PDFs become their lines. Errors of tools are cut too.
 *
 * Hooks: `call` (in the recommended order before `cache`, so that answers are kept whole) and `list`, which adds the tool.
 *
 * A result that fits stays as it is. Of one that does not, what a model would read is kept as blocks of text, names of links and files
 * among it; `structuredContent` goes, since it would be read again in full. The notice stands even where it alone is more than the limit.
 * The application gets the whole with `original(output)`, and the handle and sizes from `_meta['mcp-tool-set/limitOutput']`. Of a tool in
 * `wrapToolSet()`, a text stays a text, an output shaped like a `CallToolResult` stays one, other JSON becomes one, and what is no JSON is
 * not cut; what a streaming one gives on the way is not cut either, since the model reads the last value alone.
 *
 * Throws `config_invalid` at once for bad options, and `name_conflict` when there is a tool of that name.
 *
 * @example
 * ```ts
 * const limits = limitOutput({ maxTokens: 4_000, perTool: { 'docs/fetch_*': { maxTokens: 12_000 }, 'db/export': false } });
 * const tools = await createMcpToolSet({ servers, middleware: [limits] });
 * limits.original(result.toolResults[0].output); // the whole CallToolResult
 * ```
 */
export function limitOutput(options: LimitOutputOptions = {}): LimitOutputMiddleware {
  checkOptions('limitOutput', options, RULES);
  const { perStep, head = 0.7, store, storeBytes = 64 * 2 ** 20, ttl = 3_600_000 } = options;
  const count = safely(options.count);
  const { maxTokens, maxBytes, toolName = 'read_more' } = options;
  const common = maxTokens === undefined && maxBytes === undefined ? { maxTokens: 10_000 } : { maxTokens, maxBytes };
  const perTool = Object.entries(options.perTool ?? {});
  const shelf = createShelf({ store, maxBytes: storeBytes, ttl });
  const tool = readMoreTool({ name: toolName, shelf, measure: measureFor(common, count) });
  const steps = createSteps(perStep, count);
  const originals = new WeakMap<object, unknown>();

  function limitOf(definition: ToolDefinition): OutputLimit | false {
    return perTool.find(([pattern]) => matchesTool(definition, pattern))?.[1] ?? common;
  }

  async function cut(material: Material, limit: OutputLimit, call: ToolCall): Promise<CallToolResult | undefined> {
    const { text, beside } = material;
    const plain = measureFor(steps.within(limit, call.messages), count);
    const measure = material.escaped ? escaping(plain) : plain;
    const taken = beside === '' ? 0 : measure(beside);
    if (text === '' || fits(text, measure, 1 - taken)) {
      steps.add(call.messages, text + beside);
      return undefined;
    }
    const handle = createHandle();
    const gap = makeRoom(text, { head, measure, taken, notice: (each) => noticeOf(each, text, handle, toolName) });
    steps.add(call.messages, text.slice(0, gap.from) + text.slice(gap.to) + beside);
    const kept = await shelf.put(handle, { text, from: gap.from, principal: call.principal?.id }, call.signal);
    const notice = noticeOf(gap, text, kept ? handle : undefined, toolName);
    return material.close(gap, notice, { ...(kept && { handle }), characters: text.length, ...gap });
  }

  return {
    name: 'limitOutput',
    async list(tools, next) {
      const listed = await next(tools);
      if (listed.some(({ name }) => name === toolName)) throw conflict(toolName);
      return [...listed, tool];
    },
    async call(call, next) {
      const result = await next(call);
      const limit = call.tool.run === tool.run ? false : limitOf(call.tool);
      const material = limit === false ? undefined : readMaterial(result);
      if (limit === false || material === undefined) return result;
      const shorter = await cut(material, limit, call);
      if (shorter === undefined) return result;
      const output: unknown = 'foreign' in shorter ? shorter.foreign : shorter;
      if (typeof output === 'object' && output !== null) originals.set(output, 'foreign' in result ? result.foreign : result);
      return shorter;
    },
    original: (output) => (typeof output === 'object' && output !== null ? originals.get(output) : undefined),
  };
}

function conflict(name: string): McpToolSetError {
  const detail = `limitOutput() adds a tool "${name}", and there is one of that name. Give it another with \`toolName\`.`;
  return new McpToolSetError('name_conflict', detail);
}
