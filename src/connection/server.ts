/** One configured server: its budgets, whose connection a request uses, and how a connection to it is made. */

import type { ClientServer, FetchLike, HttpServer, ServerConfig, Timeouts, TransportServer } from '../servers.ts';
import { HttpTransport } from '../transports/http.ts';
import type { McpRequest, Principal } from '../types.ts';
import { Connection } from './connection.ts';
import { identityOf, resolveHeaders } from './headers.ts';
import { type Link, type LinkOptions, type Memory, makeTransport, openClient, openTransport } from './link.ts';
import type { Budgets } from './options.ts';

/** What a server takes from the tool set's own options. */
export interface ServerDefaults {
  readonly timeouts?: Timeouts | undefined;
  readonly timeoutMessage?: string | undefined;
  readonly listTtl?: number | undefined;
  readonly protocol?: string | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly fetch?: FetchLike | undefined;
  readonly now: () => number;
}

/** What a connection reports. */
export interface ServerEvents {
  wrap: LinkOptions['wrap'];
  onNotification(method: string): void;
  onReset(): void;
  onNoise(error: Error): void;
}

export interface Server {
  readonly key: string;
  readonly config: ServerConfig;
  readonly listTtl: number;
  /** Works out the headers of a request and whose connection it uses. At once, where no `headers` function has to be asked. */
  identify(principal: Principal | undefined, request: Pick<McpRequest, 'method'>): Identity | Promise<Identity>;
  /** Whether its client or transport is a ready one of the user's: there is no second. */
  readonly borrowed: boolean;
  /** Milliseconds that connecting may take, headers included. */
  readonly connectBudget: number;
  /** Milliseconds that a listing may take, all pages of it; 0 = any. */
  readonly listBudget: number;
  /** A connection for one identity, asked anew as its headers change; nothing is opened yet. */
  connection(identity: () => Identity, events: ServerEvents): Connection;
}

export interface Identity {
  /** The key of connections and caches. */
  readonly key: string;
  readonly principal: Principal | undefined;
  readonly headers: Headers | undefined;
}

const BUDGETS: Budgets = { connect: 30_000, request: 60_000, total: 300_000, ready: 0, idle: 900_000 };
const LIST_TTL = 60_000;

export function createServer(key: string, config: ServerConfig, defaults: ServerDefaults): Server {
  const budgets = budgetsOf(defaults.timeouts, config.timeouts);
  const { now, timeoutMessage } = defaults;
  const borrowed = isBorrowed(config);
  const shares = borrowed || (config.share ?? false);
  const shared: Memory = {};
  /** Headers that are no function are the same for everyone who is nobody. */
  let fixed: Identity | undefined;

  async function askHeaders(http: HttpServer, principal: Principal | undefined, method: string): Promise<Identity> {
    const headers = await resolveHeaders(http.headers, { server: key, principal, request: { method } });
    const identity = { key: shares ? '' : identityOf(principal, headers), principal, headers };
    if (principal === undefined && typeof http.headers !== 'function') fixed = identity;
    return identity;
  }

  return {
    key,
    config,
    listTtl: config.listTtl ?? defaults.listTtl ?? LIST_TTL,
    borrowed,
    connectBudget: budgets.connect,
    listBudget: budgets.total,
    identify(caller, { method }) {
      const principal = shares ? undefined : caller;
      if (!('url' in config)) return { key: identityOf(principal, undefined), principal, headers: undefined };
      return fixed !== undefined && principal === undefined ? fixed : askHeaders(config, principal, method);
    },
    connection(identity, events) {
      return new Connection({
        server: key,
        borrowed,
        budgets,
        timeoutMessage,
        shared,
        now,
        onReset: events.onReset,
        open: (attempt) =>
          open(config, identity, defaults, {
            ...attempt,
            server: key,
            now,
            clientInfo: defaults.clientInfo,
            protocol: config.protocol ?? defaults.protocol ?? 'auto',
            wrap: events.wrap,
            onNotification: events.onNotification,
            onNoise: events.onNoise,
          }),
      });
    },
  };
}

/** Budgets of one server: its own, else the set's, else the defaults. */
function budgetsOf(...layers: readonly (Timeouts | undefined)[]): Budgets {
  const given = layers.flatMap((layer) => Object.entries(layer ?? {}).filter(([, value]) => value !== undefined));
  return { ...BUDGETS, ...Object.fromEntries(given) };
}

async function open(
  config: ServerConfig,
  identity: () => Identity,
  defaults: ServerDefaults,
  options: LinkOptions,
): Promise<Link> {
  if ('url' in config) return openTransport(httpTransport(config, identity, defaults, options), true, options);
  if ('client' in config) return openClient(config.client, options);
  const { transport, owned } = await makeTransport(config.transport, options.server);
  return openTransport(transport, owned, options);
}

function httpTransport(
  config: HttpServer,
  identity: () => Identity,
  defaults: ServerDefaults,
  { server }: LinkOptions,
): HttpTransport {
  const { url, fetch = defaults.fetch, redirect, maxResponseBytes } = config;
  return new HttpTransport({
    server,
    url: new URL(url),
    fetch,
    redirect,
    maxResponseBytes,
    // Background messages belong to no request: a function asked anew might answer for another user.
    headers: () => new Headers(identity().headers),
  });
}

function isBorrowed(config: ServerConfig): boolean {
  const source = (config as Partial<ClientServer>).client ?? (config as Partial<TransportServer>).transport;
  return source !== undefined && typeof source !== 'function';
}
