/** Tells of each HTTP exchange, without what may be secret in it. */

import type { FetchLike, HttpLogEntry } from '../servers.ts';

export interface HttpLogOptions {
  readonly server: string;
  readonly now: () => number;
  readonly log: (entry: HttpLogEntry) => void;
}

/** The same `fetch`, watched. */
export function logged(fetch: FetchLike, { server, now, log }: HttpLogOptions): FetchLike {
  return async (url, init) => {
    const { origin, pathname } = new URL(url);
    const start = now();
    const tell = (status: number | undefined): void => {
      const entry = { server, method: init?.method ?? 'GET', address: origin + pathname, status, milliseconds: now() - start };
      try {
        log(entry);
      } catch {
        // An observer's fault is not the work's fault.
      }
    };
    try {
      const response = await fetch(url, init);
      tell(response.status);
      return response;
    } catch (error) {
      tell(undefined);
      throw error;
    }
  };
}
