/** What servers say about themselves, as one text for a system prompt. */

import type { Offer } from './offers.ts';

/** The same text for the same servers, whatever order they answered in: prompt caches depend on it. */
export function readInstructions(offers: readonly Offer[]): string {
  const said = offers.map(({ server, listing }) => [server, listing?.facts.instructions?.trim() ?? ''] as const);
  const texts = said.filter(([, text]) => text !== '').sort(([a], [b]) => (a < b ? -1 : 1));
  return texts.map(([server, text]) => `# ${server}\n\n${text}`).join('\n\n');
}
