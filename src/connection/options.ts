/** What a connection is made from. */

import type { McpToolSetError } from '../errors.ts';
import type { McpHandlers } from '../handlers.ts';
import type { Timeouts } from '../servers.ts';
import type { McpRequest } from '../types.ts';
import type { Link, LinkOptions, Memory } from './link.ts';

/** Every budget in milliseconds, 0 = none. */
export type Budgets = Required<{ [Name in Exclude<keyof Timeouts, 'tools'>]: number }>;

export interface ConnectionOptions {
  readonly server: string;
  /** Whether it stands on a client or transport that is used once. */
  readonly borrowed: boolean;
  /** As they are now. */
  readonly budgets: () => Budgets;
  /** Those of one request, which may be a tool's own. */
  readonly budgetsOf: (request: Pick<McpRequest, 'method' | 'params'>) => Pick<Budgets, 'request' | 'total'>;
  readonly timeoutMessage: () => string | undefined;
  /** Those of every request that has none of its own. */
  readonly handlers: () => McpHandlers | undefined;
  /** What is known of the server from other principals' connections: its era. */
  readonly shared: Memory;
  readonly now: () => number;
  /** Whether somebody wants to hear what the server tells by itself. */
  readonly listens: () => boolean;
  /** URIs of resources of which somebody wants to hear. */
  readonly watched: () => readonly string[];
  /** Whether the stream for that must stay open although nothing else is under way. */
  readonly holds: () => boolean;
  /** Makes one attempt to connect. */
  open(
    options: Pick<LinkOptions, 'memory' | 'headers' | 'signal' | 'probeBudget' | 'onEnd' | 'onNotification' | 'onListening'>,
  ): Promise<Link>;
  readonly events: ConnectionEvents;
}

/** What a connection reports. What comes from a link that was given up is not among it. */
export interface ConnectionEvents {
  onConnected(generation: number, link: Link): void;
  onDisconnected(generation: number, error: McpToolSetError | undefined): void;
  /** A connection that had state on the server was replaced: that state is gone. */
  onReset(): void;
  onNotification(method: string, params: unknown): void;
  /** Asked before a request is sent once more, to what may be another server by now: whether what was decided on still holds. */
  stillHolds(request: McpRequest, signal: AbortSignal): Promise<boolean>;
  /** The channel on which the server tells of changes has opened: what happened before it did may have gone by untold. Or it was, and is not any more. */
  onListening(open: boolean): void;
}
