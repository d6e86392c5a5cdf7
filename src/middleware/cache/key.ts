/** What makes two calls the same: whose they are, which tool as it is defined now, and the arguments. */

import type { ToolCall, ToolDefinition } from '../../types.ts';
import { canonicalJson } from '../shared/canonical.ts';

export interface CacheKey {
  /** Server, principal, tool and arguments. */
  readonly text: string;
  /** What the tool says of itself; an answer is for one definition. */
  readonly fingerprint: string;
}

const fingerprints = new WeakMap<ToolDefinition, string | undefined>();

/** Nothing where the arguments or the definition are no JSON. */
export function cacheKeyOf({ tool, input, principal, context }: ToolCall): CacheKey | undefined {
  // A tool of the application's own may answer by its context; none of it goes to a server.
  const own = tool.kind === 'added' ? context : undefined;
  const canonical = canonicalJson(own === undefined ? [input] : [input, own]);
  // What its server says of it now, where a run holds an older record.
  const fingerprint = fingerprintOf(tool.offered?.definition ?? tool);
  if (canonical === undefined || fingerprint === undefined) return undefined;
  return { text: JSON.stringify([tool.server, principal?.id ?? null, tool.originalName, canonical]), fingerprint };
}

export function isOf(principalId: string, key: string): boolean {
  return (JSON.parse(key) as unknown[])[1] === principalId;
}

/** A name for a shared store that tells neither the arguments nor whose they are. */
export async function digest({ text, fingerprint }: CacheKey): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([text, fingerprint]));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `mcp-tool-set:cache:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function fingerprintOf(tool: ToolDefinition): string | undefined {
  if (fingerprints.has(tool)) return fingerprints.get(tool);
  const { annotations, description, inputSchema, outputSchema, kind } = tool;
  const fingerprint = canonicalJson({ annotations, description, inputSchema, outputSchema, kind });
  fingerprints.set(tool, fingerprint);
  return fingerprint;
}
