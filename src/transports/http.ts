/** MCP over Streamable HTTP, as a transport under the SDK's client: one POST per message, each over when its message is settled. */

import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope, type Scope } from '../lib/abort.ts';
import { createOngoing } from '../lib/runtime.ts';
import type { FetchLike } from '../servers.ts';
import { LINGER, readSome } from './http-body.ts';
import { type HttpExchange, headersFailed, sessionExpired } from './http-errors.ts';
import { fetchOnce, post } from './http-fetch.ts';
import { messageHeaders } from './http-headers.ts';
import { createInbox } from './http-inbox.ts';
import { readReply, refusal } from './http-reply.ts';
import { carried, type OwnTransport, type RequestContext } from './transport.ts';

/** Budget of a message that has no reply, and of the end of a session, in milliseconds. */
const ONE_WAY_BUDGET = 10_000;
const DELETE_BUDGET = 2_000;

export interface HttpTransportOptions {
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

/**
 * `send(request)` lasts as long as its request: it resolves once the reply went to `onmessage` and rejects when there will be none, with
 * a `McpToolSetError` or, where the caller's signal ended it, that signal's reason. `send` of anything else resolves at once, and its
 * failure goes to `onerror`. `close()` ends what is under way (code `closed`), then the session.
 *
 * @example
 * ```ts
 * const transport = new HttpTransport({ server: 'docs', url: new URL('https://docs.example.com/mcp'), headers: () => new Headers() });
 * await new Client({ name: 'app', version: '1' }).connect(transport);
 * ```
 */
export class HttpTransport implements OwnTransport {
  readonly kind = 'http';
  readonly address: string;
  readonly port: number;
  readonly hasPerRequestStream = true;
  sessionId: string | undefined;
  acknowledged: Promise<void> | undefined;
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];

  readonly #options: HttpTransportOptions;
  readonly #fetch: FetchLike;
  readonly #live = createOngoing<Scope>();
  #protocolVersion: string | undefined;
  /** What `initialize` was sent with: the user it was sent for is the one to say `initialized`. */
  #handshakeHeaders: Headers | undefined;
  /** The server gave up the session: without its id a message could go to another one. */
  #expired = false;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    const { server, url } = options;
    if (url.username !== '' || url.password !== '') {
      const detail = 'its `url` holds a user name or password, which `fetch` refuses. Move it to `headers.authorization`.';
      throw new McpToolSetError('config_invalid', detail, { server });
    }
    this.#options = options;
    this.#fetch = options.fetch ?? ((target, init) => fetch(target, init));
    this.sessionId = options.sessionId;
    this.address = url.hostname.replace(/^\[|\]$/g, '');
    this.port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  }

  async start(): Promise<void> {
    if (this.#closing !== undefined) throw this.#closed();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closing !== undefined) throw this.#closed();
    if (isRequest(message)) return this.#request(message, options);
    const settled = this.#sendOneWay(message, options);
    if (methodOf(message) === 'notifications/initialized') this.acknowledged = settled;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #request(message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const scope = openScope({ parents: [carried(options)?.signal, options?.requestSignal] });
    // The caller is answered then; what is left of the stream gets a moment to end by itself, which keeps its connection usable.
    let linger: ReturnType<typeof setTimeout> | undefined;
    const onAnswer = (): void => {
      scope.release();
      linger = setTimeout(scope.abort, LINGER.milliseconds, 'answered');
    };
    const inbox = createInbox({ id: message.id, deliver: this.#deliver, onNoise: this.#onNoise, onAnswer });
    this.#live.add(scope);
    try {
      const [response, exchange] = await this.#post(message, options, scope);
      await readReply(response, exchange, inbox, message.method === 'subscriptions/listen');
    } catch (error) {
      if (!inbox.answered) throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      clearTimeout(linger);
      scope.release();
      this.#live.delete(scope);
    }
  }

  /** Never rejects. */
  async #sendOneWay(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    const scope = openScope({ budget: ONE_WAY_BUDGET });
    this.#live.add(scope);
    try {
      const [response, exchange] = await this.#post(message, options, scope);
      if (!response.ok) throw await refusal(response, exchange);
      await readSome(response, scope.signal);
    } catch (error) {
      if (this.#closing === undefined) this.#report(this.#overdue(message, scope) ?? error);
    } finally {
      scope.release();
      this.#live.delete(scope);
    }
  }

  async #post(
    message: JSONRPCMessage,
    options: TransportSendOptions | undefined,
    scope: Scope,
  ): Promise<[response: Response, exchange: HttpExchange]> {
    scope.signal.throwIfAborted();
    const context = carried(options);
    const opens = methodOf(message) === 'initialize';
    const base = await abortable(this.#baseHeaders(message, context), scope.signal);
    if (opens) [this.#handshakeHeaders, this.#expired] = [base, false];
    if (this.#expired) throw sessionExpired(this.#options.server);
    const sessionId = opens ? undefined : this.sessionId;
    const { server } = this.#options;
    const sources = { server, base, extra: options?.headers, sessionId, protocolVersion: this.#protocolVersion };
    const exchange = this.#exchange(message, messageHeaders(message, sources), scope);
    if (context?.peer !== undefined && isRequest(message)) context.peer.requestId = message.id;
    const response = await post(this.#fetch, exchange, JSON.stringify(message), this.#options.redirect ?? 'same-origin');
    if (opens && response.ok) this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
    if (context?.peer !== undefined && this.sessionId !== undefined) context.peer.sessionId = this.sessionId;
    if (response.status === 404 && sessionId !== undefined && this.sessionId === sessionId) {
      this.sessionId = undefined;
      this.#expired = true;
    }
    return [response, exchange];
  }

  async #baseHeaders(message: JSONRPCMessage, context: RequestContext | undefined): Promise<Headers> {
    if (context?.headers !== undefined) return context.headers;
    const method = methodOf(message);
    if (method === 'notifications/initialized' && this.#handshakeHeaders !== undefined) return this.#handshakeHeaders;
    try {
      return await this.#options.headers(method === undefined ? undefined : { method });
    } catch (error) {
      throw headersFailed(this.#options.server, error);
    }
  }

  #exchange(message: JSONRPCMessage | undefined, headers: Headers, scope: Scope): HttpExchange {
    const { server, url, maxResponseBytes = 16 * 1024 * 1024, now = Date.now } = this.#options;
    const what = message === undefined ? 'the end of the session' : (methodOf(message) ?? 'a reply');
    return { server, url, what, headers, scope, maxBytes: maxResponseBytes, now };
  }

  readonly #deliver = (message: JSONRPCMessage): void => {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#report(error);
    }
  };

  #report(error: unknown): void {
    try {
      this.onerror?.(error as Error);
    } catch {
      // An observer's fault is not the work's fault.
    }
  }

  readonly #onNoise = (): void => {
    const detail = 'sent something that is no JSON-RPC message; it was skipped.';
    this.#report(new McpToolSetError('bad_response', detail, { server: this.#options.server }));
  };

  async #close(): Promise<void> {
    for (const scope of [...this.#live]) scope.abort(this.#closed());
    // Awaited in any case: `onclose` must find `close()` returned.
    await (this.sessionId === undefined ? undefined : this.#endSession(this.sessionId));
    this.onclose?.();
  }

  /** Best effort: a server that refuses or does not answer only keeps its session longer. */
  async #endSession(sessionId: string): Promise<void> {
    this.sessionId = undefined;
    const scope = openScope({ budget: DELETE_BUDGET });
    const { server, url, headers } = this.#options;
    try {
      const base = await abortable(Promise.resolve(headers()), scope.signal);
      const sent = messageHeaders(undefined, { server, base, sessionId, protocolVersion: this.#protocolVersion });
      const init = { method: 'DELETE', headers: sent };
      const response = await fetchOnce(this.#fetch, this.#exchange(undefined, sent, scope), url, init);
      await readSome(response, scope.signal);
    } catch {
      // Nobody could do anything about it.
    } finally {
      scope.release();
    }
  }

  #overdue(message: JSONRPCMessage, scope: Scope): McpToolSetError | undefined {
    const { reason } = scope.signal;
    if (!(reason instanceof DeadlineError)) return undefined;
    const detail = `no answer to ${methodOf(message) ?? 'a reply'} within ${reason.milliseconds} ms. Check that the server is well.`;
    return new McpToolSetError('timeout', detail, { server: this.#options.server });
  }

  #closed(): McpToolSetError {
    const detail = 'the connection was closed. A call that was under way may have been executed. Create a new tool set to go on.';
    return new McpToolSetError('closed', detail, { server: this.#options.server });
  }
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

function methodOf(message: JSONRPCMessage): string | undefined {
  return 'method' in message ? message.method : undefined;
}
