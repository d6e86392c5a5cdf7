/** What every switch of the misbehaving server is made of. */

import type { ServerResponse } from 'node:http';
import type { Received } from '../support/listen.ts';

/** A JSON-RPC message, or any other object on the wire. */
export type Message = Readonly<Record<string, unknown>>;

/** One HTTP request as a switch sees it. */
export interface Exchange {
  readonly request: Received;
  readonly response: ServerResponse;
  readonly state: FaultState;
  /** Does what was asked for (a tool call is executed, and counted) and gives the reply to it. */
  answer(): Message;
}

/** What the server counts, and what a switch may use. */
export interface FaultState {
  /** Tools in the order in which their calls took effect. */
  readonly executed: string[];
  /** Sessions that were given out and not ended. */
  readonly sessions: Set<string>;
  /** Replies and streams that are neither ended nor cut off. */
  readonly open: Set<ServerResponse>;
  /** Streams that a GET opened, as long as they are open. */
  readonly listening: Set<ServerResponse>;
  /** What the client answered to the server's own requests. */
  readonly replies: Message[];
  /** Another place, to redirect to. */
  readonly elsewhere: string;
  /** Sends a request of the server's own on an open stream; resolves with the client's answer to it. */
  ask(stream: ServerResponse, method: string, params?: object): Promise<Message>;
}

/** One way to misbehave. It answers in place of the server, or changes a result on its way, or both. */
export interface Fault {
  /** JSON-RPC methods, or `GET` or `DELETE`. Default `tools/call`. */
  readonly on?: string | readonly string[];
  /** Answers the request. */
  readonly act?: (exchange: Exchange) => void | Promise<void>;
  /** The result in place of the right one. */
  readonly result?: (result: Message, request: Received, state: FaultState) => unknown;
}

/** Ends an exchange as a well-behaved server does. */
export function answerJson({ response, answer }: Exchange): void {
  const body = JSON.stringify(answer());
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

/** Begins a stream. */
export function openStream(response: ServerResponse, text = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (text !== '') response.write(text);
}

export function frame(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Resolves when the client has let go of the reply. */
export function gone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once('close', () => resolve());
  });
}
