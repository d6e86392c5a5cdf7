/** Counts starts so that no span of `interval` milliseconds ever holds more than `limit` of them. */

export interface SlidingWindow {
  /** How many starts still count. */
  used(now: number): number;
  /** When a start is possible that comes after `ahead` others which are waiting; `now` where it is possible at once. */
  due(ahead: number, now: number): number;
  /** Records a start. */
  start(now: number): void;
}

/**
 * A log of the starts that still count, which holds `limit` numbers at most. Cheaper ways of counting (fixed windows, token buckets)
 * let up to twice the limit pass within some interval, and a server that counts strictly then answers 429.
 */
export function createSlidingWindow(limit: number, interval: number): SlidingWindow {
  const starts: number[] = [];
  // Those before it no longer count. They are removed many at a time, which costs less than one by one.
  let first = 0;

  function used(now: number): number {
    while (first < starts.length && endOf(first) <= now) first++;
    if (first * 2 > starts.length) {
      starts.splice(0, first);
      first = 0;
    }
    return starts.length - first;
  }

  function endOf(index: number): number {
    return (starts[index] ?? 0) + interval;
  }

  return {
    used,
    due(ahead, now) {
      // The n-th start has to wait for the end of the one `limit` places before it; every `limit` waiters ahead cost one interval.
      const place = used(now) + (ahead % limit) - limit;
      const freed = place < 0 ? now : endOf(first + place);
      return freed + Math.floor(ahead / limit) * interval;
    },
    start(now) {
      starts.push(now);
    },
  };
}
