/** One configured server: its budgets, whose connection a request uses, and how a connection to it is made. */

import type { McpHandlers } from '../handlers.ts';
import { matchesGlob } from '../lib/glob.ts';
import type { ClientServer, FetchLike, HttpServer, ServerConfig, Timeouts, TransportServer } from '../servers.ts';
import type { McpRequest, Principal } from '../types.ts';
import { Connection } from './connection.ts';
import { identityOf, principalKey, resolveHeaders } from './headers.ts';
import { type Link, type LinkOptions, type Memory, makeTransport, openClient, openTransport } from './link.ts';
import { openHttp } from './open-http.ts';
import type { Budgets, ConnectionEvents } from './options.ts';
import { announced, type Capabilities } from './questions.ts';

/** What a server takes from the tool set's own options. */
export interface ServerDefaults {
  readonly timeouts?: Timeouts | undefined;
  readonly timeoutMessage?: string | undefined;
  readonly listTtl?: number | undefined;
  readonly protocol?: string | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly fetch?: FetchLike | undefined;
  readonly handlers?: McpHandlers | undefined;
  readonly now: () => number;
}

/** Whose request it is, and who answers for it. */
export type Whose = Pick<McpRequest, 'principal' | 'handlers'>;

/** What a connection asks and reports. */
export interface ServerEvents extends ConnectionEvents {
  wrap: LinkOptions['wrap'];
  onNoise(error: Error): void;
  /** Whether somebody listens for what the server tells by itself. */
  listens(): boolean;
  /** URIs of resources of which somebody wants to hear. */
  watched(): readonly string[];
}

export interface Server {
  readonly key: string;
  /** As it is now. */
  readonly config: ServerConfig;
  readonly budgets: Budgets;
  readonly listTtl: number;
  /** Takes another config for the same place, with its functions and settings; what is open stays open. */
  renew(config: ServerConfig, defaults: ServerDefaults): void;
  /** Works out the headers of a request and whose connection it uses. At once, where no `headers` function has to be asked. */
  identify(request: Whose & Pick<McpRequest, 'method'>): Identity | Promise<Identity>;
  /** The key of the identity that `identify` comes to, where no headers have to be known for it. */
  keyOf(whose: Whose): string | undefined;
  /** Whether its client or transport is a ready one of the user's: there is no second. */
  readonly borrowed: boolean;
  /** What is remembered of it between connections. */
  readonly memory: Memory;
  /** A connection for one identity, asked anew as its headers change; nothing is opened yet. */
  connection(identity: () => Identity, events: ServerEvents): Connection;
}

export interface Identity {
  /** The key of connections and caches. */
  readonly key: string;
  readonly principal: Principal | undefined;
  readonly headers: Headers | undefined;
  /** What its connection is told that the client can do. */
  readonly announces: Capabilities;
}

const BUDGETS: Budgets = {
  connect: 30_000,
  request: 60_000,
  total: 300_000,
  ready: 0,
  idle: 900_000,
  ping: 10_000,
  backOff: 1_000,
};
const LIST_TTL = 60_000;

/** What is worked out of the config, anew when that is replaced. */
interface Settings {
  readonly config: ServerConfig;
  readonly defaults: ServerDefaults;
  readonly budgets: Budgets;
  readonly toolBudgets: readonly (readonly [pattern: string, budgets: Pick<Timeouts, 'request' | 'total'>])[];
  readonly borrowed: boolean;
  readonly shares: boolean;
  /** Headers that are no function are the same for everyone who is nobody. */
  fixed?: Identity;
  /** The session to go on with has been taken up: it is not there a second time. */
  resumed?: boolean;
}

export function createServer(key: string, first: ServerConfig, defaults: ServerDefaults): Server {
  let settings = settingsOf(first, defaults);
  const memory: Memory = {};

  /** A legacy server is told once, when it is connected: who can answer more needs a connection of their own. */
  function identity(base: string, handlers: McpHandlers | undefined, rest: Omit<Identity, 'key' | 'announces'>): Identity {
    const { shares, defaults: present } = settings;
    const announces = announced(shares ? present.handlers : (handlers ?? present.handlers));
    return { ...rest, key: base + suffixOf(shares ? undefined : handlers, present.handlers), announces };
  }

  async function askHeaders(
    http: HttpServer,
    { principal, handlers, method }: Parameters<Server['identify']>[0],
  ): Promise<Identity> {
    const present = settings;
    const headers = await resolveHeaders(http.headers, { server: key, principal, request: { method } });
    const found = identity(present.shares ? '' : identityOf(principal, headers), handlers, { principal, headers });
    if (principal === undefined && handlers === undefined && typeof http.headers !== 'function') present.fixed = found;
    return found;
  }

  return {
    key,
    memory,
    get config() {
      return settings.config;
    },
    get budgets() {
      return settings.budgets;
    },
    get listTtl() {
      return settings.config.listTtl ?? settings.defaults.listTtl ?? LIST_TTL;
    },
    get borrowed() {
      return settings.borrowed;
    },
    renew(config, newDefaults) {
      settings = settingsOf(config, newDefaults);
    },
    identify({ principal: caller, handlers, method }) {
      const { config, shares, fixed } = settings;
      const principal = shares ? undefined : caller;
      const isNobody = principal === undefined && handlers === undefined;
      if (fixed !== undefined && isNobody) return fixed;
      if ('url' in config) return askHeaders(config, { principal, handlers, method });
      const found = identity(identityOf(principal, undefined), handlers, { principal, headers: undefined });
      if (isNobody) settings.fixed = found;
      return found;
    },
    keyOf({ principal, handlers }) {
      const { config, shares, fixed, defaults: present } = settings;
      if (shares) return '';
      const base = principal !== undefined ? principalKey(principal) : 'url' in config ? fixed?.key : '';
      return base === undefined ? undefined : base + suffixOf(handlers, present.handlers);
    },
    connection: (whose, events) =>
      new Connection({
        server: key,
        borrowed: settings.borrowed,
        budgets: () => settings.budgets,
        budgetsOf: (request) => budgetsOf(settings, request),
        timeoutMessage: () => settings.defaults.timeoutMessage,
        handlers: () => settings.defaults.handlers,
        shared: memory,
        now: settings.defaults.now,
        listens: () => listens(settings, whose(), events),
        watched: events.watched,
        holds: events.listens,
        events,
        open(attempt) {
          const { config, defaults: present } = settings;
          return open(() => settings, whose, {
            ...attempt,
            server: key,
            now: present.now,
            clientInfo: present.clientInfo,
            protocol: config.protocol ?? present.protocol ?? 'auto',
            capabilities: whose().announces,
            handlers: () => settings.defaults.handlers,
            wrap: events.wrap,
            onNoise: events.onNoise,
          });
        },
      }),
  };
}

/** Tells connections apart that announce other things than most. */
function suffixOf(handlers: McpHandlers | undefined, common: McpHandlers | undefined): string {
  if (handlers === undefined) return '';
  const [own, others] = [handlers, common].map((each) => Object.keys(announced(each)).sort().join('+'));
  return own === others ? '' : `#${own}`;
}

function settingsOf(config: ServerConfig, defaults: ServerDefaults): Settings {
  const layers = [defaults.timeouts, config.timeouts];
  const given = layers.flatMap((layer) =>
    Object.entries(layer ?? {}).filter(([name, value]) => name !== 'tools' && value !== undefined),
  );
  const borrowed = isBorrowed(config);
  return {
    config,
    defaults,
    budgets: { ...BUDGETS, ...Object.fromEntries(given) },
    toolBudgets: [config.timeouts?.tools, defaults.timeouts?.tools].flatMap((tools) => Object.entries(tools ?? {})),
    borrowed,
    shares: borrowed || (config.share ?? false),
  };
}

/** A tool's own budgets, else the server's. */
function budgetsOf(
  { budgets, toolBudgets }: Settings,
  { method, params }: Pick<McpRequest, 'method' | 'params'>,
): Pick<Budgets, 'request' | 'total'> {
  if (method === 'ping') return { request: budgets.ping, total: budgets.ping };
  if (toolBudgets.length === 0 || method !== 'tools/call') return budgets;
  const own = toolBudgets.find(([pattern]) => matchesGlob(String(params.name), pattern))?.[1];
  return { request: own?.request ?? budgets.request, total: own?.total ?? budgets.total };
}

/** A server may put a question there that belongs to a call, so who answers questions listens. */
function listens({ config }: Settings, { announces }: Identity, events: ServerEvents): boolean {
  const { stream = 'auto' } = config as Partial<HttpServer>;
  return stream === 'auto' ? events.listens() || Object.keys(announces).length > 0 : stream;
}

async function open(settings: () => Settings, identity: () => Identity, options: LinkOptions): Promise<Link> {
  const { config } = settings();
  if ('url' in config) {
    return openHttp({ ...config, sessionId: sessionOf(settings(), identity()) }, options, {
      // Looked up at each call: a config that is renewed may bring another.
      fetch: () => (settings().config as HttpServer).fetch ?? settings().defaults.fetch,
      // Background messages belong to no request: a function asked anew might answer for another user.
      headers: () => new Headers(identity().headers),
    });
  }
  if ('client' in config) return openClient(config.client, options);
  const { transport, owned } = await makeTransport(config.transport, options.server);
  return openTransport(transport, owned, options);
}

/** A session that is given belongs to nobody in particular, or to all who share the server: nobody else gets into it. */
function sessionOf(settings: Settings, { principal }: Identity): string | undefined {
  const { sessionId, headers } = settings.config as HttpServer;
  const isOpen = principal === undefined && (settings.shares || typeof headers !== 'function');
  if (sessionId === undefined || !isOpen || settings.resumed === true) return undefined;
  settings.resumed = true;
  return sessionId;
}

function isBorrowed(config: ServerConfig): boolean {
  if ('url' in config) return false;
  const source = (config as Partial<ClientServer>).client ?? (config as Partial<TransportServer>).transport;
  return source !== undefined && typeof source !== 'function';
}
