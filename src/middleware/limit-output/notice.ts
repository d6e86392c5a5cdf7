/** What stands in the place of what was left out, and the room that it takes. */

import { fits, type Measure } from './budget.ts';
import { findGap, type Gap } from './cut.ts';

export interface Room {
  /** The share of what is kept that comes from the beginning. */
  readonly head: number;
  readonly measure: Measure;
  /** What is not to be had, as a share. */
  readonly taken: number;
  readonly notice: (gap: Gap) => string;
}

/** `handle`: where the rest is kept; nothing where it could not be. */
export function noticeOf({ from, to }: Gap, text: string, handle: string | undefined, tool: string): string {
  const next =
    handle === undefined
      ? 'They could not be kept: call the tool again, asking for less'
      : `Read them with ${tool}({"handle":"${handle}","offset":${from}})`;
  return `\n[… ${to - from} of ${text.length} characters are left out here. ${next} …]\n`;
}

/** The smallest gap with which head, notice and tail fit together. */
export function makeRoom(text: string, { head, measure, taken, notice }: Room): Gap {
  // No notice is longer than one of these numbers.
  let budget = 1 - taken - measure(notice({ from: text.length, to: 2 * text.length }));
  for (let share = 0.98; budget > 0; share **= 2) {
    const gap = findGap(text, budget, head, measure);
    // A tokenizer may make more tokens of the whole than of its parts; and what is left of two blocks is joined by one line break more.
    const whole = `${text.slice(0, gap.from)}${notice(gap)}\n${text.slice(gap.to)}`;
    if (fits(whole, measure, 1 - taken)) return gap;
    budget = share < 0.01 ? 0 : budget * share;
  }
  // The notice alone, whatever it takes: without it nobody knows that something is missing.
  return { from: 0, to: text.length };
}
