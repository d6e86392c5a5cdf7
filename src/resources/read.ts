/** Reads one resource, from memory where that is still good. */

import { McpToolSetError } from '../errors.ts';
import { isRecord } from '../lib/content/json.ts';
import type { ResourceContents } from '../types.ts';
import type { ResourceCaller, ResourceSource } from './source.ts';

export interface ReadOptions {
  readonly uri: string;
  /** Whether the server is asked in any case. */
  readonly anew?: boolean | undefined;
}

/** The contents, in the server's order; what is none of them is left out. Throws `bad_response` where there are none. */
export async function readResource(
  { server, send, memory, owner }: ResourceSource,
  { uri, anew = false }: ReadOptions,
  { signal, principal, call }: ResourceCaller,
): Promise<readonly ResourceContents[]> {
  const key = { owner, uri };
  const known = anew ? undefined : memory.reads.get(key);
  if (known !== undefined) return known;
  const keep = memory.reads.begin(key);
  const result = await send({ method: 'resources/read', server, params: { uri }, signal, principal, call, peer: {} });
  const contents = Array.isArray(result.contents) ? result.contents.flatMap((each) => readContents(each, uri) ?? []) : [];
  if (contents.length === 0) throw new McpToolSetError('bad_response', 'the server has nothing at that URI.', { server });
  const { ttlMs, cacheScope } = result;
  keep(contents, typeof ttlMs === 'number' ? ttlMs : memory.readTtl(), cacheScope === 'public');
  return contents;
}

/** Text or a blob, whose URI is that of the read where the server does not say. */
function readContents(contents: unknown, uri: string): ResourceContents | undefined {
  if (!isRecord(contents)) return undefined;
  const isContents = typeof contents.text === 'string' || typeof contents.blob === 'string';
  if (!isContents) return undefined;
  return (typeof contents.uri === 'string' ? contents : { ...contents, uri }) as unknown as ResourceContents;
}
