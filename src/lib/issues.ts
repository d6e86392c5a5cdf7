/** Everything that is wrong with an input, collected and told at once. */

import { McpToolSetError } from '../errors.ts';

/** One thing that is wrong. `path` is written as one would in code: `servers.docs.headers`, `middleware[0].name`. */
export interface Issue {
  readonly path: string;
  /** What is wrong and how to mend it; never a value. */
  readonly message: string;
}

export type Path = readonly (string | number)[];

/** `['servers', 'my docs', 'args', 1]` → `servers["my docs"].args[1]` */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (!/^[\w$-]+$/.test(part)) text += `[${JSON.stringify(part)}]`;
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

/** One `config_invalid` error that lists them all, a line each, and has them as `data.issues`. `heading` says of what: `These options`. */
export function invalid(heading: string, issues: readonly Issue[]): McpToolSetError {
  const lines = issues.map(({ path, message }) => `\n- ${path === '' ? '' : `${path}: `}${message}`);
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  return new McpToolSetError('config_invalid', `${heading}: ${count}.${lines.join('')}`, {
    data: { issues: issues.map(({ path, message }) => ({ path, message })) },
  });
}

/** What a value is, in words that never hold the value. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}
