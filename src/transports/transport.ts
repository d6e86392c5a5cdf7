/** What our own transports add to the MCP SDK's `Transport`, and how one request's context reaches them. */

import type { MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { McpToolSetError } from '../errors.ts';
import type { QuestionOwner } from '../handlers.ts';
import type { McpPeer } from '../types.ts';

/** What one request tells the transport beside its message. */
export interface RequestContext {
  /** Resolved for this request, and whose it is; complete but for what the protocol itself adds. */
  readonly headers?: Headers | undefined;
  /** Ends the request and everything that was opened for it. */
  readonly signal?: AbortSignal | undefined;
  /** The transport fills in `requestId` and `sessionId`. */
  readonly peer?: McpPeer | undefined;
  /** Who answers what the server asks while it works on this. */
  readonly owner?: QuestionOwner | undefined;
}

/** Second argument of `onmessage`. */
export interface MessageOrigin extends MessageExtraInfo {
  /** The very object that the request was sent with on whose reply stream the message came; absent on a listening stream. */
  readonly origin: RequestContext | undefined;
}

/** A transport of ours. */
export interface OwnTransport extends Transport {
  readonly kind: 'http' | 'stdio';
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** Why it closed by itself; set before `onclose`. */
  readonly failure?: McpToolSetError | undefined;
  /** Settles (never rejects) when the server has answered `notifications/initialized`, which `send` does not wait for. */
  readonly acknowledged?: Promise<void> | undefined;
  /** Opens a stream for what the server tells of its own accord, and keeps it open as far as the server lets. Never throws. */
  listen?(): void;
  /** Ends it. */
  unlisten?(): void;
  /** Whether such a stream is open now. */
  readonly listening?: boolean | undefined;
  /** Pending while it is about to open. */
  readonly opening?: Promise<void> | undefined;
  /** Told each time that it opens or ends. */
  onlistening?: ((open: boolean) => void) | undefined;
}

const CONTEXT: unique symbol = Symbol('mcp-tool-set.request-context');

type Carrier = Record<string, string> & { [CONTEXT]?: RequestContext };

/**
 * The context as a `headers` record for the SDK client: `headers` is the one thing that its request path hands from caller to
 * transport unchanged, retries included, so the context rides on it under a symbol.
 */
export function carry(context: RequestContext, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const carrier: Carrier = { ...headers };
  carrier[CONTEXT] = context;
  return carrier;
}

/** The context of a message that is being sent; absent on what the SDK client sends of its own accord. */
export function carried(options: TransportSendOptions | undefined): RequestContext | undefined {
  return (options?.headers as Carrier | undefined)?.[CONTEXT];
}
