/** One SDK client, of either line, seen one way. */

import { McpToolSetError } from '../errors.ts';
import type { ClientLike } from '../servers.ts';
import type { McpResult, ProtocolEra } from '../types.ts';

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
  readonly onprogress?: (() => void) | undefined;
  readonly headers?: Record<string, string> | undefined;
}

/** The part of both lines' clients that is used. `request` is the same in v1, v2-legacy and v2-modern; `callTool` and `list*` are not. */
interface SdkClient extends ClientLike {
  request(request: { method: string; params: object }, schema: object, options: object): Promise<unknown>;
  getNegotiatedProtocolVersion?(): string | undefined;
  getProtocolEra?(): ProtocolEra | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  fallbackNotificationHandler?: ((notification: { method: string; params?: unknown }) => Promise<void>) | undefined;
}

export interface Engine {
  readonly facts: ServerFacts;
  request(method: string, params: object, options: EngineRequest): Promise<McpResult>;
  close(): Promise<void>;
  /** Gives a borrowed client its own handlers back. */
  detach(): void;
}

export interface EngineEvents {
  onClose(): void;
  onError(error: Error): void;
  onNotification(method: string, params: unknown): void;
}

/** Accepts any object: what a server sent is read where it is used, leniently, so that one odd field does not cost the whole answer. */
const ANY_OBJECT = {
  safeParse: (data: unknown) => ({ success: true, data }),
  '~standard': { version: 1, vendor: 'mcp-tool-set', validate: (value: unknown) => ({ value }) },
} as const;

/** The SDK's own timer must never fire before ours; this is the longest that `setTimeout` takes. */
const NO_TIMEOUT = 2 ** 31 - 1;

/** Sees a connected client as an `Engine`. Throws `config_invalid` when it is not connected. */
export function createEngine(client: ClientLike, events: EngineEvents): Engine {
  const sdk = client as SdkClient;
  const capabilities = sdk.getServerCapabilities();
  if (capabilities === undefined) {
    throw new McpToolSetError(
      'config_invalid',
      'the given client is not connected. Call connect() before handing it over, or give a function that returns a connected one.',
    );
  }
  const before = { close: sdk.onclose, error: sdk.onerror, notification: sdk.fallbackNotificationHandler };
  const onclose = (): void => {
    before.close?.();
    events.onClose();
  };
  const onerror = (error: Error): void => {
    before.error?.(error);
    events.onError(error);
  };
  const onnotification = async (notification: { method: string; params?: unknown }): Promise<void> => {
    events.onNotification(notification.method, notification.params);
    await before.notification?.(notification);
  };
  sdk.onclose = onclose;
  sdk.onerror = onerror;
  sdk.fallbackNotificationHandler = onnotification;

  return {
    facts: {
      era: sdk.getProtocolEra?.() ?? 'legacy',
      version: sdk.getNegotiatedProtocolVersion?.(),
      serverInfo: sdk.getServerVersion() as ServerFacts['serverInfo'],
      capabilities: capabilities as Record<string, unknown>,
      instructions: sdk.getInstructions(),
    },
    async request(method, params, { signal, onprogress, headers }) {
      const options = { signal, timeout: NO_TIMEOUT, ...(onprogress && { onprogress }), ...(headers && { headers }) };
      const result = await sdk.request({ method, params }, ANY_OBJECT, options);
      if (typeof result === 'object' && result !== null) return result as McpResult;
      throw new McpToolSetError('bad_response', `the answer to ${method} is not an object.`);
    },
    close: () => sdk.close(),
    detach() {
      // Another set may have put its own over ours since.
      if (sdk.onclose === onclose) sdk.onclose = before.close;
      if (sdk.onerror === onerror) sdk.onerror = before.error;
      if (sdk.fallbackNotificationHandler === onnotification) sdk.fallbackNotificationHandler = before.notification;
    },
  };
}
