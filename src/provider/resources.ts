/** `provider.resources`: what the servers offer to read, for the application itself. */

import type { McpToolProviderOptions } from '../api.ts';
import { checkResourceOptions } from '../config/methods.ts';
import { closedError } from '../connection/failure.ts';
import { onAbort } from '../lib/abort.ts';
import type { McpWarning } from '../report.ts';
import type { ProviderResources, ResourceListOptions } from '../resources/api.ts';
import type { Catalogue } from '../resources/catalogue.ts';
import { listServers } from '../resources/listed.ts';
import { readResource } from '../resources/read.ts';
import type { ResourceRow } from '../resources/row.ts';
import type { Caller } from './caller.ts';
import type { Core } from './core.ts';
import { enabledServers } from './offers.ts';

export interface ResourcesOptions {
  readonly core: Core;
  readonly options: McpToolProviderOptions;
  readonly caller: Caller;
  readonly warn: (warning: McpWarning) => void;
}

export function createResources({ core, options, caller, warn }: ResourcesOptions): ProviderResources {
  const { routes } = core;

  async function* rows(
    { server, principal = options.principal, signal }: ResourceListOptions,
    pick: (catalogue: Catalogue) => readonly ResourceRow[],
  ): AsyncGenerator<ResourceRow> {
    if (core.closed) throw closedError(server);
    const { reach } = caller.of(undefined);
    const servers = server === undefined ? enabledServers(routes) : [server];
    const find = { ...reach, servers: () => servers };
    const listed = await listServers(find, servers, { principal, signal });
    const failed = listed.filter(({ catalogue }) => catalogue === undefined);
    if (failed.length > 0 && failed.length === listed.length) throw failed[0]?.error;
    for (const { server: key, error, catalogue } of listed) {
      if (error !== undefined) {
        const left = catalogue === undefined ? 'Its resources are left out.' : 'The resources that it last listed stay.';
        warn({ kind: 'server_failed', server: key, error, message: `${error.message} ${left}` });
      }
      if (catalogue !== undefined) yield* pick(catalogue);
    }
  }

  return {
    list(request = {}) {
      checkResourceOptions('list', request);
      return rows(request, ({ byUri, rows: all }) => all.slice(0, byUri.size));
    },
    templates(request = {}) {
      checkResourceOptions('templates', request);
      return rows(request, ({ templates }) => templates);
    },
    async read(request) {
      checkResourceOptions('read', request);
      const { server, uri, anew, principal = options.principal, signal } = request;
      if (core.closed) throw closedError(server);
      const { reach } = caller.of(request);
      return readResource(await reach.find(server, { principal, signal }), { uri, anew }, { principal, signal });
    },
    async subscribe(request, listener) {
      checkResourceOptions('subscribe', request);
      const { server, uri, principal = options.principal, signal } = request;
      if (core.closed) throw closedError(server);
      const { subscriptions } = await routes.find(server, { method: 'resources/subscribe', principal, signal });
      const end = await subscriptions.add(uri, (reason, changed) => listener({ server, uri: changed, reason }), signal);
      if (signal === undefined) return end;
      const off = onAbort(signal, () => void end());
      return () => {
        off();
        return end();
      };
    },
  };
}
