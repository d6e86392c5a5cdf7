/** What reading one server of a config file is told, and how it tells what it finds. */

import { formatPath, type Issue, type Path } from '../lib/issues.ts';
import { type Env, expand } from './variables.ts';

export interface Reading {
  readonly path: Path;
  readonly env: Env;
  readonly issues: Issue[];
  /** Something is ignored. */
  readonly warn: (path: Path, message: string) => void;
}

/** The same, once it is known whether anybody will start the server. */
export interface ServerReading extends Reading {
  readonly disabled: boolean;
}

/** Adds an issue at a place within the server. */
export function tell({ path, issues }: Reading, message: string, ...at: Path): void {
  issues.push({ path: formatPath([...path, ...at]), message });
}

/** The text with its variables filled in, or nothing when some are missing. Nobody has to have the secrets of a disabled server. */
export function replace(reading: ServerReading, text: string, ...at: Path): string | undefined {
  const problems: string[] = [];
  const result = expand(text, reading.env, (message) => problems.push(message));
  if (!reading.disabled) for (const problem of problems) tell(reading, problem, ...at);
  return problems.length === 0 ? result : undefined;
}

/** The same for each value of a map; where a variable is missing the text stays. */
export function replaceAll(
  reading: ServerReading,
  map: Readonly<Record<string, string>>,
  field: string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(map).map(([key, value]) => [key, replace(reading, value, field, key) ?? value]);
  return Object.fromEntries(entries);
}
