/** MCP over Streamable HTTP, as a transport under the SDK's client: one POST per message, each over when its message is settled. */

import type { JSONRPCMessage, JSONRPCRequest, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, DeadlineError, openScope, type Scope } from '../lib/abort.ts';
import { bindsIoToRequests, createOngoing } from '../lib/runtime.ts';
import { readSome } from './http-body.ts';
import { Inbox } from './http-inbox.ts';
import { createHttpListening, type HttpListening } from './http-listening.ts';
import { refusal } from './http-reply.ts';
import { HttpRequest, type RequestHost } from './http-request.ts';
import { checkUrl, HttpSession, type HttpSessionOptions, isRequest, methodOf } from './http-session.ts';
import { guard, report } from './report.ts';
import type { MessageOrigin, OwnTransport, RequestContext } from './transport.ts';

/** Budget of a message that has no reply, and of the end of a session, in milliseconds. */
const ONE_WAY_BUDGET = 10_000;
const DELETE_BUDGET = 2_000;
/** Under way at once, to questions of the server's. */
const MAX_REPLIES = 64;

export type HttpTransportOptions = HttpSessionOptions;

/**
 * `send(request)` lasts as long as its request: it resolves once the reply went to `onmessage` and rejects when there will be none, with
 * a `McpToolSetError` or, where the caller's signal ended it, that signal's reason. `send` of anything else resolves at once, and its
 * failure goes to `onerror`. `listen()` opens one more stream, for what the server tells of its own accord. `close()` ends what is under
 * way (code `closed`), then the session.
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
  acknowledged: Promise<void> | undefined;
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  onmessage: Transport['onmessage'];
  onlistening: OwnTransport['onlistening'];

  readonly #server: string;
  readonly #session: HttpSession;
  readonly #live = createOngoing<{ abort(reason: unknown): void }>();
  /** By id: the reply may come on a stream that is not the request's own. */
  readonly #waiting = new Map<string, HttpRequest>();
  readonly #isBound = bindsIoToRequests();
  readonly #host: RequestHost;
  readonly #listening: HttpListening;
  #replying = 0;
  #closing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    const { server, url, now = Date.now } = options;
    checkUrl(url, server);
    this.#server = server;
    this.#session = new HttpSession(options);
    this.address = url.hostname.replace(/^\[|\]$/g, '');
    this.port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    this.#host = {
      session: this.#session,
      deliver: (message, foreign, origin) => this.#deliver(message, foreign, origin),
      onNoise: () => this.#onNoise(),
    };
    const untold = new Untold(this.#host);
    this.#listening = createHttpListening({
      open: (scope, lastEventId) => this.#session.stream(scope, lastEventId),
      deliver: (value) => untold.receive(value),
      onChange: (open) => guard(this, () => this.onlistening?.(open)),
      onError: (error) => report(this, error),
      now,
    });
  }

  get sessionId(): string | undefined {
    return this.#session.id;
  }

  /** Whether the listening stream is open now. */
  get listening(): boolean {
    return this.#listening.isOpen;
  }

  get opening(): Promise<void> | undefined {
    return this.#listening.opening;
  }

  async start(): Promise<void> {
    if (this.#closing !== undefined) throw this.#closed();
  }

  setProtocolVersion(version: string): void {
    this.#session.protocolVersion = version;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#closing !== undefined) throw this.#closed();
    if (isRequest(message)) return this.#request(message, options);
    const isReply = methodOf(message) === undefined;
    // Each is a request of ours: a flood of questions must not become one of sockets.
    if (isReply && this.#replying >= MAX_REPLIES) return report(this, tooManyQuestions(this.#server));
    if (isReply) this.#replying++;
    const settled = this.#sendOneWay(message, options);
    if (isReply) void settled.then(() => this.#replying--);
    if (methodOf(message) === 'notifications/initialized') this.acknowledged = settled;
  }

  /** A server that has no such stream is asked once. While it is open it keeps a Node process alive. */
  listen(): void {
    if (this.#closing === undefined) this.#listening.start();
  }

  unlisten(): void {
    this.#listening.stop();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #request(message: JSONRPCRequest, options: TransportSendOptions | undefined): Promise<void> {
    const request = new HttpRequest(this.#host, message, options);
    const key = String(message.id);
    this.#live.add(request);
    // Where I/O belongs to its request, no other request may end it.
    if (!this.#isBound) this.#waiting.set(key, request);
    try {
      await request.run();
    } finally {
      this.#live.delete(request);
      if (this.#waiting.get(key) === request) this.#waiting.delete(key);
    }
  }

  /** Never rejects. */
  async #sendOneWay(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    const scope = openScope({ budget: ONE_WAY_BUDGET });
    this.#live.add(scope);
    try {
      await abortable(this.#tell(message, options, scope), scope.signal);
    } catch (error) {
      if (this.#closing === undefined) report(this, this.#overdue(message, scope) ?? error);
    } finally {
      scope.release();
      this.#live.delete(scope);
    }
  }

  async #tell(message: JSONRPCMessage, options: TransportSendOptions | undefined, scope: Scope): Promise<void> {
    const { response, exchange } = await this.#session.post(message, options, scope);
    if (!response.ok) throw await refusal(response, exchange);
    await readSome(response, scope.signal);
  }

  #deliver(message: JSONRPCMessage, foreign: boolean, context: RequestContext | undefined): void {
    if (foreign && 'id' in message) this.#waiting.get(String(message.id))?.settleElsewhere();
    const origin: MessageOrigin = { origin: context };
    guard(this, () => this.onmessage?.(message, origin));
  }

  #onNoise(): void {
    const detail = 'sent something that is no JSON-RPC message; it was skipped.';
    report(this, new McpToolSetError('bad_response', detail, { server: this.#server }));
  }

  async #close(): Promise<void> {
    this.unlisten();
    for (const scope of [...this.#live]) scope.abort(this.#closed());
    const scope = openScope({ budget: DELETE_BUDGET });
    // Awaited in any case: `onclose` must find `close()` returned.
    await abortable(this.#session.end(scope), scope.signal).catch(() => {});
    scope.release();
    this.onclose?.();
  }

  #overdue(message: JSONRPCMessage, scope: Scope): McpToolSetError | undefined {
    const { reason } = scope.signal;
    if (!(reason instanceof DeadlineError)) return undefined;
    const detail = `no answer to ${methodOf(message) ?? 'a reply'} within ${reason.milliseconds} ms. Check that the server is well.`;
    return new McpToolSetError('timeout', detail, { server: this.#server });
  }

  #closed(): McpToolSetError {
    const detail = 'the connection was closed. A call that was under way may have been executed. Create a new tool set to go on.';
    return new McpToolSetError('closed', detail, { server: this.#server });
  }
}

function tooManyQuestions(server: string): McpToolSetError {
  return new McpToolSetError('bad_response', 'asks too much at once; some of its questions were not answered.', { server });
}

/** Takes in what belongs to no request. */
class Untold extends Inbox {
  readonly #host: RequestHost;

  constructor(host: RequestHost) {
    super('');
    this.#host = host;
  }

  protected override deliver(message: JSONRPCMessage, foreign: boolean): void {
    this.#host.deliver(message, foreign, undefined);
  }

  protected override onNoise(): void {
    this.#host.onNoise();
  }

  protected override onAnswer(): void {}
}
