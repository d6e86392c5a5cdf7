/** What a model asked for, read from its arguments. */

import { McpToolSetError } from '../errors.ts';
import type { ToolCall } from '../types.ts';

/** A text that may be left out; blank counts as left out, since models fill in what they do not mean. */
export function optionalText(input: ToolCall['input'], name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(name, 'is not a text');
  return value.trim() === '' ? undefined : value;
}

/** A whole number that may be left out. */
export function optionalCount(input: ToolCall['input'], name: string, least: number): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw wrong(name, `is not a whole number of ${least} or more`);
}

/** Values for a template. */
export function optionalValues(input: ToolCall['input'], name: string): Readonly<Record<string, unknown>> | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(name, 'is not an object');
}

export function wrong(name: string, problem: string, hint = ''): McpToolSetError {
  return new McpToolSetError('invalid_arguments', `the argument "${name}" ${problem}.${hint}`);
}

export function unknownServer(known: readonly string[]): McpToolSetError {
  const names = known.map((each) => `"${each}"`).join(', ') || 'none';
  return new McpToolSetError('invalid_arguments', `there is no MCP server of that name with resources. Connected: ${names}.`);
}
