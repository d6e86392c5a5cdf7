/** One of something for each key, dropped when it is idle. */

export interface Lanes<T> {
  /** Finds or makes it. Idle ones go when a new one comes, at most once in `pace` milliseconds. */
  of(key: string, pace: number, create: () => T): T;
  entries(): [key: string, value: T][];
}

/** Neither memory nor time grows with the keys ever seen. */
export function createLanes<T>(now: () => number, isIdle: (value: T) => boolean): Lanes<T> {
  const lanes = new Map<string, T>();
  let swept = Number.NEGATIVE_INFINITY;

  function sweep(pace: number): void {
    const time = now();
    if (time - swept < pace) return;
    swept = time;
    for (const [key, value] of lanes) if (isIdle(value)) lanes.delete(key);
  }

  return {
    of(key, pace, create) {
      let value = lanes.get(key);
      if (value === undefined) {
        sweep(pace);
        value = create();
        lanes.set(key, value);
      }
      return value;
    },
    entries: () => [...lanes],
  };
}
