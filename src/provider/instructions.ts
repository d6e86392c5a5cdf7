/** What servers say about themselves, as one text for a system prompt. */

import { type InvisibleChoice, stripInvisible } from '../lib/content/invisible.ts';
import type { Offer } from './offers.ts';

/** The same text for the same servers, whatever order they answered in: prompt caches depend on it. */
export function readInstructions(offers: readonly Offer[], invisible: InvisibleChoice = 'auto'): string {
  const given = offers.map(({ server, listing }) => [server, listing?.facts.instructions?.trim() ?? ''] as const);
  const texts = given.filter(([, text]) => text !== '').sort(([a], [b]) => (a < b ? -1 : 1));
  const said = texts.map(([server, text]) => `# ${server}\n\n${text}`).join('\n\n');
  return invisible === 'keep' ? said : stripInvisible(said);
}
