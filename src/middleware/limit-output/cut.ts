/** Cuts the middle out of a result's text, however many blocks it is spread over. */

import type { CallToolResult, ContentBlock } from '../../types.ts';
import { textOf, withText } from './blocks.ts';
import { headWithin, type Measure, tailWithin } from './budget.ts';
import { says } from './said.ts';

/** A result's text as one, and where each block's part of it is. */
export interface Script {
  readonly text: string;
  readonly blocks: readonly { readonly block: ContentBlock; readonly start?: number; readonly end?: number }[];
}

/** The gap between head and tail, in characters (UTF-16 units) of the whole text. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** `structuredContent` that the blocks do not say already is one more block: the model would get it as such. */
export function readScript({ content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>): Script {
  const given: readonly ContentBlock[] = Array.isArray(content) ? content : [];
  const texts = given.flatMap((block) => textOf(block) ?? []);
  const extra = structuredContent === undefined || says(texts, structuredContent) ? undefined : writeJson(structuredContent);
  const blocks: Script['blocks'][number][] = [];
  let text = '';
  for (const block of extra === undefined ? given : [...given, { type: 'text', text: extra } as const]) {
    const part = textOf(block);
    if (part === undefined || part === '') blocks.push({ block });
    else {
      // Joined as the model reads them.
      const start = text === '' ? 0 : text.length + 1;
      text = text === '' ? part : `${text}\n${part}`;
      blocks.push({ block, start, end: start + part.length });
    }
  }
  return { text, blocks };
}

/** `head`: the share of the budget that the beginning gets. */
export function findGap(text: string, budget: number, head: number, measure: Measure): Gap {
  const from = headWithin(text, budget * head, measure);
  const left = budget - (from === 0 ? 0 : measure(text.slice(0, from)));
  return { from, to: tailWithin(text, from, head === 1 ? 0 : left, measure) };
}

/** The blocks without the gap, with the notice once in its place. Blocks that are all gap go; media stays where it is. */
export function closeGap({ text, blocks }: Script, { from, to }: Gap, notice: string): readonly ContentBlock[] {
  let told = false;
  return blocks.flatMap(({ block, start, end }) => {
    if (start === undefined || end === undefined) return [block];
    const head = text.slice(start, Math.max(start, Math.min(end, from)));
    const tail = text.slice(Math.min(end, Math.max(start, to)), end);
    const here = !told && from <= end;
    told ||= here;
    const kept = here ? `${head}${notice}${tail}` : head + tail;
    return kept === '' ? [] : [withText(block, kept)];
  });
}

function writeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
