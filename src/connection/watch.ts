/** Puts handlers on a client, once for however many look at it: a client that is lent to many sets must not keep a trace of each. */

import type { McpResult } from '../types.ts';
import { errorFor, METHOD_NOT_FOUND, type Question, unanswered } from './questions.ts';

export interface Watcher {
  onClose(): void;
  onError(error: Error): void;
  onNotification(method: string, params: unknown): void;
  onQuestion?: ((question: Question, signal: AbortSignal) => Promise<McpResult>) | undefined;
}

type AnswerQuestion = NonNullable<Watcher['onQuestion']>;

/** The second argument of a request handler, in the 1.x and the 2.x line. */
interface QuestionExtra {
  readonly signal?: AbortSignal;
  readonly mcpReq?: { readonly signal: AbortSignal };
}

/** What both SDK lines' clients have of it. */
export interface Watchable {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  fallbackNotificationHandler?: ((notification: { method: string; params?: unknown }) => Promise<void>) | undefined;
  fallbackRequestHandler?: ((request: Question, extra: QuestionExtra) => Promise<object>) | undefined;
}

interface Watch {
  /** Whether ours are still what the client calls. */
  isOnTop(): boolean;
  restore(): void;
  readonly watchers: Set<Watcher>;
}

const watches = new WeakMap<object, Watch>();

/** Returns the function that ends it; the last one gives the client its own handlers back. */
export function watchClient(client: Watchable, watcher: Watcher): () => void {
  const known = watches.get(client);
  const watch = known?.isOnTop() ? known : install(client, watcher);
  watch.watchers.add(watcher);
  return () => {
    watch.watchers.delete(watcher);
    if (watch.watchers.size > 0) return;
    watch.restore();
    if (watches.get(client) === watch) watches.delete(client);
  };
}

function install(client: Watchable, first: Watcher): Watch {
  const watchers = new Set<Watcher>();
  const before = { ...pick(client) };
  const own: Watchable = {
    onclose() {
      before.onclose?.();
      for (const each of [...watchers]) each.onClose();
    },
    onerror(error) {
      before.onerror?.(error);
      for (const each of [...watchers]) each.onError(error);
    },
    async fallbackNotificationHandler(notification) {
      for (const each of [...watchers]) each.onNotification(notification.method, notification.params);
      await before.fallbackNotificationHandler?.(notification);
    },
    // Ours are used only where it has none; of several of us, the first that answers.
    fallbackRequestHandler: before.fallbackRequestHandler ?? (first.onQuestion && questionHandler(answerWith(watchers))),
  };
  Object.assign(client, own);
  const watch: Watch = {
    watchers,
    isOnTop: () => client.onclose === own.onclose && client.fallbackNotificationHandler === own.fallbackNotificationHandler,
    restore() {
      // Another party may have put its own over ours since.
      const present = pick(client);
      for (const key of Object.keys(present) as (keyof Watchable)[]) {
        if (present[key] === own[key]) Object.assign(client, { [key]: before[key] });
      }
    },
  };
  watches.set(client, watch);
  return watch;
}

function answerWith(watchers: ReadonlySet<Watcher>): AnswerQuestion {
  return async (question, signal) => {
    const answering = [...watchers].find(({ onQuestion }) => onQuestion !== undefined)?.onQuestion;
    if (answering === undefined) throw unanswered(METHOD_NOT_FOUND, 'nobody answers any more.');
    return answering(question, signal);
  };
}

function pick({ onclose, onerror, fallbackNotificationHandler, fallbackRequestHandler }: Watchable): Watchable {
  return { onclose, onerror, fallbackNotificationHandler, fallbackRequestHandler };
}

/** Both lines tell the server an error's `code` and `message`. */
function questionHandler(answer: AnswerQuestion): (question: Question, extra: QuestionExtra) => Promise<object> {
  return async (question, { signal = new AbortController().signal, mcpReq }) => {
    try {
      return await answer(question, mcpReq?.signal ?? signal);
    } catch (error) {
      const { code, message } = errorFor(error);
      throw Object.assign(new Error(message), { code });
    }
  };
}
