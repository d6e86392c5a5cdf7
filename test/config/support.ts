/** What went wrong, as tests look at it. */

import { expect } from 'vitest';
import { parseMcpConfig } from '../../src/config/parse.ts';
import { McpToolSetError } from '../../src/errors.ts';
import type { Issue } from '../../src/lib/issues.ts';
import type { McpWarning } from '../../src/report.ts';

/** The one error that the function must throw. */
export function errorOf(run: () => unknown): McpToolSetError {
  try {
    run();
  } catch (error) {
    if (!McpToolSetError.is(error)) throw error;
    expect(error.code).toBe('config_invalid');
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Its issues as `path: message`, each of which must also be a line of the message. */
export function issuesOf(run: () => unknown): string[] {
  const error = errorOf(run);
  const lines = (error.data.issues as Issue[]).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  for (const line of lines) expect(error.message).toContain(line);
  return lines;
}

/** Everything of an error that could end up in a log. */
export function allText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return [error.message, error.stack, JSON.stringify(error), allText(error.cause)].join('\n');
}

/** What one server of a config becomes; any warning fails. */
export const one = (entry: object, env?: Record<string, string>): unknown =>
  parseMcpConfig({ mcpServers: { docs: entry } }, { env, onWarning: noWarning }).docs;

/** What is wrong with a config of one server. */
export const oneIssue = (entry: object, env?: Record<string, string>): string[] => issuesOf(() => one(entry, env));

/** Fails on any warning. */
export const noWarning = (warning: McpWarning): void => {
  throw new Error(warning.message);
};

/** What a config of one server warns of. */
export const warningsOf = (entry: object): string[] => {
  const messages: string[] = [];
  parseMcpConfig({ mcpServers: { docs: entry } }, { onWarning: (warning) => messages.push(warning.message) });
  return messages;
};
