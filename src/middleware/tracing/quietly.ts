/** Watching must not break what it watches: a processor, a propagator or a function of the user's that throws costs its own part only. */
export function quietly<T>(watch: () => T): T | undefined {
  try {
    return watch();
  } catch {
    return undefined;
  }
}
