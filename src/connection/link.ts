/** One live protocol connection: from a server's config to something that answers requests, and its end. */

import { Client, type DiscoverResult, type Transport } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import type { McpHandlers } from '../handlers.ts';
import { abortable, openScope } from '../lib/abort.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import type { ClientServer, TransportServer } from '../servers.ts';
import type { OwnTransport, RequestContext } from '../transports/transport.ts';
import type { McpPeer, McpRequest, McpResult, ProtocolEra } from '../types.ts';
import { createEngine, type ServerFacts } from './engine.ts';
import { agreeOnEra, legacyHandshake } from './handshake.ts';
import { createListening, type Listening } from './listening.ts';
import type { Capabilities } from './questions.ts';
import { createSending } from './sending.ts';
import { createTraffic, type Traffic } from './traffic.ts';
import type { Watcher } from './watch.ts';

/** What is remembered of a server between its connections; only data. */
export interface Memory {
  era?: ProtocolEra | undefined;
  discover?: DiscoverResult | undefined;
}

export interface LinkOptions {
  readonly server: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly protocol: string;
  readonly memory: Memory;
  /** What a legacy server is told that the client can do (see `announced`); a modern one is told with each request. Default nothing. */
  readonly capabilities?: Capabilities | undefined;
  /** Headers of the request that needs the connection. */
  readonly headers: Headers | undefined;
  /** Ends the attempt; the caller sees to the deadline. */
  readonly signal: AbortSignal;
  /** Milliseconds in which the era probe must be answered; a server that is silent to it is a legacy one. */
  readonly probeBudget: number;
  readonly now: () => number;
  /** Puts the `request` middleware around the handshake. */
  wrap(request: McpRequest, last: (request: McpRequest) => Promise<McpResult>): Promise<McpResult>;
  /** Those of no request in particular: they say where a server may work, and hear what it logs of its own accord. */
  handlers?(): McpHandlers | undefined;
  onNotification(method: string, params: unknown): void;
  /** The channel for changes is open: what happened before may have gone by untold. Or it was, and is not any more. */
  onListening?(open: boolean): void;
  onEnd(link: Link): void;
  onNoise(error: Error): void;
}

export interface Link extends Listening {
  readonly facts: ServerFacts;
  readonly peer: McpPeer;
  /** Set once the connection is gone; then nothing can be sent on it any more. */
  readonly dead: boolean;
  /** Why it went, where the transport knows. */
  readonly lost: McpToolSetError | undefined;
  /** Whether a new one can take its place. */
  readonly replaceable: boolean;
  /**
   * Pending until the server has taken `notifications/initialized`, and until it can be heard where it may ask; absent once it has, and where nothing can overtake it. Absent also
   * after a grace: the request that sent it may be gone, and its answer with it (workerd).
   */
  readonly unacknowledged: Promise<unknown> | undefined;
  readonly sessionId: string | undefined;
  request(
    method: string,
    params: object,
    context: RequestContext & { readonly signal: AbortSignal },
    onprogress?: () => void,
  ): Promise<McpResult>;
  /** Tells a legacy server; a modern one asks when it wants to know. Never rejects. */
  notify(method: 'notifications/roots/list_changed'): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds. */
export const ACKNOWLEDGE_GRACE = 1_000;

/** Opens a connection over a transport that is ours to start, or borrowed. Leaves nothing running when it fails. */
export async function openTransport(transport: Transport, owned: boolean, options: LinkOptions): Promise<Link> {
  const own = 'kind' in transport ? (transport as OwnTransport) : undefined;
  const pinned = options.protocol === 'auto' ? undefined : options.protocol;
  const peer: McpPeer = { transport: own?.kind ?? 'custom' };
  if (own?.address !== undefined) peer.address = own.address;
  if (own?.port !== undefined) peer.port = own.port;
  try {
    const modern = await agreeOnEra(transport, own, pinned, peer, options);
    const client = new Client(options.clientInfo, {
      capabilities: modern === undefined ? { ...options.capabilities } : {},
      ...(pinned !== undefined && { supportedProtocolVersions: [pinned] }),
    });
    // What goes wrong before there is a link: a server's banner on stdout comes first of all.
    client.onerror = options.onNoise;
    const traffic = createTraffic(options);
    traffic.attach(transport, modern === undefined ? 'legacy' : 'modern');
    if (modern === undefined) await legacyHandshake(client, transport, peer, options);
    else await client.connect(transport, { prior: { kind: 'modern', discover: modern } });
    // Where I/O ends with its request, a later one would wait in vain for this one's answer.
    if (bindsIoToRequests()) await abortable(Promise.resolve(own?.acknowledged), options.signal);
    delete client.onerror;
    const isResumed = client.getServerCapabilities() === undefined;
    if (isResumed && pinned !== undefined) transport.setProtocolVersion?.(pinned);
    return createLink({ client, traffic, peer, own, owned, transport, attached: true, isResumed }, options);
  } catch (error) {
    if (owned) await transport.close().catch(() => {});
    throw own?.failure !== undefined && !options.signal.aborted ? own.failure : error;
  }
}

/** Sees a client that the user connected as a link. */
export async function openClient(client: ClientServer['client'], options: LinkOptions): Promise<Link> {
  const owned = typeof client === 'function';
  const ready = owned ? await client() : client;
  if (typeof ready?.getServerCapabilities !== 'function') throw nothingMade('client', options.server);
  const transport = (ready as { transport?: Transport }).transport;
  const traffic = createTraffic({ ...options, capabilities: undefined });
  return createLink({ client: ready, traffic, peer: { transport: 'custom' }, owned, transport, attached: false }, options);
}

/** Makes a user's transport: theirs when it is an instance, ours when it comes from a function. */
export async function makeTransport(
  transport: TransportServer['transport'],
  server: string,
): Promise<{ transport: Transport; owned: boolean }> {
  const owned = typeof transport === 'function';
  const made = owned ? await transport() : transport;
  if (typeof made?.send !== 'function') throw nothingMade('transport', server);
  return { transport: made as Transport, owned };
}

function nothingMade(what: string, server: string): McpToolSetError {
  return new McpToolSetError('config_invalid', `its \`${what}\` function gave no ${what} of an MCP SDK. Return one.`, { server });
}

interface Parts {
  readonly client: ClientServer['client'] & object;
  readonly traffic: Traffic;
  readonly peer: McpPeer;
  readonly own?: OwnTransport | undefined;
  readonly owned: boolean;
  readonly transport: Transport | undefined;
  /** Whether every message passes our eyes; else the client is somebody else's, and so are its handlers. */
  readonly attached: boolean;
  /** It goes on with a session whose handshake nobody here has seen. */
  readonly isResumed?: boolean;
}

/** What a server may have that did not say what it has. */
const ANYTHING = { tools: {}, resources: {}, prompts: {} };

function createLink(parts: Parts, options: LinkOptions): Link {
  const { client, traffic, peer, own, owned, transport, attached, isResumed } = parts;
  let dead = false;
  function end(): void {
    dead = true;
    channel.unlisten();
    traffic.close();
  }
  const events = engineEvents(parts, options, () => {
    end();
    options.onEnd(link);
  });
  const assumed = isResumed ? ANYTHING : undefined;
  const engine = createEngine(client as Exclude<ClientServer['client'], () => unknown>, events, assumed);
  const { era, version } = engine.facts;
  Object.assign(peer, { era }, version !== undefined && { version });
  const channel = createListening({ engine, own, now: options.now, onListening: (open) => options.onListening?.(open) });
  const asks = Object.keys(options.capabilities ?? {}).length > 0;
  const acknowledgement = acknowledgementOf(own, asks, options.now);

  const link: Link = {
    facts: engine.facts,
    peer,
    get dead() {
      return dead;
    },
    get lost() {
      return own?.failure;
    },
    replaceable: owned,
    get unacknowledged() {
      return acknowledgement();
    },
    get sessionId() {
      return transport?.sessionId;
    },
    get listening() {
      return !dead && channel.listening;
    },
    listen(wanted) {
      if (!dead) channel.listen(wanted);
    },
    unlisten: channel.unlisten,
    request: createSending({ server: options.server, engine, traffic, attached }),
    async notify(method) {
      // A server that cannot be told now asks when it connects again.
      if (era === 'legacy') await engine.notify(method).catch(() => {});
    },
    async close() {
      end();
      engine.detach();
      if (!owned) return;
      await endSession(transport);
      await engine.close().catch(() => {});
      // A client that never got as far as connecting closes nothing; closing a transport twice does no harm.
      await transport?.close().catch(() => {});
    },
  };
  return link;
}

function engineEvents({ traffic, attached }: Parts, options: LinkOptions, onClose: () => void): Watcher {
  const { onNoise } = options;
  if (attached) return { onClose, onError: onNoise, onNotification: options.onNotification };
  return {
    onClose,
    onError: onNoise,
    onNotification(method, params) {
      if (method === 'notifications/message') traffic.log(params, undefined);
      options.onNotification(method, params);
    },
    onQuestion: (question, signal) => traffic.answer(question, undefined, signal),
  };
}

/** Pending as long as `Link.unacknowledged` says. */
/** Where a server may ask, it may do so on the listening stream, and nobody would hear it before that is open. */
function acknowledgementOf(own: OwnTransport | undefined, asks: boolean, now: () => number): () => Promise<unknown> | undefined {
  let pending = own?.acknowledged;
  const graceEnd = now() + ACKNOWLEDGE_GRACE;
  void pending?.then(() => {
    pending = undefined;
  });
  return () => {
    if (now() >= graceEnd) return undefined;
    const opening = asks ? own?.opening : undefined;
    return opening === undefined ? pending : Promise.all([pending, opening]);
  };
}

/** The SDKs' HTTP transports end their session only when asked; ours does it by itself. */
async function endSession(transport: Transport | undefined): Promise<void> {
  const { terminateSession } = (transport ?? {}) as { terminateSession?: () => Promise<void> };
  if (terminateSession === undefined || transport?.sessionId === undefined) return;
  const scope = openScope({ budget: 2_000 });
  await abortable(terminateSession.call(transport), scope.signal).catch(() => {});
  scope.release();
}
