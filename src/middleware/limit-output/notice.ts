/** What stands in the place of what was left out, and the room that it takes. */

import { fits, type Measure } from './budget.ts';
import { findGap, type Gap } from './cut.ts';

export interface Room {
  /** The share of what is kept that comes from the beginning. */
  readonly head: number;
  readonly measure: Measure;
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
export function makeRoom(text: string, { head, measure, notice }: Room): Gap {
  // No notice is longer than one of these numbers.
  let budget = 1 - measure(notice({ from: text.length, to: 2 * text.length }));
  for (let tries = 0; ; tries++) {
    const gap = findGap(text, budget, head, measure);
    // A tokenizer may make more tokens of the whole than of its parts.
    const whole = text.slice(0, gap.from) + notice(gap) + text.slice(gap.to);
    if (tries === 5 || fits(whole, measure)) return gap;
    budget *= 0.98;
  }
}
