/** One server's tools as one principal sees them. */

import type { ServerFacts } from '../connection/engine.ts';
import { type Kept, KeptList, type KeptListOptions, type KeptState } from '../connection/kept-list.ts';
import { readPages } from '../connection/pages.ts';
import type { ToolNote } from '../report.ts';
import type { SendRequest, ToolDefinition } from '../types.ts';
import { createListingReader } from './read-listing.ts';

/** What a server offered when it was last asked. */
export interface Listing extends Kept {
  /** By original name, in the server's order. */
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly dropped: readonly ToolNote[];
  /** How long connecting and listing took. */
  readonly milliseconds: number;
}

export type ListingState = KeptState<Listing>;
export type ToolListing = KeptList<Listing>;

export interface ListingOptions extends Omit<KeptListOptions<Listing, void>, 'what' | 'fetch'> {
  /** Sends over the very connection that it is the listing of: asked anew, the user's headers might lead to another user's. */
  readonly send: SendRequest;
}

export function createToolListing({ send, ...options }: ListingOptions, preloaded?: Listing): ToolListing {
  const { server, now } = options;
  let start = 0;
  async function ready(signal: AbortSignal): ReturnType<ListingOptions['ready']> {
    start = now();
    return options.ready(signal);
  }
  async function fetch({ capabilities, era }: ServerFacts, signal: AbortSignal): Promise<Omit<Listing, 'facts'>> {
    const { take, definitions, dropped } = createListingReader(server, era);
    const offers = capabilities.tools !== undefined;
    const ttl = offers ? await readPages(send, { server, method: 'tools/list', signal }, 'tools', take) : undefined;
    return { definitions, dropped, ttl, milliseconds: Math.round(now() - start) };
  }
  return new KeptList({ ...options, what: 'its list of tools', ready, fetch }, preloaded);
}
