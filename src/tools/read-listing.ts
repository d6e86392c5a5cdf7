/** From the entries of `tools/list` to definitions. */

import type { ToolNote } from '../report.ts';
import type { ProtocolEra, ToolDefinition } from '../types.ts';
import { readDefinition } from './definition.ts';
import { paramHeaderProblem } from './param-headers.ts';

export interface ReadListing {
  /** By original name, in the server's order. */
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  /** What could not be used, and why. */
  readonly dropped: readonly ToolNote[];
}

/** Reads each entry for itself, so that a bad one costs only itself; of two with one name the first stands. */
export function readListing(entries: readonly unknown[], server: string, era: ProtocolEra): ReadListing {
  const definitions = new Map<string, ToolDefinition>();
  const dropped: ToolNote[] = [];
  const drop = (originalName: string, why: string): void => void dropped.push({ server, originalName, what: 'dropped', why });
  for (const entry of entries) {
    const read = readDefinition(entry, server);
    if ('problem' in read) {
      drop(read.name ?? '(no name)', read.problem);
      continue;
    }
    const problem = era === 'modern' ? paramHeaderProblem(read.inputSchema) : undefined;
    if (problem !== undefined) drop(read.originalName, problem);
    else if (definitions.has(read.originalName)) drop(read.originalName, TWICE);
    else definitions.set(read.originalName, read);
  }
  return { definitions, dropped };
}

const TWICE = 'the server lists this name twice; the first one is used.';
