/** What numbers options take. */

import type { Rule } from './options.ts';

/** No timer takes longer, in milliseconds. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;

const isNumber = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most;

export function aWholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Rule {
  return {
    phrase: `a whole number, ${least} or more`,
    test: (value) => Number.isSafeInteger(value) && isNumber(value, least, most),
  };
}

/** Milliseconds that a timer can take. */
export function aDuration(least: number): Rule {
  return {
    phrase: `a number of milliseconds from ${least} to ${LONGEST_TIMER}`,
    test: (value) => isNumber(value, least, LONGEST_TIMER),
  };
}

export const aShare: Rule = { phrase: 'a number from 0 to 1', test: (value) => isNumber(value, 0, 1) };
