/** The stdio transport: one child process, spoken to in lines of JSON. */

import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import { withErrorText } from '../transports/reply.ts';
import { carried, type OwnTransport } from '../transports/transport.ts';
import { InFlight } from './in-flight.ts';
import { LineReader } from './lines.ts';
import { OutputTail, tell } from './output-tail.ts';
import { drained, endTree, exitsWithin, hasExited, holdProcess, releaseTree, spawnTree, type Tree } from './process-tree.ts';
import { brokenFailure, closedFailure, exitFailure, noise, notSent, startFailure, tooLargeFailure } from './stdio-failure.ts';
import { readMessages, writeMessage } from './stdio-messages.ts';
import type { StdioTransportOptions } from './stdio-options.ts';

/** How long a closed pipe waits for the exit that explains it. */
const EXPLANATION = 500;
const KILL = 1_000;

/**
 * Ends the whole process tree, tells exit codes and last words, and keeps this process alive only while a request is under way.
 *
 * `send` of a request settles when the child's pipe has taken it, so `unavailable` means that nothing was executed. A child that does
 * not read leaves it pending until the request's signal aborts or the transport ends (the SDK's client does not wait for it). `send` of
 * anything else settles when it is queued: nobody waits for its effect. A queue of over `maxMessageBytes` takes no more.
 */
export class StdioTransport implements OwnTransport {
  readonly kind: 'stdio' = 'stdio';
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: OwnTransport['onmessage'];
  failure: McpToolSetError | undefined;

  readonly #options: StdioTransportOptions;
  readonly #tail: OutputTail;
  readonly #stdout: LineReader;
  readonly #inFlight = new InFlight();
  /** Settles when it is known why the child is of no use any more, just before `onclose`. */
  readonly #over: Promise<void>;
  #setOver: () => void = () => {};
  #child: Tree | undefined;
  #closing: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #explanation: Promise<void> | undefined;
  /** Settles once it is known of everything whether it was written. */
  #writing: Promise<void> = Promise.resolve();
  #noisy = false;

  constructor(options: StdioTransportOptions) {
    const { command, maxMessageBytes: max } = options;
    this.#options = options;
    this.#tail = new OutputTail(options.secrets, options.onStderr);
    this.#over = new Promise((resolve) => {
      this.#setOver = resolve;
    });
    this.#stdout = new LineReader({
      max,
      onLine: (line) => this.#receive(line),
      onTooLong: () => this.#fail(tooLargeFailure(command, max)),
    });
  }

  /** The child's process id, which is also its group's. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the process runs. Rejects with `unavailable` when it cannot be started, and with `closed` after `close`. */
  async start(): Promise<void> {
    if (this.#closing !== undefined) throw closedFailure();
    if (this.#child !== undefined) throw new McpToolSetError('config_invalid', 'a transport is started once: make a new one.');
    const { command, args, env, cwd } = this.#options;
    try {
      const child = spawnTree(command, args, { env, cwd });
      this.#child = child;
      this.#listen(child);
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      child.on('error', (error) => (hasExited(child) ? void this.#exited(child, error) : tell(this.onerror, error)));
    } catch (error) {
      this.failure = startFailure(command, cwd, error);
      throw this.failure;
    }
    if (this.#closing !== undefined) throw closedFailure();
  }

  /** Sends one message. Rejects with `unavailable` when the child is gone, and with `closed` after `close`. */
  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const child = this.#open();
    const { id, method, params } = message as { id?: string | number; method?: string; params?: { requestId?: string | number } };
    const line = writeMessage(message);
    if (method === undefined || id === undefined) {
      if (method === 'notifications/cancelled') this.#inFlight.dropped(params?.requestId);
      this.#hold();
      this.#write(child, line, undefined).catch(() => {});
      return;
    }
    this.#inFlight.sent(id, method);
    this.#hold();
    const signal = carried(options)?.signal;
    await abortable(this.#write(child, line, id), signal).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  }

  /** Ends the process tree, within about 2.5 s. Resolves when the child is gone; calling it again joins the first call. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined && this.#ending === undefined) {
      holdProcess(child, true);
      await endTree(child);
    }
    await this.#end();
  }

  #open(): Tree {
    if (this.#closing !== undefined) throw closedFailure();
    const child = this.#child;
    if (child?.pid === undefined || hasExited(child) || this.failure !== undefined) throw this.#unsent('is gone');
    if (child.stdin.writableLength > this.#options.maxMessageBytes) throw this.#unsent('does not read its input');
    return child;
  }

  #unsent(why: string): McpToolSetError {
    return notSent(this.#options.command, why, String(this.#tail), this.failure);
  }

  async #write(child: Tree, line: string, id: string | number | undefined): Promise<void> {
    const written = new Promise<void>((resolve, reject) =>
      child.stdin.write(line, (error) => (error ? reject(error) : resolve())),
    );
    this.#writing = Promise.allSettled([this.#writing, written]).then(() => {});
    try {
      await written;
    } catch {
      this.#inFlight.dropped(id);
      this.#explain(child, 'closed its input');
      await this.#over;
      throw this.failure === undefined ? closedFailure() : this.#unsent('is gone');
    }
  }

  #listen(child: Tree): void {
    child.stdout.on('data', (chunk: Buffer) => this.#stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => this.#tail.write(chunk));
    child.stdout.on('end', () => this.#explain(child, 'closed its output'));
    // A failed write tells its sender; what else can go wrong with a pipe ends in `end` or `exit`.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
    child.once('exit', () => void this.#exited(child));
  }

  #receive(line: string): void {
    if (this.failure !== undefined || this.#ending !== undefined) return;
    const messages = readMessages(line);
    if (messages === undefined) this.#skip(line);
    for (const message of messages ?? []) {
      if (!('method' in message)) {
        this.#inFlight.answered(message.id);
        this.#hold();
      }
      try {
        this.onmessage?.(withErrorText(message, (text) => this.#tail.redact(text)));
      } catch (error) {
        tell(this.onerror, error as Error);
      }
    }
  }

  /** Noise may be the reason for what comes next, so it counts among the last words. */
  #skip(line: string): void {
    this.#tail.push(line);
    tell(this.#options.onNoise, line);
    if (this.#noisy) return;
    this.#noisy = true;
    tell(this.onerror, noise(this.#tail.redact(line)));
  }

  /** A script that forgets to close ends when nothing is under way, and its child with it. */
  #hold(): void {
    if (this.#child === undefined || this.#closing !== undefined) return;
    holdProcess(this.#child, this.#inFlight.busy);
  }

  /** A pipe is closed. Usually the exit that explains it is next; a child that lives on without its pipes is of no use. */
  #explain(child: Tree, what: string): void {
    this.#explanation ??= exitsWithin(child, EXPLANATION).then((exited) => {
      if (!exited) this.#fail(brokenFailure(this.#options.command, what, String(this.#tail), this.#inFlight.unsure));
    });
  }

  /**
   * Does not wait for `close`: a helper of the child may hold the pipes for ever. `missing`: on Windows the shell finds out that there is
   * no such command, and an error comes in the place of the exit.
   */
  async #exited(child: Tree, missing?: Error): Promise<void> {
    if (this.#closing !== undefined || this.failure !== undefined) return;
    releaseTree(child);
    await drained(child);
    this.#stdout.flush();
    this.#tail.flush();
    const { command, cwd } = this.#options;
    this.failure ??= missing
      ? startFailure(command, cwd, missing)
      : exitFailure(command, child, String(this.#tail), this.#inFlight);
    await this.#end();
  }

  /** The child lives, but there is no going on with it. */
  #fail(failure: McpToolSetError): void {
    const child = this.#child;
    if (child === undefined || this.failure !== undefined || this.#closing !== undefined) return;
    this.failure = failure;
    child.stdout.destroy();
    releaseTree(child);
    void exitsWithin(child, KILL).then(() => this.#end());
  }

  #end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    const child = this.#child;
    if (child !== undefined) {
      releaseTree(child);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    }
    this.#setOver();
    // What could not be sent must fail as such before `onclose` fails everything that is pending.
    await this.#writing;
    await new Promise((resolve) => setImmediate(resolve));
    try {
      this.onclose?.();
    } catch (error) {
      tell(this.onerror, error as Error);
    }
  }
}
