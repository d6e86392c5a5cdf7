/** Sees every message of a transport that a client is about to start: what is sent before it goes, what comes before the client does. */

import type { JSONRPCMessage, RequestId, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { carried, type MessageOrigin, type RequestContext } from '../transports/transport.ts';

type Deliver = (message: JSONRPCMessage) => void;

export interface Watcher {
  /** A request is sent, under this id. */
  onSend(id: RequestId, context: RequestContext | undefined): void;
  /** What the client gets instead of the message; `undefined`: nothing. `origin`: on whose stream it came, where that is known. */
  take(message: JSONRPCMessage, origin: RequestContext | undefined, deliver: Deliver): JSONRPCMessage | undefined;
}

/** The client sets its own `onmessage` just before it starts the transport, so that is when ours is put before it. */
export function tap(transport: Transport, watcher: Watcher): void {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if ('id' in message && 'method' in message) watcher.onSend(message.id, carried(options));
    return send(message, options);
  };
  const start = transport.start.bind(transport);
  transport.start = () => {
    const deliver = transport.onmessage;
    transport.onmessage = (message: JSONRPCMessage, extra?: object) => {
      const rest = watcher.take(message, (extra as MessageOrigin | undefined)?.origin, (own) => deliver?.(own));
      if (rest !== undefined) deliver?.(rest, extra);
    };
    return start();
  };
}
