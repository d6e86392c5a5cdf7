/** Takes in what the server sends on behalf of one request, and knows whether the reply was among it. */

import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { repairReply } from './reply.ts';

export interface Inbox {
  /** Whether the reply was delivered. */
  readonly answered: boolean;
  /** Whether something came that claimed to be the reply and could not be read as one. */
  readonly garbled: boolean;
  /** Takes one message or an array of them, and leaves the client time to act on each: a reply ends the listening for its progress. */
  receive(value: unknown): Promise<void>;
}

export interface InboxOptions {
  /** The id of the request. */
  readonly id: RequestId;
  readonly deliver: (message: JSONRPCMessage) => void;
  /** Told of what is no message. */
  readonly onNoise: () => void;
  /** Runs once, before the reply is delivered. */
  readonly onAnswer: () => void;
}

export function createInbox({ id, deliver, onNoise, onAnswer }: InboxOptions): Inbox {
  let answered = false;
  let garbled = false;

  function receiveOne(value: unknown): void {
    if (!isMessage(value)) onNoise();
    else if ('method' in value || !isOwn(value, id)) deliver(value as JSONRPCMessage);
    else receiveReply(repairReply(value, id));
  }

  function receiveReply(reply: JSONRPCMessage | undefined): void {
    if (reply === undefined) {
      garbled = true;
      return;
    }
    if (!answered) onAnswer();
    answered = true;
    deliver(reply);
  }

  return {
    get answered() {
      return answered;
    },
    get garbled() {
      return garbled;
    },
    async receive(value) {
      for (const one of Array.isArray(value) ? value : [value]) {
        receiveOne(one);
        await undefined;
      }
    },
  };
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
  if (id === undefined || id === null) return isObject(error);
  return (typeof id === 'string' || typeof id === 'number') && String(id) === String(own);
}
