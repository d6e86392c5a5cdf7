/** What the tools and the application's own methods reach of the servers. */

import type { SendRequest, ToolCall } from '../types.ts';
import type { CatalogueList, ResourceMemory } from './memory.ts';

/** One server, for whoever asks. */
export interface ResourceSource {
  readonly server: string;
  /** Over the very connection that the memory is of: asked anew, the user's headers might lead to another user's. */
  readonly send: SendRequest;
  /** What is known of it; what came through other `request` hooks is not among it. */
  readonly memory: Omit<ResourceMemory, 'catalogue'>;
  readonly catalogue: CatalogueList;
  /** Whose it is, and through which hooks it comes. */
  readonly owner: object;
}

export interface ResourceReach {
  /** The servers with resources. Asked at each call. */
  servers(): readonly string[];
  /** Connects nothing. Throws `closed`, `unavailable`, and what the server's `headers` function comes to. */
  find(server: string, caller: ResourceCaller): Promise<ResourceSource>;
}

export interface ResourceCaller extends Partial<Pick<ToolCall, 'signal' | 'principal'>> {
  /** Absent where the application itself asks. */
  readonly call?: ToolCall | undefined;
}
