/** Tells listeners of what happened; none of them can break what it listens to. */

export interface Emitter<Events> {
  /** Returns the function that ends it. Added twice, a listener is told twice. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => unknown): () => void;
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void;
  /** Whether anyone would hear it, for events that cost something to make. */
  hears(name: keyof Events): boolean;
  /** Lets go of every listener. */
  clear(): void;
}

export function createEmitter<Events>(): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<{ readonly tell: (event: never) => unknown }>>();

  return {
    on(name, listener) {
      const entry = { tell: listener };
      const those = listeners.get(name) ?? new Set();
      listeners.set(name, those.add(entry));
      return () => {
        those.delete(entry);
        if (those.size === 0 && listeners.get(name) === those) listeners.delete(name);
      };
    },
    emit(name, event) {
      for (const { tell } of [...(listeners.get(name) ?? [])]) {
        try {
          // A promise that rejects is an observer's fault as well.
          Promise.resolve(tell(event as never)).catch(() => {});
        } catch {
          // An observer's fault is not the work's fault.
        }
      }
    },
    hears: (name) => listeners.has(name),
    clear: () => listeners.clear(),
  };
}
