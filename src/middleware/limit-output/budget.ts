/** How much of a text fits: tokens, bytes, or both. */

import { asked } from '../shared/asked.ts';
import { utf8Length } from '../shared/utf8.ts';

export interface OutputLimit {
  readonly maxTokens?: number | undefined;
  readonly maxBytes?: number | undefined;
}

/** How many tokens a text costs. */
export type CountTokens = (text: string) => number;

/** About four bytes make a token, in English and in code; other scripts take more bytes, and more tokens. */
const countByBytes: CountTokens = (text) => Math.ceil(utf8Length(text) / 4);

/** The share of a limit that a text takes: 1 is all of it. */
export type Measure = (text: string) => number;

export function measureFor({ maxTokens, maxBytes }: OutputLimit, count: CountTokens): Measure {
  return (text) =>
    Math.max(maxTokens === undefined ? 0 : count(text) / maxTokens, maxBytes === undefined ? 0 : utf8Length(text) / maxBytes);
}

/** The tool has run by then: a counter that fails must not cost its result, nor lift the limit. */
export function safely(count: CountTokens = countByBytes): CountTokens {
  return (text) => {
    const tokens = asked(
      () => count(text),
      () => Number.NaN,
    );
    return Number.isFinite(tokens) && (tokens > 0 || text === '') ? tokens : countByBytes(text);
  };
}

/** The same for what a model reads inside JSON. */
export function escaping(measure: Measure): Measure {
  return (text) => measure(JSON.stringify(text));
}

/** Never measures much more than what fits: a counter of tokens is slow, and an output may be endless. */
export function fits(text: string, measure: Measure, budget = 1): boolean {
  for (let length = 4_096; length < text.length; length *= 4) if (measure(text.slice(0, length)) > budget) return false;
  return measure(text) <= budget;
}

/** Where the longest beginning of the text ends that fits. */
export function headWithin(text: string, budget: number, measure: Measure): number {
  return before(
    text,
    longest(text.length, budget, (length) => measure(text.slice(0, length))),
  );
}

/** Where the longest end of the text begins that fits, at or after `from`. */
export function tailWithin(text: string, from: number, budget: number, measure: Measure): number {
  const length = longest(text.length - from, budget, (each) => measure(text.slice(text.length - each)));
  return after(text, text.length - length);
}

/** The nearest place at or before this one that does not part a pair of halves. */
export function before(text: string, at: number): number {
  return isBetweenHalves(text, at) ? at - 1 : at;
}

function after(text: string, at: number): number {
  return isBetweenHalves(text, at) ? at + 1 : at;
}

function isBetweenHalves(text: string, at: number): boolean {
  const [high, low] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

/** Close enough below the budget. */
const ENOUGH = 0.98;

/** The longest length of which the cost is within the budget, or one a little shorter. Costs grow about evenly, so a few steps do. */
function longest(most: number, budget: number, costOf: (length: number) => number): number {
  if (budget <= 0 || most <= 0) return 0;
  let [low, high] = [0, most];
  let guess = Math.min(most, 1_024);
  // Each step halves what is left at least every other time.
  for (let step = 0; high > low && step < 60; step++) {
    const cost = costOf(guess);
    if (cost <= budget) low = guess;
    else high = guess - 1;
    if (low === most || (cost <= budget && cost >= budget * ENOUGH)) break;
    const even = cost > 0 ? Math.floor((guess * budget * 0.995) / cost) : guess * 8;
    guess = step % 3 === 2 && high < most ? (low + high + 1) >> 1 : Math.min(high, Math.max(low + 1, even));
  }
  return low;
}
