/** The arguments of a prompt: texts, whatever the caller has. */

import { McpToolSetError } from '../errors.ts';
import { describe } from '../lib/issues.ts';
import type { PromptRow } from './rows.ts';

/** What the AI SDK or an application gives; numbers, `true` and `false` are written as text, `undefined` and `null` are left out. */
export type PromptValues = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>;

/** Throws `invalid_arguments` for a value that is no text and cannot be written as one. */
export function toTexts(given: Readonly<Record<string, unknown>> = {}): Record<string, string> {
  const texts = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (typeof value === 'string') return [[name, value]];
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return [[name, String(value)]];
    throw new McpToolSetError(
      'invalid_arguments',
      `the argument "${name}" must be a text, a number, or true or false, not ${describe(value)}.`,
    );
  });
  return Object.fromEntries(texts);
}

/** Says which required arguments are not there; nothing where none is missing. */
export function missingArguments(row: PromptRow, given: Readonly<Record<string, string>>): string | undefined {
  const { arguments: all = [] } = row;
  const missing = all.filter(({ name, required }) => required === true && !Object.hasOwn(given, name));
  if (missing.length === 0) return undefined;
  const names = missing.map(({ name }) => `"${name}"`).join(', ');
  return `${missing.length === 1 ? 'the argument' : 'the arguments'} ${names} ${missing.length === 1 ? 'is' : 'are'} missing. It takes: ${all.map(({ name, required }) => (required === true ? name : `${name} (optional)`)).join(', ')}.`;
}
