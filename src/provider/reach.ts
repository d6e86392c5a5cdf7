/** What the resource tools and the application's own methods reach of a provider's servers. */

import type { McpHandlers } from '../handlers.ts';
import type { ResourceReach } from '../resources/source.ts';
import type { SendRequest } from '../types.ts';
import type { Route } from './route.ts';
import type { Routes } from './routes.ts';

export interface ReachOptions {
  readonly routes: Routes;
  /** The same for all whose requests go through the same hooks: what is remembered came through these. */
  readonly chain: object;
  /** Puts those hooks around what is sent over a route. */
  readonly over: (route: Route) => SendRequest;
  readonly handlers: McpHandlers | undefined;
}

export function createReach({ routes, chain, over, handlers }: ReachOptions): Omit<ResourceReach, 'servers'> {
  return {
    async find(server, { principal, signal }) {
      const route = await routes.find(server, { method: 'resources/list', principal, handlers, signal });
      const catalogue = route.resources.catalogue(chain);
      return { server, send: over(route), memory: route.resources, catalogue, owner: catalogue };
    },
  };
}
