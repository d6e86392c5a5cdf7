/** Sends the HTTP requests of one session: with each go the user's headers, the session's id and the version that was agreed on. */

import type { JSONRPCMessage, JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import type { FetchLike } from '../servers.ts';
import { readSome } from './http-body.ts';
import { type HttpExchange, headersFailed, type Signalled, sessionExpired } from './http-errors.ts';
import { fetchOnce, follow } from './http-fetch.ts';
import { type PlainHeaders, plainHeaders, streamHeaders } from './http-headers.ts';
import { carried, type RequestContext } from './transport.ts';

export interface HttpSessionOptions {
  /** The server's key, for errors. */
  readonly server: string;
  readonly url: URL;
  /** Default: the global `fetch`, looked up at each call. */
  readonly fetch?: FetchLike | undefined;
  /** `same-origin` (default) follows 307 and 308 on the URL's own origin; `refuse` follows none. */
  readonly redirect?: 'same-origin' | 'refuse' | undefined;
  /** Cap of one reply in bytes. Default 16 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** A session to go on with. */
  readonly sessionId?: string | undefined;
  /** The headers of a message that carries no context (see `carry`): notifications, replies to the server, the end of the session. */
  readonly headers: (request?: { method: string }) => Promise<Headers> | Headers;
  /** Milliseconds since 1970, to read a Retry-After date where the server sends no Date. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export interface Posted {
  readonly response: Response;
  readonly exchange: HttpExchange<Signalled>;
}

export class HttpSession {
  id: string | undefined;
  protocolVersion: string | undefined;
  readonly #options: HttpSessionOptions;
  readonly #fetch: FetchLike;
  readonly #redirect: 'same-origin' | 'refuse';
  /** What `initialize` was sent with: the user it was sent for is the one to say `initialized`. */
  #handshakeHeaders: Headers | undefined;
  /** The server gave up the session: without its id a message could go to another one. */
  #expired = false;

  constructor(options: HttpSessionOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? ((target, init) => fetch(target, init));
    this.#redirect = options.redirect ?? 'same-origin';
    this.id = options.sessionId;
  }

  /** Posts one message. As with all of these, the scope ends it; a `fetch` that ignores its signal can delay that. */
  async post(message: JSONRPCMessage, options: TransportSendOptions | undefined, scope: Signalled): Promise<Posted> {
    scope.signal.throwIfAborted();
    const { server } = this.#options;
    const context = carried(options);
    const opens = methodOf(message) === 'initialize';
    const base = context?.headers ?? (await this.#background(message));
    if (opens) [this.#handshakeHeaders, this.#expired] = [base, false];
    if (this.#expired) throw sessionExpired(server);
    const sessionId = opens ? undefined : this.id;
    const sources = { server, base, extra: options?.headers, sessionId, protocolVersion: this.protocolVersion };
    const headers = plainHeaders(message, sources);
    const exchange = this.#exchange(methodOf(message) ?? 'a reply', headers, scope);
    if (context?.peer !== undefined && isRequest(message)) context.peer.requestId = message.id;
    const outgoing = { method: 'POST', headers, body: JSON.stringify(message) } as const;
    const response = await follow(this.#fetch, exchange, outgoing, this.#redirect);
    this.#learn(response, context, opens, sessionId);
    return { response, exchange };
  }

  #learn(response: Response, context: RequestContext | undefined, opens: boolean, sentId: string | undefined): void {
    if (opens && response.ok) this.id = response.headers.get('mcp-session-id') ?? undefined;
    if (context?.peer !== undefined && this.id !== undefined) context.peer.sessionId = this.id;
    if (response.status !== 404 || sentId === undefined || this.id !== sentId) return;
    this.id = undefined;
    this.#expired = true;
  }

  /** Opens a stream; `after`: a message's exchange, whose reply it goes on with. What the server answers says nothing of the session. */
  async stream(scope: Signalled, lastEventId: string | undefined, after?: HttpExchange<Signalled>): Promise<Posted> {
    const { server } = this.#options;
    if (this.#expired) throw sessionExpired(server);
    const sent = (after?.headers as PlainHeaders | undefined) ?? (await this.#bare());
    scope.signal.throwIfAborted();
    const headers = streamHeaders(sent, lastEventId, server);
    const exchange = after ?? this.#exchange('the request for a stream', headers, scope);
    const response = await follow(this.#fetch, exchange, { method: 'GET', headers }, this.#redirect);
    return { response, exchange };
  }

  /**
   * Best effort: a server that refuses or does not answer only keeps its session longer. A session that was given is its giver's to end.
   * Never rejects.
   */
  async end(scope: Signalled): Promise<void> {
    if (this.id === undefined || this.id === this.#options.sessionId) return;
    try {
      const sent = this.#bare();
      this.id = undefined;
      const headers = await sent;
      const exchange = this.#exchange('the end of the session', headers, scope);
      const response = await fetchOnce(this.#fetch, exchange, this.#options.url, { method: 'DELETE', headers });
      await readSome(response, scope.signal);
    } catch {
      // Nobody could do anything about it.
    }
  }

  /** Those of a request without a message. */
  async #bare(): Promise<PlainHeaders> {
    const { server, headers } = this.#options;
    const sources = { server, sessionId: this.id, protocolVersion: this.protocolVersion };
    return plainHeaders(undefined, { ...sources, base: await headers() });
  }

  async #background(message: JSONRPCMessage): Promise<Headers> {
    const method = methodOf(message);
    if (method === 'notifications/initialized' && this.#handshakeHeaders !== undefined) return this.#handshakeHeaders;
    try {
      return await this.#options.headers(method === undefined ? undefined : { method });
    } catch (error) {
      throw headersFailed(this.#options.server, error);
    }
  }

  #exchange(what: string, headers: PlainHeaders, scope: Signalled): HttpExchange<Signalled> {
    const { server, url, maxResponseBytes = 16 * 1024 * 1024, now = Date.now } = this.#options;
    return { server, url, what, headers, scope, maxBytes: maxResponseBytes, now };
  }
}

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

export function methodOf(message: JSONRPCMessage): string | undefined {
  return 'method' in message ? message.method : undefined;
}

/** A user and a password in it are refused at once: `fetch` would do so too, and repeat them. */
export function checkUrl(url: URL, server: string): void {
  if (url.username === '' && url.password === '') return;
  const detail = 'its `url` holds a user name or password, which `fetch` refuses. Move it to `headers.authorization`.';
  throw new McpToolSetError('config_invalid', detail, { server });
}
