/** The public shapes of `provider.resources`. */

import type { McpHandlers } from '../handlers.ts';
import type { Principal, ResourceContents } from '../types.ts';
import type { ResourceRow } from './row.ts';

/** Whose resources are listed. */
export interface ResourceListOptions {
  /** Default every server. */
  readonly server?: string | undefined;
  readonly principal?: Principal | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ResourceReadOptions {
  readonly server: string;
  readonly uri: string;
  /** Whether the server is asked although what was read last may still be good. Default false. */
  readonly anew?: boolean | undefined;
  readonly principal?: Principal | undefined;
  readonly handlers?: McpHandlers | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ResourceSubscribeOptions {
  readonly server: string;
  /** Changes of what lies below it are told of too. */
  readonly uri: string;
  readonly principal?: Principal | undefined;
  /** Ends the subscription, also later on. */
  readonly signal?: AbortSignal | undefined;
}

/** A change of a resource that was subscribed to. */
export interface ResourceUpdate {
  readonly server: string;
  /** What has changed: the resource, or a part of it. */
  readonly uri: string;
  /** `updated`: the server said so. `reconnected`: the connection was gone for a while, and a change may have gone by untold. */
  readonly reason: 'updated' | 'reconnected';
}

/** What servers offer to read, for the application itself. Middleware applies; the `resources` option's filter does not. */
export interface ProviderResources {
  /**
   * Every resource, server by server, each in the order of its URIs. From memory while the list is fresh. A server that fails costs its own
   * rows and a warning; one that is asked for by name throws, and so do all that fail together.
   */
  list(options?: ResourceListOptions): AsyncIterable<ResourceRow>;
  /** The same for resource templates (RFC 6570). */
  templates(options?: ResourceListOptions): AsyncIterable<ResourceRow>;
  /**
   * The contents of one resource, text and blobs, in the server's order. From memory for as long as the server says (`ttlMs`), else for
   * `listTtl`, unless a change was told of or a tool that may write was called.
   *
   * Throws `bad_response` where there are none, and whatever else ends a request.
   */
  read(options: ResourceReadOptions): Promise<readonly ResourceContents[]>;
  /**
   * Tells of changes of one resource until the function that it resolves with is called, `signal` aborts, or the server or provider is gone.
   * A connection that is lost is opened again for it. Over HTTP in the legacy era it is told on the server's listening stream (GET): one that
   * has none, and one configured with `stream: false`, cannot tell.
   *
   * Throws `not_allowed` where the server tells of no changes.
   */
  subscribe(options: ResourceSubscribeOptions, listener: (update: ResourceUpdate) => void): Promise<() => Promise<void>>;
}
