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

export interface ListingReader extends ReadListing {
  /** Reads some more. */
  take(entries: readonly unknown[]): void;
}

/** Reads each entry for itself, so that a bad one costs only itself; of two with one name the first stands. */
export function createListingReader(server: string, era: ProtocolEra): ListingReader {
  const definitions = new Map<string, ToolDefinition>();
  const dropped: ToolNote[] = [];
  const drop = (originalName: string, why: string): void => void dropped.push({ server, originalName, what: 'dropped', why });
  function read(entry: unknown): void {
    const definition = readDefinition(entry, server);
    if ('problem' in definition) {
      drop(definition.name ?? '(no name)', definition.problem);
      return;
    }
    const { originalName, inputSchema } = definition;
    const problem = era === 'modern' ? paramHeaderProblem(inputSchema) : undefined;
    if (problem !== undefined) drop(originalName, problem);
    else if (definitions.has(originalName)) drop(originalName, TWICE);
    else definitions.set(originalName, definition);
  }
  return {
    definitions,
    dropped,
    take(entries) {
      for (const entry of entries) read(entry);
    },
  };
}

/** The same for a whole list. */
export function readListing(entries: readonly unknown[], server: string, era: ProtocolEra): ReadListing {
  const { take, definitions, dropped } = createListingReader(server, era);
  take(entries);
  return { definitions, dropped };
}

const TWICE = 'the server lists this name twice; the first one is used.';
