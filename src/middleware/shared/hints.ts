/** What a tool's hints are worth to a policy. */

import type { ToolAnnotations, ToolDefinition } from '../../types.ts';

/** A server cannot pose as this library, or as a middleware: `*` is no server's key, and the kind alone proves nothing. */
export function isOurs({ kind, server }: Pick<ToolDefinition, 'server' | 'kind'>): boolean {
  return server === '*' && (kind === 'resource' || kind === 'prompt' || kind === 'added');
}

/** Why these hints do not say that a tool only reads, or nothing when they do. Whatever is not clear counts as a no. */
export function distrustHints(annotations: ToolAnnotations | undefined): string | undefined {
  // Some servers write null for "not said".
  const readOnlyHint: unknown = annotations?.readOnlyHint ?? undefined;
  const destructiveHint: unknown = annotations?.destructiveHint ?? false;
  if (readOnlyHint === undefined) return 'it has no readOnlyHint';
  if (typeof readOnlyHint !== 'boolean') return 'its readOnlyHint is neither true nor false';
  if (!readOnlyHint) return 'its readOnlyHint is false';
  if (destructiveHint !== false) return 'its hints contradict each other (readOnlyHint and destructiveHint)';
  return undefined;
}
