/** Checks a middleware's options when it is made, so that a mistake never waits for the first call. */

import { describe, formatPath, type Issue, invalid } from '../../lib/issues.ts';
import { didYouMean } from '../../lib/suggest.ts';

/** What one option may be: `phrase` completes "must be …". */
export interface Rule {
  readonly phrase: string;
  readonly test: (value: unknown) => boolean;
  readonly required?: boolean;
}

/** Throws `config_invalid` with everything that is wrong: unknown options, missing ones, wrong values. Never quotes a value. */
export function checkOptions<O extends object>(middleware: string, options: O, rules: Readonly<Record<keyof O, Rule>>): void {
  const heading = `The options of ${middleware}()`;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid(heading, [{ path: '', message: `must be an object, not ${describe(options)}.` }]);
  }
  const known = Object.keys(rules);
  const issues: Issue[] = [];
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const suggestion = didYouMean(key, known) || ` Known here: ${known.join(', ')}.`;
    issues.push({ path: formatPath([key]), message: `is not known here.${suggestion}` });
  }
  for (const [key, { phrase, test, required = false }] of Object.entries<Rule>(rules)) {
    const value = (options as Record<string, unknown>)[key];
    if (value === undefined ? required : !test(value)) {
      issues.push({
        path: formatPath([key]),
        message: value === undefined ? `is missing; it must be ${phrase}.` : `must be ${phrase}.`,
      });
    }
  }
  if (issues.length > 0) throw invalid(heading, issues);
}

export const aFunction: Rule = { phrase: 'a function', test: (value) => typeof value === 'function' };

export const aBoolean: Rule = { phrase: 'true or false', test: (value) => typeof value === 'boolean' };

/** A list of texts, each of which passes. */
export function listOf(phrase: string, test: (text: string) => boolean): Rule {
  return {
    phrase: `a list of ${phrase}`,
    test: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '' && test(item)),
  };
}
