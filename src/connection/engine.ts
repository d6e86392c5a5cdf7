/** One SDK client, of either line, seen one way. */

import { McpToolSetError } from '../errors.ts';
import type { ClientLike } from '../servers.ts';
import type { McpResult, ProtocolEra } from '../types.ts';
import { type Watchable, type Watcher, watchClient } from './watch.ts';

/** What a connected client knows of its server. */
export interface ServerFacts {
  readonly era: ProtocolEra;
  readonly version: string | undefined;
  readonly serverInfo: { readonly name?: string; readonly version?: string } | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | undefined;
}

export interface EngineRequest {
  readonly signal: AbortSignal;
  readonly onprogress?: ((progress: unknown) => void) | undefined;
  readonly headers?: Record<string, string> | undefined;
  /** The caller sees to results that want input. */
  readonly allowInputRequired?: boolean | undefined;
}

/** The part of both lines' clients that is used. `request` is the same in v1, v2-legacy and v2-modern; `callTool` and `list*` are not. */
interface SdkClient extends ClientLike, Watchable {
  request(request: { method: string; params: object }, schema: object, options: object): Promise<unknown>;
  getNegotiatedProtocolVersion?(): string | undefined;
  notification(notification: { method: string }): Promise<void>;
  getProtocolEra?(): ProtocolEra | undefined;
  listen?(filter: ListenFilter, options: { signal: AbortSignal; timeout: number }): Promise<Subscription>;
}

/** What a modern server is asked to tell of. */
export interface ListenFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: string[];
}

/** An open `subscriptions/listen`. */
export interface Subscription {
  /** What of the filter the server agreed to. */
  readonly honoredFilter: ListenFilter;
  readonly closed: Promise<unknown>;
}

export interface Engine {
  readonly facts: ServerFacts;
  request(method: string, params: object, options: EngineRequest): Promise<McpResult>;
  notify(method: string): Promise<void>;
  /** Present in the modern era. Resolves once the server agreed; aborting the signal ends it. */
  readonly listen: ((filter: ListenFilter, signal: AbortSignal) => Promise<Subscription>) | undefined;
  close(): Promise<void>;
  /** Gives a borrowed client its own handlers back. */
  detach(): void;
}

/** Accepts any object: what a server sent is read where it is used, leniently, so that one odd field does not cost the whole answer. */
const ANY_OBJECT = {
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'mcp-tool-set', validate: (value: unknown) => ({ value }) },
} as const;

/** The SDK's own timer must never fire before ours; this is the longest that `setTimeout` takes. */
const NO_TIMEOUT = 2 ** 31 - 1;
/** Milliseconds in which a server must agree to tell of changes. */
const LISTEN_BUDGET = 10_000;

/** Sees a connected client as an `Engine`. Throws `config_invalid` when it is not connected, unless capabilities are `assumed`. */
export function createEngine(client: ClientLike, events: Watcher, assumed?: object): Engine {
  const sdk = client as SdkClient;
  const capabilities = sdk.getServerCapabilities() ?? assumed;
  if (capabilities === undefined) {
    throw new McpToolSetError(
      'config_invalid',
      'the given client is not connected. Call connect() before handing it over, or give a function that returns a connected one.',
    );
  }
  const detach = watchClient(sdk, events);
  const era = sdk.getProtocolEra?.() ?? 'legacy';

  return {
    facts: {
      era,
      version: sdk.getNegotiatedProtocolVersion?.(),
      serverInfo: sdk.getServerVersion() as ServerFacts['serverInfo'],
      capabilities: capabilities as Record<string, unknown>,
      instructions: sdk.getInstructions(),
    },
    async request(method, params, { signal, onprogress, headers, allowInputRequired }) {
      const options = {
        signal,
        timeout: NO_TIMEOUT,
        ...(onprogress && { onprogress }),
        ...(headers && { headers }),
        ...(allowInputRequired && { allowInputRequired }),
      };
      const result = await sdk.request({ method, params }, ANY_OBJECT, options);
      if (typeof result === 'object' && result !== null) return result as McpResult;
      throw new McpToolSetError('bad_response', `the answer to ${method} is not an object.`);
    },
    notify: (method) => sdk.notification({ method }),
    listen:
      era === 'modern' && sdk.listen !== undefined
        ? async (filter, signal) => (sdk as Required<SdkClient>).listen(filter, { signal, timeout: LISTEN_BUDGET })
        : undefined,
    close: () => sdk.close(),
    detach,
  };
}
