/** The text in a result's content: found, and put back shorter. Media is passed by. */

import type { ContentBlock, ResourceContents } from '../../types.ts';

/** The text that a model would read of it; nothing for media, links and what is not known. */
export function textOf(block: unknown): string | undefined {
  const { type, text, resource } = (block ?? {}) as { type?: unknown; text?: unknown; resource?: Partial<ResourceContents> };
  if (type === 'text' && typeof text === 'string') return text;
  if (type !== 'resource' || typeof resource !== 'object' || resource === null) return undefined;
  if (typeof resource.text === 'string') return resource.text;
  return typeof resource.blob === 'string' && isText(resource.mimeType) ? decode(resource.blob) : undefined;
}

/** The same block with another text. */
export function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type !== 'resource') return { ...block, text } as ContentBlock;
  const { blob, ...resource } = block.resource;
  return { ...block, resource: { ...resource, text } as ResourceContents };
}

function isText(mimeType: unknown): boolean {
  return typeof mimeType === 'string' && /^text\/|[/+](?:json|xml|yaml)\b/i.test(mimeType);
}

/** Text that a server sent as bytes. */
function decode(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
