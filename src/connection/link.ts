/** One live protocol connection: from a server's config to something that answers requests, and its end. */

import { Client, type DiscoverResult, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import type { ClientServer, TransportServer } from '../servers.ts';
import { carry, type OwnTransport, type RequestContext } from '../transports/transport.ts';
import type { McpPeer, McpRequest, McpResult, ProtocolEra } from '../types.ts';
import { createEngine, type Engine, type ServerFacts } from './engine.ts';
import { envelope, exchange, isModern, MODERN_VERSION, readProbe } from './era.ts';
import { toFailure } from './failure.ts';

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
  /** Headers of the request that needs the connection. */
  readonly headers: Headers | undefined;
  /** Ends the attempt; the caller sees to the deadline. */
  readonly signal: AbortSignal;
  /** Milliseconds in which the era probe must be answered; a server that is silent to it is a legacy one. */
  readonly probeBudget: number;
  /** Puts the `request` middleware around the handshake. */
  wrap(request: McpRequest, last: (request: McpRequest) => Promise<McpResult>): Promise<McpResult>;
  onNotification(method: string, params: unknown): void;
  onEnd(link: Link): void;
  onNoise(error: Error): void;
}

export interface Link {
  readonly facts: ServerFacts;
  readonly peer: McpPeer;
  /** Set once the connection is gone; then nothing can be sent on it any more. */
  readonly dead: boolean;
  /** Why it went, where the transport knows. */
  readonly lost: McpToolSetError | undefined;
  /** Whether a new one can take its place. */
  readonly replaceable: boolean;
  /** Pending until the server has taken `notifications/initialized`; absent once it has, and where nothing can overtake it. */
  readonly unacknowledged: Promise<void> | undefined;
  readonly sessionId: string | undefined;
  request(
    method: string,
    params: object,
    context: RequestContext & { readonly signal: AbortSignal },
    onprogress?: () => void,
  ): Promise<McpResult>;
  close(): Promise<void>;
}

/** Opens a connection over a transport that is ours to start, or borrowed. Leaves nothing running when it fails. */
export async function openTransport(transport: Transport, owned: boolean, options: LinkOptions): Promise<Link> {
  const own = 'kind' in transport ? (transport as OwnTransport) : undefined;
  const pinned = options.protocol === 'auto' ? undefined : options.protocol;
  const client = new Client(options.clientInfo, {
    capabilities: {},
    ...(pinned !== undefined && { supportedProtocolVersions: [pinned] }),
  });
  const peer: McpPeer = { transport: own?.kind ?? 'custom' };
  if (own?.address !== undefined) peer.address = own.address;
  if (own?.port !== undefined) peer.port = own.port;
  try {
    const modern = await agreeOnEra(transport, own, pinned, peer, options);
    if (modern === undefined) await legacyHandshake(client, transport, peer, options);
    else await client.connect(transport, { prior: { kind: 'modern', discover: modern } });
    return createLink(client, peer, own, owned, transport, options);
  } catch (error) {
    if (owned) await transport.close().catch(() => {});
    throw own?.failure !== undefined && !options.signal.aborted ? own.failure : error;
  }
}

/** Sees a client that the user connected as a link. */
export async function openClient(client: ClientServer['client'], options: LinkOptions): Promise<Link> {
  const owned = typeof client === 'function';
  const ready = owned ? await client() : client;
  const transport = (ready as { transport?: Transport }).transport;
  return createLink(ready, { transport: 'custom' }, undefined, owned, transport, options);
}

/** Makes a user's transport: theirs when it is an instance, ours when it comes from a function. */
export async function makeTransport(transport: TransportServer['transport']): Promise<{ transport: Transport; owned: boolean }> {
  const owned = typeof transport === 'function';
  return { transport: (owned ? await transport() : transport) as Transport, owned };
}

async function agreeOnEra(
  transport: Transport,
  own: OwnTransport | undefined,
  pinned: string | undefined,
  peer: McpPeer,
  options: LinkOptions,
): Promise<DiscoverResult | undefined> {
  const { memory, server, signal, headers } = options;
  if (memory.discover !== undefined) return memory.discover;
  // Transports of others do not send the modern era's headers, and stdio servers may die of an unknown first request.
  const mayProbe = pinned === undefined ? own?.kind === 'http' : isModern(pinned);
  if (!mayProbe || (memory.era === 'legacy' && pinned === undefined)) return undefined;

  if (own?.kind !== 'http') await startOnce(transport);
  const params = { _meta: envelope(options.clientInfo, {}) };
  const scope = openScope({ parents: [signal], budget: options.probeBudget });
  const outcome = await options
    .wrap({ method: 'server/discover', server, params, signal: scope.signal, peer }, async (request) =>
      exchange(transport, 'server/discover', request.params, { ...contextOf(request, headers), signal: scope.signal }),
    )
    .then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    .finally(scope.release);
  signal.throwIfAborted();
  const verdict = readProbe(outcome);
  if (verdict.kind === 'legacy' && pinned !== undefined) {
    const cause = 'error' in outcome ? outcome.error : undefined;
    throw new McpToolSetError(
      'protocol_error',
      `the server does not speak protocol ${MODERN_VERSION}, which \`protocol\` pins. Use 'auto'.`,
      { server, cause },
    );
  }
  memory.era = verdict.kind;
  if (verdict.kind === 'legacy') return undefined;
  memory.discover = verdict.discover;
  return verdict.discover;
}

/** `initialize`, with the `request` middleware around it; its `_meta` is put on the message as it is sent. */
async function legacyHandshake(client: Client, transport: Transport, peer: McpPeer, options: LinkOptions): Promise<void> {
  const { server, signal, headers, clientInfo, protocol } = options;
  const params = { protocolVersion: protocol === 'auto' ? undefined : protocol, capabilities: {}, clientInfo };
  let ran = false;
  await options.wrap({ method: 'initialize', server, params, signal, peer }, async (request) => {
    if (ran)
      throw new McpToolSetError('config_invalid', 'a middleware called next() twice for the handshake, which can run only once.');
    ran = true;
    const send = transport.send.bind(transport);
    transport.send = (message, sendOptions) => send(withMeta(message, request.params._meta), sendOptions);
    try {
      const connecting = client.connect(transport, {
        prior: { kind: 'legacy' },
        signal,
        timeout: 2 ** 31 - 1,
        headers: carry({ ...contextOf(request, headers), signal }),
      });
      await abortable(connecting, signal);
    } catch (error) {
      const lost = (transport as Partial<OwnTransport>).failure;
      throw toFailure(error, { server, method: 'initialize', signal, lost });
    } finally {
      transport.send = send;
    }
    const version = client.getNegotiatedProtocolVersion();
    Object.assign(peer, { era: 'legacy' }, version !== undefined && { version });
    return { capabilities: client.getServerCapabilities(), serverInfo: client.getServerVersion() };
  });
}

function withMeta(message: JSONRPCMessage, meta: unknown): JSONRPCMessage {
  if (meta === undefined || !('method' in message) || message.method !== 'initialize') return message;
  return { ...message, params: { ...message.params, _meta: meta } } as JSONRPCMessage;
}

function contextOf(request: McpRequest, headers: Headers | undefined): RequestContext {
  if (request.headers === undefined) return { headers, peer: request.peer };
  const merged = new Headers(headers);
  for (const [name, value] of Object.entries(request.headers)) merged.set(name, value);
  return { headers: merged, peer: request.peer };
}

/** The SDK's client starts its transport itself; what was started for the probe must not be started again. */
async function startOnce(transport: Transport): Promise<void> {
  await transport.start();
  transport.start = async () => {};
}

function createLink(
  client: ClientServer['client'] & object,
  peer: McpPeer,
  own: OwnTransport | undefined,
  owned: boolean,
  transport: Transport | undefined,
  options: LinkOptions,
): Link {
  let dead = false;
  let unacknowledged = own?.acknowledged;
  void unacknowledged?.then(() => {
    unacknowledged = undefined;
  });
  const engine: Engine = createEngine(client as Exclude<ClientServer['client'], () => unknown>, {
    onClose() {
      dead = true;
      options.onEnd(link);
    },
    onError: options.onNoise,
    onNotification: options.onNotification,
  });
  const { era, version } = engine.facts;
  Object.assign(peer, { era }, version !== undefined && { version });
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
      return unacknowledged;
    },
    get sessionId() {
      return transport?.sessionId;
    },
    request: (method, params, context, onprogress) =>
      engine.request(method, params, { signal: context.signal, onprogress, headers: carry(context) }),
    async close() {
      dead = true;
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

/** The SDKs' HTTP transports end their session only when asked; ours does it by itself. */
async function endSession(transport: Transport | undefined): Promise<void> {
  const { terminateSession } = (transport ?? {}) as { terminateSession?: () => Promise<void> };
  if (terminateSession === undefined || transport?.sessionId === undefined) return;
  const scope = openScope({ budget: 2_000 });
  await abortable(terminateSession.call(transport), scope.signal).catch(() => {});
  scope.release();
}
