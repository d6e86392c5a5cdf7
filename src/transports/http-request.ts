/** One request under way: what ends it, what came of it, and how its stream is gone on with. */

import type { JSONRPCMessage, JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/client';
import { onAbort } from '../lib/abort.ts';
import { LINGER } from './http-body.ts';
import type { HttpExchange, Signalled } from './http-errors.ts';
import { concealed } from './http-excerpt.ts';
import { Inbox } from './http-inbox.ts';
import { type ReplyReading, readReply } from './http-reply.ts';
import type { HttpSession } from './http-session.ts';
import { withErrorText } from './reply.ts';
import { carried, type RequestContext } from './transport.ts';

/** What is common to the requests of one transport. */
export interface RequestHost {
  readonly session: HttpSession;
  /** `foreign`: a reply to another request. */
  deliver(message: JSONRPCMessage, foreign: boolean, origin: RequestContext | undefined): void;
  /** Told of what is no message. */
  onNoise(): void;
}

/** A class, and the scope of itself: closures and listeners for each request cost more than all that it does with them. */
export class HttpRequest extends Inbox implements Signalled, ReplyReading {
  readonly #host: RequestHost;
  readonly #message: JSONRPCRequest;
  readonly #options: TransportSendOptions | undefined;
  readonly #origin: RequestContext | undefined;
  readonly #controller = new AbortController();
  readonly #ignores: (() => void)[] = [];
  #exchange: HttpExchange<Signalled> | undefined;
  #reject: ((reason: unknown) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: RequestHost, message: JSONRPCRequest, options: TransportSendOptions | undefined) {
    super(message.id);
    this.#host = host;
    this.#message = message;
    this.#options = options;
    this.#origin = carried(options);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A stream that is meant to stay open. */
  get isListening(): boolean {
    return this.#message.method === 'subscriptions/listen';
  }

  /** Resolves once the reply was delivered and its stream is over; rejects as `HttpTransport` promises. */
  async run(): Promise<void> {
    this.#follow(this.#origin?.signal);
    this.#follow(this.#options?.requestSignal);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#reject = reject;
        this.#converse().then(resolve, reject);
      });
    } catch (error) {
      if (!this.answered) throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
      this.#release();
    }
  }

  abort(reason: unknown): void {
    this.#release();
    this.#controller.abort(reason);
    this.#reject?.(this.signal.reason);
  }

  /** The reply came on another stream than its own. */
  settleElsewhere(): void {
    this.settle();
    this.#linger();
  }

  /** The caller is answered: its signal ends nothing any more. */
  protected override onAnswer(): void {
    this.#release();
  }

  protected override deliver(message: JSONRPCMessage, foreign: boolean): void {
    const sent = this.#exchange;
    const conceal = (text: string): string => (sent === undefined ? text : concealed(text, sent.headers, sent.url));
    this.#host.deliver('error' in message ? withErrorText(message, conceal) : message, foreign, this.#origin);
  }

  protected override onNoise(): void {
    this.#host.onNoise();
  }

  onPiece(): void {
    if (this.answered) this.#linger();
  }

  async reopen(exchange: HttpExchange<Signalled>, lastEventId: string): Promise<Response> {
    return (await this.#host.session.stream(this, lastEventId, exchange)).response;
  }

  async #converse(): Promise<void> {
    const { response, exchange } = await this.#host.session.post(this.#message, this.#options, this);
    this.#exchange = exchange;
    return readReply(response, exchange, this);
  }

  /** What is left of the stream gets a moment to end by itself, which keeps its connection usable. */
  #linger(): void {
    this.#timer ??= setTimeout(() => this.abort('answered'), LINGER.milliseconds);
  }

  #follow(parent: AbortSignal | undefined): void {
    if (parent === undefined || this.signal.aborted) return;
    if (parent.aborted) this.abort(parent.reason);
    else this.#ignores.push(onAbort(parent, () => this.abort(parent.reason)));
  }

  #release(): void {
    for (const ignore of this.#ignores) ignore();
    this.#ignores.length = 0;
  }
}
