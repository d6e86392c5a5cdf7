/** Which requests to a server have no answer yet. */

export type RequestId = string | number;

const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

export class InFlight {
  // Servers answer 7 with "7" now and then.
  readonly #methods = new Map<string, string>();
  #answered = false;

  sent(id: RequestId, method: string): void {
    // It is answered when it ends: nothing to stay alive for, and nothing that could have been executed.
    if (method === 'subscriptions/listen') return;
    this.#methods.set(String(id), method);
  }

  /** No answer will come: cancelled, or never sent. */
  dropped(id: RequestId | undefined): void {
    if (id !== undefined) this.#methods.delete(String(id));
  }

  answered(id: RequestId | undefined): void {
    this.#answered = true;
    this.dropped(id);
  }

  /** Whether the server ever answered anything. */
  get everAnswered(): boolean {
    return this.#answered;
  }

  /** Whether there is something to stay alive for: an answer, or the first sign of life. */
  get busy(): boolean {
    return !this.#answered || this.#methods.size > 0;
  }

  /** Whether something may have been executed without an answer; a handshake does no harm. */
  get unsure(): boolean {
    return [...this.#methods.values()].some((method) => !HANDSHAKE.has(method));
  }
}
