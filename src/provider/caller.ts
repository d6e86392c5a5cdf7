/** How calls and requests run: the middleware around them, and what is behind it. */

import type { CallToolOptions, McpToolProviderOptions, ToolsOptions } from '../api.ts';
import { checkCallOptions } from '../config/methods.ts';
import { closedError } from '../connection/failure.ts';
import { McpToolSetError } from '../errors.ts';
import type { McpHandlers } from '../handlers.ts';
import { abortable } from '../lib/abort.ts';
import { compose } from '../lib/compose.ts';
import { isRecord } from '../lib/content/json.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { McpWarning } from '../report.ts';
import type { ResourceReach } from '../resources/source.ts';
import { mendArguments } from '../tools/arguments/read.ts';
import { callServer } from '../tools/call-server.ts';
import { WARNINGS_KEY } from '../tools/output-schema.ts';
import { toCallError, toToolCall } from '../tools/tool-call.ts';
import type { CallToolResult, McpMiddleware, McpRequest, McpResult, SendRequest, ToolCall, ToolDefinition } from '../types.ts';
import type { Core } from './core.ts';
import { currentDefinition } from './current.ts';
import { unjudged } from './judged.ts';
import { observedCall } from './observed.ts';
import { askServers, peekServers } from './offers.ts';
import { createReach } from './reach.ts';
import type { RecordOptions } from './record.ts';

export interface CallerOptions {
  readonly core: Core;
  readonly options: McpToolProviderOptions;
  readonly middleware: readonly McpMiddleware[];
  /** The provider's, as they are now. */
  readonly handlers: () => McpHandlers | undefined;
  readonly now: () => number;
  readonly warn: (warning: McpWarning) => void;
}

/** What one request runs its calls with. */
export interface Running extends Pick<RecordOptions, 'run' | 'current'> {
  readonly send: SendRequest;
  readonly reach: Omit<ResourceReach, 'servers'>;
}

export interface Caller {
  of(request: Pick<ToolsOptions, 'middleware' | 'handlers'> | undefined): Running;
  /** Those that answer for a request; absent where it has none of its own. */
  handlersOf(request: Pick<ToolsOptions, 'handlers'> | undefined): McpHandlers | undefined;
  callTool(options: CallToolOptions): Promise<CallToolResult>;
}

export function createCaller({ core, options, middleware, handlers, now, warn }: CallerOptions): Caller {
  const { routes, events } = core;
  const observer = { events, now };
  /** Once for each tool, whatever is wrong with each result: those say so themselves. */
  const told = ({ server, originalName }: ToolDefinition, kind: McpWarning['kind'], text: string): void =>
    warn({ kind, server, message: `MCP server "${server}", tool "${originalName}": ${text}` });
  async function askServer(send: SendRequest, call: ToolCall): Promise<CallToolResult> {
    try {
      return await callServer(send, call, (tool) => told(tool, 'output_mismatch', MISMATCH));
    } catch (error) {
      if (isBlind(call.tool, error)) told(call.tool, 'empty_schema', BLIND);
      throw error;
    }
  }
  const chain = (hooks: readonly McpMiddleware[], own: McpHandlers | undefined, last = routes.send): SendRequest => {
    const send = compose<McpRequest, McpResult>(
      hooks.map((each) => each.request),
      last,
    );
    return own === undefined ? send : (request) => send({ ...request, handlers: own });
  };
  /** A handler of the request's own stands in place of the provider's, one by one. */
  const handlersOf: Caller['handlersOf'] = (request) => request?.handlers && { ...handlers(), ...request.handlers };
  const shared = chain(middleware, undefined);
  function running(hooks: readonly McpMiddleware[], own: McpHandlers | undefined): Running {
    const send = hooks === middleware && own === undefined ? shared : chain(hooks, own);
    const policy = { unverified: hooks.length > 0, stale: hooks.some((each) => each.list !== undefined) };
    const ask = (call: ToolCall): Promise<CallToolResult> => askServer(send, policy.stale ? call : unjudged(call));
    const run = compose<ToolCall, CallToolResult>(
      hooks.map(({ call }) => call),
      (call) => (call.tool.run === undefined ? ask(call) : call.tool.run(call)),
    );
    const reach = createReach({
      routes,
      // Hooks that look at calls alone change nothing of what a server lists.
      chain: hooks.every((each) => each.request === undefined || middleware.includes(each)) ? middleware : hooks,
      over: (route) => chain(hooks, own, routes.over(route)),
      handlers: own,
    });
    return {
      send,
      reach,
      run: observedCall(run, observer),
      current: (tool, { offers }, signal) => currentDefinition(tool, offers, signal, policy),
    };
  }
  const common = running(middleware, undefined);

  function of(request: Parameters<Caller['of']>[0]): Running {
    if (request?.middleware === undefined && request?.handlers === undefined) return common;
    return running([...(request.middleware ?? []), ...middleware], handlersOf(request));
  }

  async function callTool(request: CallToolOptions): Promise<CallToolResult> {
    checkCallOptions(request);
    if (core.closed) throw closedError(request.server);
    const { server, tool: name, input = {}, principal = options.principal, signal } = request;
    const whose = { principal, handlers: handlersOf(request) };
    const { run, current } = of(request);
    const [offer] = peekServers(routes, [server], whose) ?? (await askServers(routes, [server], { ...whose, signal }));
    if (offer?.config.enabled === false) await routes.find(server, { method: 'tools/call', ...whose, signal });
    let known = offer?.listing?.definitions.get(name);
    // It may be newer than what is known of its server.
    if (known === undefined && offer?.source !== undefined) {
      known = (await offer.source.renewed(signal)).listing?.definitions.get(name);
    }
    if (offer === undefined || known === undefined)
      throw offer?.error ?? unknownTool(server, name, [...(offer?.listing?.definitions.keys() ?? [])]);
    try {
      const tool = await current(known, { offers: [offer] }, signal);
      const given = { toolCallId: 'application', messages: [], ...(signal && { abortSignal: signal }) };
      const call = toToolCall(tool, mendArguments(input, tool), given, principal);
      const result = await abortable(run(call), signal);
      return options.mapResult === undefined ? result : await abortable(Promise.resolve(options.mapResult(result, call)), signal);
    } catch (error) {
      throw toCallError(error, known, signal);
    }
  }

  return { of, handlersOf, callTool };
}

const MISMATCH = `what it gives does not fit its outputSchema. It is used all the same; the result's _meta["${WARNINGS_KEY}"] says where.`;
const BLIND =
  'it refuses the arguments, and its inputSchema names none, so a model calls it blind. Its server may have lost the schema, as where two versions of Zod meet.';
const INVALID_PARAMS = -32602;

function isBlind({ inputSchema: { properties } }: ToolDefinition, error: unknown): boolean {
  const refused = McpToolSetError.is(error) && error.data.code === INVALID_PARAMS;
  return refused && isRecord(properties) && Object.keys(properties).length === 0;
}

function unknownTool(server: string, tool: string, known: readonly string[]): McpToolSetError {
  const offered = didYouMean(tool, known) || ` It offers: ${known.slice(0, 20).join(', ') || 'none'}.`;
  return new McpToolSetError('tool_not_found', `its server offers no tool of that name.${offered}`, { server, tool });
}
