/** What is ending by itself, for whoever has to wait until nothing is left. */

import { createOngoing } from './runtime.ts';

export interface Endings {
  /** Takes an ending that nobody waits for; how it comes out is nobody's concern. */
  track(ending: Promise<unknown>): void;
  /** Resolves when all of them are over, those that begin meanwhile included. */
  settled(): Promise<void>;
}

export function createEndings(): Endings {
  const endings = createOngoing<Promise<unknown>>();
  return {
    track(ending) {
      const tracked = ending.catch(() => {}).finally(() => endings.delete(tracked));
      endings.add(tracked);
    },
    async settled() {
      while (endings.size > 0) await Promise.all(endings);
    },
  };
}
