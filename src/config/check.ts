/** Checks a value against a zod schema, and says what is wrong in our own words: with a path, a suggestion, and no value. */

import * as z from 'zod/mini';
import { describe, formatPath, type Issue, type Path } from '../lib/issues.ts';
import { didYouMean } from '../lib/suggest.ts';

type Shape = Record<string, z.ZodMiniType>;
type ZodIssue = z.core.$ZodIssue;

// zod tells which keys are unknown, not which are known: the message of our strict objects carries those.
const SEPARATOR = ', ';

/** An object whose unknown keys are errors. */
export function strict<S extends Shape>(shape: S): z.ZodMiniObject<S, z.core.$strict> {
  return z.strictObject(shape, { error: Object.keys(shape).join(SEPARATOR) });
}

/** Anything the predicate says yes to; `phrase` completes "must be …". */
export function that(phrase: string, predicate: (value: unknown) => boolean): z.ZodMiniType<unknown> {
  return z.custom<unknown>(predicate, { error: phrase });
}

/** Adds what is wrong to `issues`. Gives the value, rebuilt from known keys alone, when nothing is. */
export function check<T>(schema: z.ZodMiniType<T>, value: unknown, path: Path, issues: Issue[]): T | undefined {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) issues.push(...translate(issue, value, path));
  return undefined;
}

function translate(issue: ZodIssue, root: unknown, base: Path): Issue[] {
  const path = [...base, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey([...path, key], key, issue.message));
  const value = valueAt(root, issue.path as Path);
  if (issue.code === 'invalid_union') {
    const deep = issue.errors.find((branch) => branch.some((part) => part.path.length > 0 || part.code === 'unrecognized_keys'));
    if (deep !== undefined) return deep.flatMap((part) => translate(part, value, path));
  }
  const message =
    value === undefined ? `is missing; it must be ${phrase(issue)}.` : `must be ${phrase(issue)}${but(issue, value)}.`;
  return [{ path: formatPath(path), message }];
}

function unknownKey(path: Path, key: string, known: string): Issue {
  const suggestion = didYouMean(key, known.split(SEPARATOR)) || ` Known here: ${known}.`;
  return { path: formatPath(path), message: `is not known here.${suggestion}` };
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function phrase(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return WORDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return issue.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'invalid_union':
      return issue.errors.map((branch) => (branch[0] === undefined ? 'something else' : phrase(branch[0]))).join(' or ');
    default:
      return issue.message;
  }
}

/** `, not a list`, where that says more than the phrase does. */
function but(issue: ZodIssue, value: unknown): string {
  const found = describe(value);
  return issue.code === 'custom' || phrase(issue).includes(found) ? '' : `, not ${found}`;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown> | undefined)?.[key], root);
}
