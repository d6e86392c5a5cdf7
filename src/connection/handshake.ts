/** How a connection begins: which era the server speaks, and the legacy era's `initialize`, both with middleware around them. */

import {
  type Client,
  type DiscoverResult,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/client';
import { McpToolSetError } from '../errors.ts';
import { abortable, openScope } from '../lib/abort.ts';
import { carry, type OwnTransport, type RequestContext } from '../transports/transport.ts';
import type { McpPeer, McpRequest } from '../types.ts';
import { envelope, exchange, isModern, isWorthRepeating, MODERN_VERSION, type ProbeOutcome, readProbe } from './era.ts';
import { toFailure } from './failure.ts';
import { mergeHeaders } from './headers.ts';
import type { LinkOptions } from './link.ts';

/** What a modern server said of itself, or nothing for a legacy one. Asks only where that is safe, and remembers the verdict. */
export async function agreeOnEra(
  transport: Transport,
  own: OwnTransport | undefined,
  pinned: string | undefined,
  peer: McpPeer,
  options: LinkOptions,
): Promise<DiscoverResult | undefined> {
  const { memory, server, signal } = options;
  // The modern era has no sessions to go on with.
  if (own?.kind === 'http' && own.sessionId !== undefined) return undefined;
  if (memory.discover !== undefined) return memory.discover;
  // Transports of others do not send the modern era's headers, and stdio servers may die of an unknown first request.
  const mayProbe = pinned === undefined ? own?.kind === 'http' : isModern(pinned);
  if (!mayProbe || (memory.era === 'legacy' && pinned === undefined)) return undefined;

  if (own?.kind !== 'http') await startOnce(transport);
  let outcome = await probe(transport, peer, options);
  if (isWorthRepeating(outcome)) outcome = await probe(transport, peer, options);
  signal.throwIfAborted();
  const verdict = readProbe(outcome);
  if (verdict.kind === 'legacy' && pinned !== undefined) {
    const cause = 'error' in outcome ? outcome.error : undefined;
    throw new McpToolSetError(
      'protocol_error',
      `the server does not speak protocol ${MODERN_VERSION}, which \`protocol\` pins. Use 'auto'.`,
      { server, cause },
    );
  }
  memory.era = verdict.kind;
  if (verdict.kind === 'legacy') return undefined;
  memory.discover = verdict.discover;
  return verdict.discover;
}

async function probe(transport: Transport, peer: McpPeer, options: LinkOptions): Promise<ProbeOutcome> {
  const { server, headers } = options;
  const params = { _meta: envelope(options.clientInfo, options.capabilities ?? {}) };
  const scope = openScope({ parents: [options.signal], budget: options.probeBudget });
  const { signal } = scope;
  return options
    .wrap({ method: 'server/discover', server, params, signal, peer }, async (request) =>
      exchange(transport, 'server/discover', request.params, { ...contextOf(request, headers), signal }),
    )
    .then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    .finally(scope.release);
}

/** `initialize`, with the `request` middleware around it; its `_meta` is put on the message as it is sent. */
export async function legacyHandshake(client: Client, transport: Transport, peer: McpPeer, options: LinkOptions): Promise<void> {
  const { server, signal, headers, clientInfo, protocol, capabilities = {} } = options;
  const params = { protocolVersion: protocol === 'auto' ? undefined : protocol, capabilities, clientInfo };
  let ran = false;
  await options.wrap({ method: 'initialize', server, params, signal, peer }, async (request) => {
    if (ran)
      throw new McpToolSetError('config_invalid', 'a middleware called next() twice for the handshake, which can run only once.');
    ran = true;
    const send = transport.send.bind(transport);
    transport.send = (message, sendOptions) => send(withMeta(message, request.params._meta), sendOptions);
    try {
      const connecting = client.connect(transport, {
        prior: { kind: 'legacy' },
        signal,
        timeout: 2 ** 31 - 1,
        headers: carry({ ...contextOf(request, headers), signal }),
      });
      await abortable(connecting, signal);
    } catch (error) {
      throwIfOtherVersion(error, protocol === 'auto' ? SUPPORTED_PROTOCOL_VERSIONS : [protocol], server);
      const lost = (transport as Partial<OwnTransport>).failure;
      throw toFailure(error, { server, method: 'initialize', signal, lost });
    } finally {
      transport.send = send;
    }
    const version = client.getNegotiatedProtocolVersion();
    Object.assign(peer, { era: 'legacy' }, version !== undefined && { version });
    return { capabilities: client.getServerCapabilities(), serverInfo: client.getServerVersion() };
  });
}

/** The SDK says it in words alone. */
function throwIfOtherVersion(error: unknown, spoken: readonly string[], server: string): void {
  const [, theirs] = /protocol version is not supported: ?(.{0,40})/.exec(error instanceof Error ? error.message : '') ?? [];
  if (theirs === undefined) return;
  // Whatever is no date is the server's choice of words.
  const version = /^\d{4}-\d{2}-\d{2}$/.test(theirs) ? theirs : 'of another kind';
  const detail = `the server speaks protocol ${version}, and this client ${spoken.join(', ')}. Update whichever of them is older.`;
  throw new McpToolSetError('protocol_error', detail, { server, cause: error });
}

function withMeta(message: JSONRPCMessage, meta: unknown): JSONRPCMessage {
  if (meta === undefined || !('method' in message) || message.method !== 'initialize') return message;
  return { ...message, params: { ...message.params, _meta: meta } } as JSONRPCMessage;
}

function contextOf(request: McpRequest, headers: Headers | undefined): RequestContext {
  return { headers: mergeHeaders(headers, request.headers), peer: request.peer };
}

/** The SDK's client starts its transport itself; what was started for the probe must not be started again. */
async function startOnce(transport: Transport): Promise<void> {
  await transport.start();
  transport.start = async () => {};
}
