/** What a connection is made from. */

import type { Timeouts } from '../servers.ts';
import type { Link, LinkOptions, Memory } from './link.ts';

export type Budgets = Required<{ [Name in keyof Timeouts]: number }>;

export interface ConnectionOptions {
  readonly server: string;
  /** Whether it stands on a client or transport that is used once. */
  readonly borrowed: boolean;
  readonly budgets: Budgets;
  readonly timeoutMessage?: string | undefined;
  /** What is known of the server from other principals' connections: its era. */
  readonly shared: Memory;
  readonly now: () => number;
  /** Makes one attempt to connect. */
  open(options: Pick<LinkOptions, 'memory' | 'headers' | 'signal' | 'probeBudget' | 'onEnd'>): Promise<Link>;
  /** A connection that had state on the server was replaced: that state is gone. */
  onReset(): void;
}
