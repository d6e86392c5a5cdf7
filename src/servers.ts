/** What a server may be: the entries of `servers`. */

import type { Principal } from './types.ts';

/** What a server's `headers` function is told. */
export interface HeaderContext {
  /** The server's key. */
  readonly server: string;
  /** Absent on a server with `share: true`. */
  readonly principal?: Principal | undefined;
  /** The request that the headers are for; absent for background messages such as the end of a session. */
  readonly request?: { readonly method: string } | undefined;
}

/** Budgets in milliseconds; 0 means none. */
export interface Timeouts {
  /** Connecting and handshake together. Default 30 000. */
  readonly connect?: number | undefined;
  /** One request; a progress notification starts it anew. Default 60 000. */
  readonly request?: number | undefined;
  /** One request, whatever progress says. Default 300 000. */
  readonly total?: number | undefined;
  /** How long `tools()` waits for servers that still connect; then it goes on without them. Default none: each server's `connect`. */
  readonly ready?: number | undefined;
  /** How long an unused HTTP session is kept. Default 900 000 (15 minutes). */
  readonly idle?: number | undefined;
  /** One health check. Default 10 000. */
  readonly ping?: number | undefined;
  /** The first pause after a server failed to list its tools; it doubles with each further failure, up to 30 s. Default 1 000. */
  readonly backOff?: number | undefined;
  /** `request` and `total` of single tools, by original name or glob (`*`, `?`); the first that matches counts. */
  readonly tools?:
    | Readonly<Record<string, { readonly request?: number | undefined; readonly total?: number | undefined }>>
    | undefined;
}

/** What every kind of server takes. */
export interface ServerSettings {
  /** `false`: listed in the report as `disabled`, never connected. Default true. */
  readonly enabled?: boolean | undefined;
  /** `true`: its failure throws, whatever `onServerError` says. Default false. */
  readonly required?: boolean | undefined;
  /** `true`: one connection and one listing for all principals. Default false on HTTP, true on stdio. */
  readonly share?: boolean | undefined;
  /** Original names or globs (`*`, `?`); `deny` wins. An entry that matches nothing is a warning. */
  readonly tools?: { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined } | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Milliseconds a listing counts as fresh; 0 = always ask. */
  readonly listTtl?: number | undefined;
  /** `auto`, or a protocol revision such as `2025-06-18` that is the only one spoken. */
  readonly protocol?: string | undefined;
}

/** A remote server on Streamable HTTP. */
export interface HttpServer extends ServerSettings {
  readonly url: string | URL;
  /** Sent with every HTTP request; a function is asked anew for each request, with whose it is. */
  readonly headers?: HeadersInput | ((context: HeaderContext) => HeadersInput | Promise<HeadersInput>) | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: FetchLike | undefined;
  /** `same-origin` (default) follows 307 and 308 on the server's own origin; `refuse` follows none. */
  readonly redirect?: 'same-origin' | 'refuse' | undefined;
  /** Cap of one reply in bytes. Default 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * `auto` (default) speaks Streamable HTTP, and the deprecated HTTP+SSE where the server answers the first message with 400, 404 or
   * 405; `http` and `sse` speak that one alone.
   */
  readonly transport?: 'auto' | 'http' | 'sse' | undefined;
  /**
   * Whether a stream is kept open on which the server tells of changes. `auto` (default): while somebody listens for them, and never
   * on runtimes that bind I/O to requests. It is closed after 60 s without use.
   */
  readonly stream?: boolean | 'auto' | undefined;
  /**
   * A session of Streamable HTTP to go on with, in the legacy era: for requests without a principal, or with `share`. It is secret, it is
   * not ended by us, and a new one is opened when it is gone.
   */
  readonly sessionId?: string | undefined;
  /** Told of each HTTP exchange; neither headers nor bodies are in it. */
  readonly log?: ((entry: HttpLogEntry) => void) | undefined;
}

/** One HTTP exchange, for `log`. */
export interface HttpLogEntry {
  readonly server: string;
  readonly method: string;
  /** Origin and path: a query may hold secrets. */
  readonly address: string;
  /** Absent where no answer came. */
  readonly status: number | undefined;
  /** Until the headers of the answer. */
  readonly milliseconds: number;
}

/** A server behind a transport of either MCP SDK line, or of one's own. */
export interface TransportServer extends ServerSettings {
  /** A ready instance is borrowed: used once, never closed or reopened. A function makes a new one for each connection, and is owned. */
  readonly transport: TransportLike | (() => TransportLike | Promise<TransportLike>);
}

/** A server behind a client of either MCP SDK line. */
export interface ClientServer extends ServerSettings {
  /** A connected instance is borrowed: never closed or reopened. A function makes a connected one for each connection, and is owned. */
  readonly client: ClientLike | (() => ClientLike | Promise<ClientLike>);
}

export type ServerConfig = HttpServer | TransportServer | ClientServer;

/** Whatever `new Headers()` takes. */
export type HeadersInput = ConstructorParameters<typeof Headers>[0];

/** What is needed of a `fetch`. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The common part of both SDK lines' `Transport`. */
export interface TransportLike {
  start(): Promise<void>;
  send(message: object, options?: object): Promise<void>;
  close(): Promise<void>;
}

/** The common part of both SDK lines' `Client`. */
export interface ClientLike {
  close(): Promise<void>;
  getServerCapabilities(): object | undefined;
  getServerVersion(): object | undefined;
  getInstructions(): string | undefined;
}
