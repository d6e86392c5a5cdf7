/** What the runtime allows, asked in one place. */

/**
 * Whether promises, timers and streams belong to the request that made them (workerd): then nothing that waits is shared between
 * requests, only data is.
 */
export function bindsIoToRequests(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers';
}

/** Lets the process end although the timer still runs. Timers are plain numbers outside Node. */
export function unrefTimer(timer: ReturnType<typeof setTimeout>): void {
  (timer as { unref?: () => void }).unref?.();
}
