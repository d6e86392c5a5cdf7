/** What a provider stands on: its routes and its events. By itself, or taken over from a provider of the same name. */

import type { McpEvents } from '../events.ts';
import { createEmitter, type Emitter } from '../lib/emitter.ts';
import { CLIENT_INFO } from '../version.ts';
import { createRoutes, type Routes, type RoutesOptions } from './routes.ts';

export interface Core {
  readonly routes: Routes;
  readonly events: Emitter<McpEvents>;
  /** Whether the provider that holds it may still use it. */
  readonly closed: boolean;
  /** Whether no other provider has taken it over. */
  readonly held: boolean;
  /** Ended with the provider that holds it: at its close, or when another takes over. */
  onRelease(release: () => void): void;
  close(): Promise<void>;
}

interface Shared {
  readonly routes: Routes;
  readonly events: Emitter<McpEvents>;
  /** Takes it from the provider that holds it now. */
  release(): void;
}

/** Development servers load modules anew and tell nobody of it: this is the one place that the old and the new one share. */
const REGISTRY: unique symbol = Symbol.for(`mcp-tool-set.singletons.${CLIENT_INFO.version}`);

export function createCore(options: RoutesOptions, singleton: string | undefined): Core {
  const registry = singleton === undefined ? new Map<string, Shared>() : singletons();
  const name = singleton ?? '';
  const before = registry.get(name);
  before?.release();
  if (before?.routes.closed === false) {
    // What it ends by this is nobody's to wait for; closing waits for it.
    void before.routes.renew(options).catch(() => {});
    return hold(before.routes, before.events, name, registry);
  }
  const events = createEmitter<McpEvents>();
  return hold(createRoutes(options, events), events, name, registry);
}

function hold(routes: Routes, events: Emitter<McpEvents>, name: string, registry: Map<string, Shared>): Core {
  const releases: (() => void)[] = [];
  let held = true;
  let closing: Promise<void> | undefined;
  function release(): void {
    held = false;
    for (const each of releases.splice(0)) each();
  }
  const own: Shared = {
    routes,
    events,
    release() {
      release();
      events.clear();
    },
  };
  async function end(): Promise<void> {
    registry.delete(name);
    release();
    await routes.close();
    events.clear();
  }
  registry.set(name, own);
  return {
    routes,
    events,
    get closed() {
      return closing !== undefined || routes.closed;
    },
    get held() {
      return held;
    },
    onRelease: (release) => void releases.push(release),
    close() {
      // What another provider holds by now is not this one's to end.
      closing ??= held ? end() : Promise.resolve();
      return closing;
    },
  };
}

function singletons(): Map<string, Shared> {
  const scope = globalThis as { [REGISTRY]?: Map<string, Shared> };
  scope[REGISTRY] ??= new Map();
  return scope[REGISTRY];
}
