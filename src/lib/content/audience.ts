/** Blocks that a server means for the user alone: a model is told that there was one, and not what it says. */

import { nameFile, type Piece, readBlock } from './blocks.ts';
import { isRecord } from './json.ts';

/** What a model gets of a block, or one line in place of one that is not for it. */
export function readForModel(block: unknown): readonly Piece[] {
  try {
    return isForUserAlone(block) ? [describeForUser(block)] : readBlock(block);
  } catch {
    return readBlock(block);
  }
}

export function isForUserAlone(block: unknown): block is Record<string, unknown> {
  if (!isRecord(block) || !isRecord(block.annotations)) return false;
  const audience = [block.annotations.audience].flat();
  return audience.includes('user') && !audience.includes('assistant');
}

function describeForUser(block: Record<string, unknown>): string {
  const pieces = readBlock({ ...block, annotations: undefined });
  const file = pieces.find((piece) => typeof piece !== 'string');
  if (file !== undefined) return nameFile({ mediaType: file.mediaType, data: file.data }, ' for the user');
  if (block.type === 'resource_link') return '[resource link for the user]';
  return `[text for the user, ${pieces.join('\n').length} characters]`;
}
