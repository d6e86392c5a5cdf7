/** Calls what a transport's user listens with: a listener's fault is not the connection's. */

import type { Transport } from '@modelcontextprotocol/client';

type Reporting = Pick<Transport, 'onerror'>;

export function report(transport: Reporting, error: unknown): void {
  try {
    transport.onerror?.(error as Error);
  } catch {
    // An observer's fault is not the work's fault.
  }
}

/** What the listener throws is reported. */
export function guard(transport: Reporting, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    report(transport, error);
  }
}
