/** Checks a list of middleware. */

import { describe, formatPath, type Issue, type Path } from '../lib/issues.ts';
import { suggest } from '../lib/suggest.ts';
import { isObject } from './settings.ts';

const HOOKS = ['list', 'call', 'request', 'connection'];

/** Adds what is wrong to `issues`. A middleware may have more keys than ours: it may be an object of the user's own. */
export function checkMiddleware(middleware: unknown, path: Path, issues: Issue[]): void {
  if (middleware === undefined) return;
  if (!Array.isArray(middleware)) {
    issues.push({ path: formatPath(path), message: `must be a list, such as [readOnly()], not ${describe(middleware)}.` });
    return;
  }
  middleware.forEach((entry, index) => {
    checkEntry(entry, [...path, index], issues);
  });
}

function checkEntry(entry: unknown, path: Path, issues: Issue[]): void {
  if (!isObject(entry)) {
    issues.push({ path: formatPath(path), message: notObject(entry) });
    return;
  }
  if (typeof entry.name !== 'string' || entry.name === '') {
    issues.push({ path: formatPath([...path, 'name']), message: 'must be a string that names the middleware in errors.' });
  }
  for (const hook of HOOKS) {
    const value = entry[hook];
    if (value === undefined || typeof value === 'function') continue;
    issues.push({ path: formatPath([...path, hook]), message: `must be a function, not ${describe(value)}.` });
  }
  // A hook that is there but undefined was left out on purpose.
  if (HOOKS.some((hook) => hook in entry)) return;
  const slip = Object.keys(entry).find((key) => key !== 'name' && suggest(key, HOOKS) !== undefined);
  const hint = slip === undefined ? '' : ` It has ${JSON.stringify(slip)}: did you mean "${suggest(slip, HOOKS)}"?`;
  issues.push({ path: formatPath(path), message: `has none of the hooks list, call, request and connection.${hint}` });
}

function notObject(entry: unknown): string {
  if (typeof entry === 'function') {
    const name = /^[\w$]+$/.test(entry.name) ? entry.name : 'it';
    return name === 'it' ? 'is a function; call it and pass what it returns.' : `is a function; call it: ${name}().`;
  }
  const hint = entry === false || entry == null ? ' Drop empty entries with .filter((entry) => entry !== undefined).' : '';
  return `must be a middleware object { name, list?, call?, request?, connection? }, not ${describe(entry)}.${hint}`;
}
