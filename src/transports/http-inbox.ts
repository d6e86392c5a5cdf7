/** Takes in what the server sends on behalf of one request, and knows whether the reply was among it. */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { repairReply } from './reply.ts';

export abstract class Inbox {
  /** Whether the reply was delivered, or came in another way. */
  answered = false;
  /** Whether something came that claimed to be the reply and could not be read as one. */
  garbled = false;
  readonly #id: RequestId;

  /** `id`: of the request. */
  constructor(id: RequestId) {
    this.#id = id;
  }

  /** `foreign`: a reply to another request. */
  protected abstract deliver(message: JSONRPCMessage, foreign: boolean): void;
  /** Told of what is no message. */
  protected abstract onNoise(): void;
  /** Told once, before the reply is delivered or when it came in another way. */
  protected abstract onAnswer(): void;

  /** Takes one message at once. Of an array it leaves the client time to act on each: a reply ends the listening for its progress. */
  receive(value: unknown): Promise<void> | undefined {
    if (Array.isArray(value)) return this.#receiveAll(value);
    this.#receiveOne(value);
    return undefined;
  }

  /** Whether it is an answer to this very request, by its id. */
  names({ id }: { readonly id?: unknown }): boolean {
    return id !== undefined && id !== null && String(id) === String(this.#id);
  }

  /** The reply came in another way. */
  settle(): void {
    if (this.answered) return;
    this.answered = true;
    this.onAnswer();
  }

  async #receiveAll(values: readonly unknown[]): Promise<void> {
    for (const value of values) {
      this.#receiveOne(value);
      await undefined;
    }
  }

  #receiveOne(value: unknown): void {
    if (!isMessage(value)) this.onNoise();
    else if ('method' in value) this.deliver(value as JSONRPCMessage, false);
    else if (isOwn(value, this.#id)) this.#receiveReply(repairReply(value, this.#id));
    else this.deliver(value as JSONRPCMessage, true);
  }

  #receiveReply(reply: JSONRPCMessage | undefined): void {
    if (reply === undefined) {
      this.garbled = true;
      return;
    }
    this.settle();
    this.deliver(reply, false);
  }
}

type Message = Readonly<Record<string, unknown>>;

function isMessage(value: unknown): value is Message {
  return isObject(value) && value.jsonrpc === '2.0';
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Servers send an error without an id when they could not read the request, and some send every id as a string. */
function isOwn({ id, error }: Message, own: RequestId): boolean {
  if (id === own) return true;
  if (id === undefined || id === null) return isObject(error);
  return (typeof id === 'string' || typeof id === 'number') && String(id) === String(own);
}
