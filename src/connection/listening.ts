/** The channel on which a server tells of changes, in whichever way its era and transport have one. */

import { bindsIoToRequests } from '../lib/runtime.ts';
import { idlePause, pauseOf } from '../transports/http-pause.ts';
import type { OwnTransport } from '../transports/transport.ts';
import type { Engine, ListenFilter } from './engine.ts';

/** What changes are of interest. */
export interface Wanted {
  /** Default every one. */
  readonly lists?: readonly ('tools' | 'resources' | 'prompts')[] | undefined;
  /** URIs of single resources. The modern era knows them here; the legacy one has `resources/subscribe` for it. */
  readonly resources?: readonly string[] | undefined;
}

export interface Listening {
  /** Opens it, and keeps it open as far as the server lets; again with other wishes: changes it. Default every list. Never throws. */
  listen(wanted?: Wanted): void;
  unlisten(): void;
  /** Whether every change that is wanted is told of now. */
  readonly listening: boolean;
}

export interface ListeningOptions {
  readonly engine: Engine;
  readonly own: OwnTransport | undefined;
  readonly now: () => number;
  /** It is open: what happened before may have gone by untold. Or it was, and is not any more. */
  onListening?(open: boolean): void;
}

const EVERY_LIST = ['tools', 'resources', 'prompts'] as const;
/** A stream that lasted so long was well, in milliseconds. */
const WELL = 10_000;
const MAX_FAILURES = 5;

export function createListening(options: ListeningOptions): Listening {
  const { engine, own } = options;
  if (engine.listen !== undefined) return bindsIoToRequests() ? NONE : subscribing(engine.listen, options);
  if (own?.kind === 'stdio') return { ...NONE, listening: true };
  if (own?.kind !== 'http') return NONE;
  own.onlistening = (open) => options.onListening?.(open);
  return {
    listen: () => own.listen?.(),
    unlisten: () => own.unlisten?.(),
    get listening() {
      return own.listening === true;
    },
  };
}

/** Nothing can be kept open, or nothing is known of it: what is told arrives all the same. */
const NONE: Listening = { listen() {}, unlisten() {}, listening: false };

function subscribing(open: NonNullable<Engine['listen']>, options: ListeningOptions): Listening {
  const { engine, now } = options;
  let wish = '';
  let current: AbortController | undefined;
  let listening = false;
  let refused = false;

  function unlisten(): void {
    current?.abort();
    current = undefined;
    wish = '';
    listening = false;
  }

  async function keep(filter: ListenFilter, { signal }: AbortController): Promise<void> {
    let failures = 0;
    while (failures < MAX_FAILURES && !signal.aborted) {
      let well = false;
      try {
        const subscription = await open(filter, signal);
        if (signal.aborted) return;
        listening = covers(subscription.honoredFilter, filter);
        options.onListening?.(true);
        const openedAt = now();
        await subscription.closed;
        well = now() - openedAt >= WELL;
      } catch (error) {
        if (isRefusal(error)) refused = true;
      }
      if (signal.aborted) return;
      if (listening) options.onListening?.(false);
      listening = false;
      if (refused) return;
      failures = well ? 0 : failures + 1;
      await idlePause(pauseOf(failures), signal);
    }
  }

  return {
    listen(wanted = {}) {
      const filter = filterOf(wanted, engine.facts.capabilities);
      const next = JSON.stringify(filter);
      if (refused || next === wish) return;
      unlisten();
      if (next === '{}') return;
      wish = next;
      const mine = new AbortController();
      current = mine;
      void keep(filter, mine).finally(() => {
        // Given up: the next wish tries again.
        if (current === mine) unlisten();
      });
    },
    unlisten,
    get listening() {
      return listening;
    },
  };
}

/** Only what the server says that it tells of. */
function filterOf({ lists = EVERY_LIST, resources = [] }: Wanted, capabilities: Readonly<Record<string, unknown>>): ListenFilter {
  const has = (name: string, feature: string): boolean =>
    (capabilities[name] as Readonly<Record<string, unknown>> | undefined)?.[feature] === true;
  const tells = (name: (typeof EVERY_LIST)[number]): boolean => lists.includes(name) && has(name, 'listChanged');
  return {
    ...(tells('tools') && { toolsListChanged: true }),
    ...(tells('prompts') && { promptsListChanged: true }),
    ...(tells('resources') && { resourcesListChanged: true }),
    ...(resources.length > 0 && has('resources', 'subscribe') && { resourceSubscriptions: [...resources].sort() }),
  };
}

function covers(honored: ListenFilter, { resourceSubscriptions = [], ...lists }: ListenFilter): boolean {
  const { resourceSubscriptions: uris = [] } = honored;
  const told = (Object.keys(lists) as (keyof typeof lists)[]).every((name) => honored[name] === true);
  return told && resourceSubscriptions.every((uri) => uris.includes(uri));
}

/** The server has no such thing, or not for us: asking again changes nothing. */
function isRefusal(error: unknown): boolean {
  const { code, data } = (error ?? {}) as { code?: unknown; data?: { status?: unknown } };
  const status = Number(data?.status);
  if (code === -32601 || code === -32602 || code === 'unauthorized' || code === 'forbidden') return true;
  return code === 'http_error' && status >= 400 && status < 500 && status !== 408;
}
