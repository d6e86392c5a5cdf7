/** Requests, peers and failures in the words of the OpenTelemetry conventions for MCP. */

import type { Attributes } from '@opentelemetry/api';
import { McpToolSetError } from '../../errors.ts';
import type { McpPeer, McpRequest, McpResult } from '../../types.ts';
import { isFailed } from '../shared/failed.ts';
import { redactedText, withoutSecrets } from '../shared/redact.ts';

/** What a request is: of low cardinality, so fit for metrics as well. The server's key is the one name here that is ours. */
export function operationOf({ method, params, server }: McpRequest): Attributes {
  const attributes: Attributes = { 'mcp.method.name': method, 'mcp_tool_set.server': server };
  if (method === 'tools/call') {
    attributes['gen_ai.operation.name'] = 'execute_tool';
    if (typeof params.name === 'string') attributes['gen_ai.tool.name'] = params.name;
  } else if (method === 'prompts/get' && typeof params.name === 'string') {
    attributes['gen_ai.prompt.name'] = params.name;
  }
  return attributes;
}

/** The URI that a request is about; without user, query and fragment unless these are wanted, and then redacted. */
export function uriOf({ method, params }: McpRequest, whole: boolean): string | undefined {
  if (!method.startsWith('resources/') || typeof params.uri !== 'string') return undefined;
  return whole ? redactedText(params.uri) : withoutSecrets(params.uri);
}

/** Who answered; known once there was a connection. */
export function peerOf({ transport, address, port, version }: McpPeer): Attributes {
  const attributes: Attributes = {};
  if (version !== undefined) attributes['mcp.protocol.version'] = version;
  if (transport === 'stdio') attributes['network.transport'] = 'pipe';
  if (transport === 'http') {
    attributes['network.transport'] = 'tcp';
    attributes['network.protocol.name'] = 'http';
  }
  if (address !== undefined) attributes['server.address'] = address;
  if (port !== undefined) attributes['server.port'] = port;
  return attributes;
}

/** Ids are for spans alone: each is another time series in a metric. */
export function idsOf({ requestId, sessionId }: McpPeer, withSession: boolean): Attributes {
  const attributes: Attributes = {};
  if (requestId !== undefined) attributes['jsonrpc.request.id'] = String(requestId);
  if (withSession && sessionId !== undefined) attributes['mcp.session.id'] = sessionId;
  return attributes;
}

/** How a request failed. */
export interface Failure {
  readonly attributes: Attributes;
  /** For the span's status: fixed words, or a number of the server's. */
  readonly summary: string;
  /** The error's own text, which may quote arguments. */
  readonly said?: string | undefined;
}

const TOOL_ERROR: Failure = { attributes: { 'error.type': 'tool_error' }, summary: 'the tool reported an error' };

/** Of a result that is a failure all the same. */
export function failureIn(result: McpResult): Failure | undefined {
  return isFailed(result) ? TOOL_ERROR : undefined;
}

export function failureOf(error: unknown): Failure {
  if (!McpToolSetError.is(error)) {
    const type = nameOf(error);
    return { attributes: { 'error.type': type }, summary: type };
  }
  const { code, data } = error;
  if (typeof data.code !== 'number') return { attributes: { 'error.type': code }, summary: code };
  const number = String(data.code);
  return {
    attributes: { 'error.type': number, 'rpc.response.status_code': number },
    summary: `${code} (JSON-RPC ${number})`,
    said: saidBy(error),
  };
}

/** The numbers that JSON-RPC sets aside. Any other is the server's invention, and each would be another time series in a metric. */
const RESERVED = { from: -32_768, to: -32_000 } as const;

/** What of a failure is of low cardinality. */
export function countedOf({ attributes }: Failure): Attributes {
  const number = Number(attributes['rpc.response.status_code'] ?? RESERVED.from);
  const known = Number.isInteger(number) && number >= RESERVED.from && number <= RESERVED.to;
  return known ? attributes : { 'error.type': '_OTHER' };
}

/** The server's own words, where the SDK's error still has them. */
function saidBy({ cause, detail, data }: McpToolSetError): string {
  const { code, message } = (cause ?? {}) as { code?: unknown; message?: unknown };
  const said = code === data.code && typeof message === 'string' ? message.replace(/^MCP error -?\d+: /, '') : detail;
  return redactedText(said);
}

/** Only what looks like the name of a class: anybody may have written anything there. */
function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return /^[A-Z][A-Za-z]{0,50}Error$/.test(name) ? name : '_OTHER';
}
