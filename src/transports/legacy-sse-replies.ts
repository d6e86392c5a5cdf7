/** Sorts the messages of a stream that all requests share: which of them wait for their reply, and what the rest is. */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { badResponse, type HttpExchange } from './http-errors.ts';
import { repairReply } from './reply.ts';

/** One request that was sent, or is about to be. */
export interface Expected {
  /** Settles when the reply was delivered, or with why there will be none. */
  readonly came: Promise<void>;
  /** Whether it was delivered. */
  readonly answered: boolean;
  /** Nobody waits any longer: what still comes is ignored. */
  forget(): void;
}

interface Waiting {
  readonly id: RequestId;
  readonly exchange: HttpExchange;
  answer(): void;
  fail(error: Error): void;
}

export class Replies {
  // Servers answer 7 with "7" now and then.
  readonly #waiting = new Map<string, Waiting>();
  readonly #deliver: (message: JSONRPCMessage) => void;
  readonly #onNoise: () => void;
  #everAnswered = false;

  /** `deliver` gets every message but late replies; `onNoise` is told of what is none. */
  constructor(deliver: (message: JSONRPCMessage) => void, onNoise: () => void) {
    this.#deliver = deliver;
    this.#onNoise = onNoise;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Whether the server ever answered anything. */
  get everAnswered(): boolean {
    return this.#everAnswered;
  }

  expect(id: RequestId, exchange: HttpExchange): Expected {
    const key = String(id);
    let answered = false;
    let fail: (error: Error) => void = () => {};
    const came = new Promise<void>((resolve, reject) => {
      fail = reject;
      this.#waiting.set(key, {
        id,
        exchange,
        fail: reject,
        answer() {
          answered = true;
          resolve();
        },
      });
    });
    // It may fail while the caller still sends the request.
    came.catch(() => {});
    return {
      came,
      get answered() {
        return answered;
      },
      forget: () => {
        if (this.#waiting.get(key)?.fail === fail) this.#waiting.delete(key);
      },
    };
  }

  /** Takes the data of one event, and leaves the client time to act on each message: a reply ends the listening for its progress. */
  async take(data: string): Promise<void> {
    for (const value of readValues(data)) {
      if (isReply(value)) this.#receive(value);
      else if (isMessage(value)) this.#deliver(value);
      else this.#onNoise();
      await undefined;
    }
  }

  /** One that nobody waits for is late, and ignored. */
  #receive(message: Readonly<Record<string, unknown>>): void {
    const key = String(message.id);
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    this.#waiting.delete(key);
    const reply = repairReply(message, waiting.id);
    if (reply === undefined) {
      waiting.fail(badResponse(waiting.exchange, 'a reply that is no JSON-RPC'));
      return;
    }
    this.#everAnswered = true;
    waiting.answer();
    this.#deliver(reply);
  }

  /** No reply will come any more. */
  fail(reason: (exchange: HttpExchange) => Error): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { exchange, fail } of all) fail(reason(exchange));
  }
}

/** The values of one event: several where an older revision's batch comes, `undefined` where it is no JSON. */
function readValues(data: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(data);
    return Array.isArray(value) ? value : [value];
  } catch {
    return [undefined];
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

/** Whether it claims to be one; what is in it is not looked at. */
function isReply(value: unknown): value is Readonly<Record<string, unknown>> {
  return isMessage(value) && !('method' in value);
}
