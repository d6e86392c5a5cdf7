/** Opens a connection to a server behind a URL, over Streamable HTTP or, where the server only knows that, over HTTP+SSE. */

import { McpToolSetError } from '../errors.ts';
import { bindsIoToRequests } from '../lib/runtime.ts';
import type { FetchLike, HttpServer } from '../servers.ts';
import { HttpTransport } from '../transports/http.ts';
import { logged } from '../transports/http-log.ts';
import { LegacySseTransport, type LegacySseTransportOptions } from '../transports/legacy-sse.ts';
import { type Link, type LinkOptions, type Memory, openTransport } from './link.ts';

/** What both transports take from the connection, looked up at each use. */
export interface HttpSources {
  /** Absent: the global one. */
  fetch(): FetchLike | undefined;
  /** Headers of messages that belong to no request. */
  headers(): Headers;
}

/** What is remembered beside the era: that the last connection fell back, so that the next one does not ask in vain. */
export interface HttpMemory extends Memory {
  sse?: boolean | undefined;
}

export interface OpenHttpOptions extends LinkOptions {
  readonly memory: HttpMemory;
}

/**
 * `transport: 'auto'` tries Streamable HTTP first, and HTTP+SSE when the server does not know it. Leaves nothing running when it fails.
 * When the fallback fails as well, `cause` is what the first attempt failed with.
 */
export async function openHttp(config: HttpServer, options: OpenHttpOptions, sources: HttpSources): Promise<Link> {
  const { memory, server, signal } = options;
  const { transport: kind = 'auto', sessionId } = config;
  const shared = sharedOptions(config, options, sources);
  const http = (): Promise<Link> => openTransport(new HttpTransport({ ...shared, sessionId }), true, options);
  // The modern era does not know this transport, so nothing is asked about eras.
  const sse = (): Promise<Link> => openTransport(new LegacySseTransport(shared), true, { ...options, memory: { era: 'legacy' } });

  if (kind === 'http') return http();
  if (bindsIoToRequests()) {
    if (kind === 'sse') throw sseUnsupported(server);
    return http();
  }
  if (kind === 'sse') return sse();
  if (memory.sse) {
    try {
      return await sse();
    } catch (error) {
      memory.sse = undefined;
      if (signal.aborted || !mayFallBack(error)) throw error;
    }
  }
  try {
    return await http();
  } catch (first) {
    if (signal.aborted || !mayFallBack(first)) throw first;
    const link = await sse().catch((second) => {
      throw signal.aborted ? second : bothFailed(first, second);
    });
    memory.sse = true;
    return link;
  }
}

/**
 * Whether a server's refusal of the first message may mean that it only knows HTTP+SSE. Refused credentials and a server that is unwell
 * never do: there the fallback would hide what is wrong.
 */
export function mayFallBack(error: unknown): error is McpToolSetError {
  return McpToolSetError.is(error) && error.code === 'http_error' && [400, 404, 405].includes(Number(error.data.status));
}

/** A server that does not know the fallback either is told by its first answer, any other by what the fallback ran into. */
function bothFailed(first: McpToolSetError, second: unknown): unknown {
  if (!McpToolSetError.is(second)) return second;
  const knowsNeither = second.code === 'bad_response' || (second.code === 'http_error' && Number(second.data.status) < 500);
  const [told, other, name] = knowsNeither ? [first, second, 'HTTP+SSE'] : [second, first, 'Streamable HTTP'];
  const { code, server, data, detail } = told;
  const text = `${detail} ${name} was tried as well: ${other.detail}`;
  return new McpToolSetError(code, text, { server: server ?? first.server, data, cause: first });
}

function sharedOptions(config: HttpServer, { server, now }: LinkOptions, sources: HttpSources): LegacySseTransportOptions {
  const { url, redirect, maxResponseBytes, log } = config;
  const given: FetchLike = (target, init) => (sources.fetch() ?? fetch)(target, init);
  return {
    server,
    url: new URL(url),
    fetch: log === undefined ? given : logged(given, { server, now, log }),
    redirect,
    maxResponseBytes,
    headers: () => sources.headers(),
    now,
  };
}

function sseUnsupported(server: string): McpToolSetError {
  const detail =
    'the HTTP+SSE transport needs a stream that outlives a request, which this runtime does not allow. Use the Streamable HTTP address of the server.';
  return new McpToolSetError('runtime_unsupported', detail, { server });
}
