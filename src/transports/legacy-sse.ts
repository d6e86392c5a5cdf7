/** MCP over the deprecated HTTP+SSE transport, under the SDK's client: one event stream carries every reply, a POST each message. */

import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, onAbort, openScope, type Scope, waitAtMost } from '../lib/abort.ts';
import { createOngoing } from '../lib/runtime.ts';
import { createSharedFlight } from '../lib/shared-flight.ts';
import type { FetchLike } from '../servers.ts';
import { LINGER } from './http-body.ts';
import { type HttpExchange, headersFailed, lost } from './http-errors.ts';
import { concealed } from './http-excerpt.ts';
import { type PlainHeaders, plainHeaders, streamHeaders } from './http-headers.ts';
import { checkUrl, type HttpSessionOptions, isRequest, methodOf } from './http-session.ts';
import { closedSse, noMessage, notSent, notTaken, streamEnded } from './legacy-sse-errors.ts';
import { postMessage } from './legacy-sse-post.ts';
import { type Expected, Replies } from './legacy-sse-replies.ts';
import { openStream } from './legacy-sse-stream.ts';
import { withErrorText } from './reply.ts';
import { guard, report } from './report.ts';
import { carried, type OwnTransport } from './transport.ts';

/** Budget of a message that has no reply, in milliseconds. */
const ONE_WAY_BUDGET = 10_000;

/** Those of Streamable HTTP; the URL is that of the event stream, and the session is always a new one. */
export type LegacySseTransportOptions = Omit<HttpSessionOptions, 'sessionId'>;

/**
 * Keeps the promises of `HttpTransport`: `send(request)` lasts as long as its request, `send` of anything else resolves at once. The
 * first request opens the stream, with its own headers. When the stream ends, what is pending fails with `outcome_unknown` and the
 * transport is over: a new one takes its place. It is the session as well, and so is shared by all requests.
 */
export class LegacySseTransport implements OwnTransport {
  readonly kind = 'http';
  readonly address: string;
  readonly port: number;
  sessionId: string | undefined;
  acknowledged: Promise<void> | undefined;
  failure: McpToolSetError | undefined;
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];

  readonly #options: LegacySseTransportOptions;
  readonly #fetch: FetchLike;
  readonly #live = createOngoing<Scope>();
  readonly #opening = createSharedFlight<URL>();
  readonly #replies = new Replies(
    (message) => guard(this, () => this.onmessage?.(withErrorText(message, (text) => this.#conceal(text)))),
    () => report(this, noMessage(this.#options.server)),
  );
  #endpoint: URL | undefined;
  #protocolVersion: string | undefined;
  /** What the stream was opened with: the user it was opened for is the one to say `initialized`. */
  #handshakeHeaders: Headers | undefined;
  /** Settles once `onclose` has told that the stream ended. */
  #over: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  #conceal(text: string): string {
    return concealed(text, this.#handshakeHeaders ?? {}, this.#options.url);
  }

  constructor(options: LegacySseTransportOptions) {
    const { server, url } = options;
    checkUrl(url, server);
    this.#options = options;
    this.#fetch = options.fetch ?? ((target, init) => fetch(target, init));
    this.address = url.hostname.replace(/^\[|\]$/g, '');
    this.port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  }

  /** The stream tells of changes as well, for as long as it is open. */
  get listening(): boolean {
    return this.#endpoint !== undefined && this.failure === undefined && this.#closing === undefined;
  }

  async start(): Promise<void> {
    if (this.#closing !== undefined) throw closedSse(this.#options.server);
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closing !== undefined) throw closedSse(this.#options.server);
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
    let reply: Expected | undefined;
    this.#live.add(scope);
    try {
      const headers = await this.#headers(message, options, scope);
      const endpoint = this.#endpoint ?? (await this.#opening.join(scope.signal, (flight) => this.#open(headers, flight)));
      const exchange = this.#exchange(message, headers, scope, endpoint);
      if (this.failure !== undefined) await this.#refuse(this.failure);
      reply = this.#replies.expect(message.id, exchange);
      const posting = postMessage(this.#fetch, exchange, endpoint, message, this.#replies.everAnswered);
      Object.assign(carried(options)?.peer ?? {}, { requestId: message.id, sessionId: this.sessionId });
      await abortable(Promise.race([reply.came, posting.then(() => reply?.came)]), scope.signal);
      // The caller is answered; the rest of the POST gets a moment to end by itself, which keeps its connection usable.
      await waitAtMost(posting, LINGER.milliseconds);
    } catch (error) {
      if (reply?.answered !== true) throw scope.signal.aborted ? scope.signal.reason : error;
    } finally {
      reply?.forget();
      scope.abort('settled');
      this.#live.delete(scope);
    }
  }

  /** Never rejects. Without a stream there is nobody to tell. */
  async #sendOneWay(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    const { server } = this.#options;
    const endpoint = this.#endpoint;
    if (endpoint === undefined || this.failure !== undefined) return;
    const scope = openScope({ budget: ONE_WAY_BUDGET });
    this.#live.add(scope);
    try {
      const headers = await this.#headers(message, options, scope);
      const exchange = this.#exchange(message, headers, scope, endpoint);
      await postMessage(this.#fetch, exchange, endpoint, message, this.#replies.everAnswered);
    } catch (error) {
      const { reason } = scope.signal;
      const failure =
        reason instanceof DeadlineError ? notTaken(server, methodOf(message) ?? 'a reply', reason.milliseconds) : error;
      if (this.#closing === undefined && this.failure === undefined) report(this, failure);
    } finally {
      scope.release();
      this.#live.delete(scope);
    }
  }

  async #headers(message: JSONRPCMessage, options: TransportSendOptions | undefined, scope: Scope): Promise<PlainHeaders> {
    scope.signal.throwIfAborted();
    const { server } = this.#options;
    const base = await abortable(this.#baseHeaders(message, carried(options)?.headers), scope.signal);
    return plainHeaders(message, { server, base, extra: options?.headers, protocolVersion: this.#protocolVersion });
  }

  async #baseHeaders(message: JSONRPCMessage, given: Headers | undefined): Promise<Headers> {
    if (given !== undefined) return given;
    const method = methodOf(message);
    if (method === 'notifications/initialized' && this.#handshakeHeaders !== undefined) return this.#handshakeHeaders;
    try {
      return await this.#options.headers(method === undefined ? undefined : { method });
    } catch (error) {
      throw headersFailed(this.#options.server, error);
    }
  }

  /** Opens the stream for the first request, and reads it until it ends. It is given up when nobody waits for it any more. */
  async #open(first: PlainHeaders, flight: AbortSignal): Promise<URL> {
    const scope = openScope({});
    const exchange = this.#exchange(undefined, streamHeaders(first, undefined, this.#options.server), scope);
    const ignore = onAbort(flight, () => scope.abort(flight.reason));
    this.#live.add(scope);
    try {
      const { endpoint, sessionId, messages } = await openStream(this.#fetch, exchange, this.#options.redirect ?? 'same-origin');
      [this.#endpoint, this.sessionId, this.#handshakeHeaders] = [endpoint, sessionId, new Headers(first)];
      void this.#listen(messages, exchange);
      return endpoint;
    } catch (error) {
      this.#live.delete(scope);
      scope.abort(error);
      throw error;
    } finally {
      ignore();
    }
  }

  async #listen(messages: AsyncIterable<string>, exchange: HttpExchange): Promise<void> {
    let cause: unknown;
    try {
      for await (const data of messages) await this.#replies.take(data);
    } catch (error) {
      cause = error;
    }
    exchange.scope.abort('over');
    this.#live.delete(exchange.scope);
    if (this.#closing === undefined) this.#end(exchange, cause);
  }

  /** Whoever is refused finds that the transport has told of its end. */
  async #refuse(failure: McpToolSetError): Promise<never> {
    await this.#over;
    throw notSent(this.#options.server, failure);
  }

  /** The stream is over, and this transport with it. */
  #end(exchange: HttpExchange, cause: unknown): void {
    const { server } = this.#options;
    const known = McpToolSetError.is(cause) ? cause : undefined;
    const idle = this.#replies.size === 0;
    this.failure = known ?? (idle ? streamEnded(server, cause) : lost({ ...exchange, what: 'a request' }, cause));
    this.#replies.fail((each) => known ?? lost(each, cause));
    // What is pending must fail with its own reason before `onclose` fails it with the client's.
    this.#over = new Promise((resolve) => setTimeout(resolve)).then(() => guard(this, () => this.onclose?.()));
  }

  /** For texts, it goes to the URL that the user knows; the endpoint's query counts as secret. */
  #exchange(message: JSONRPCMessage | undefined, headers: PlainHeaders, scope: Scope, endpoint?: URL): HttpExchange {
    const { server, maxResponseBytes = 16 * 1024 * 1024, now = Date.now } = this.#options;
    const what = message === undefined ? 'the request for its event stream' : (methodOf(message) ?? 'a reply');
    const url = new URL(this.#options.url);
    for (const [name, value] of endpoint?.searchParams ?? []) url.searchParams.append(name, value);
    return { server, url, what, headers, scope, maxBytes: maxResponseBytes, now };
  }

  async #close(): Promise<void> {
    for (const scope of [...this.#live]) scope.abort(closedSse(this.#options.server));
    // `onclose` must find `close()` returned.
    await undefined;
    if (this.#over === undefined) guard(this, () => this.onclose?.());
    await this.#over;
  }
}
