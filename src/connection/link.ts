/** One live protocol connection: from a server's config to something that answers requests, and its end. */

import { Client, type DiscoverResult, type Transport } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import type { ClientServer, TransportServer } from '../servers.ts';
import { carry, type OwnTransport, type RequestContext } from '../transports/transport.ts';
import type { McpPeer, McpRequest, McpResult, ProtocolEra } from '../types.ts';
import { createEngine, type Engine, type ServerFacts } from './engine.ts';
import { agreeOnEra, legacyHandshake } from './handshake.ts';

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
  readonly now: () => number;
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
  /**
   * Pending until the server has taken `notifications/initialized`; absent once it has, and where nothing can overtake it. Absent also
   * after a grace: the request that sent it may be gone, and its answer with it (workerd).
   */
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

/** Milliseconds. */
export const ACKNOWLEDGE_GRACE = 1_000;

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
    // Where I/O ends with its request, a later one would wait in vain for this one's answer.
    if (bindsIoToRequests()) await abortable(Promise.resolve(own?.acknowledged), options.signal);
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
  if (typeof ready?.getServerCapabilities !== 'function') throw nothingMade('client', options.server);
  const transport = (ready as { transport?: Transport }).transport;
  return createLink(ready, { transport: 'custom' }, undefined, owned, transport, options);
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
  const graceEnd = options.now() + ACKNOWLEDGE_GRACE;
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
      return options.now() < graceEnd ? unacknowledged : undefined;
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
