/** What the runtime allows, asked in one place. */

/**
 * Whether promises, timers and streams belong to the request that made them (workerd): then nothing that waits is shared between
 * requests, only data is.
 */
export function bindsIoToRequests(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/**
 * A set of what is under way, for whoever has to end it or wait for it. It stays empty where I/O belongs to its request: no other
 * request may touch it, and nobody is told when it dies with its request.
 */
export function createOngoing<T>(): Set<T> {
  return bindsIoToRequests() ? new Forgetful<T>() : new Set<T>();
}

class Forgetful<T> extends Set<T> {
  override add(): this {
    return this;
  }
}

/** Lets the process end although the timer still runs. Timers are plain numbers outside Node. */
export function unrefTimer(timer: ReturnType<typeof setTimeout>): void {
  (timer as { unref?: () => void }).unref?.();
}
