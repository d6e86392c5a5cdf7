/**
 * The names of the OpenTelemetry conventions for MCP clients, copied from their tables: open-telemetry/semantic-conventions-genai,
 * docs/gen-ai/mcp.md, at commit 0393513c908bf895e7b3ec480a2c1eb073c584af (status Development).
 */

/** Span `mcp.client`. */
export const SPAN_ATTRIBUTES: readonly string[] = [
  'mcp.method.name',
  'error.type',
  'gen_ai.prompt.name',
  'gen_ai.tool.name',
  'jsonrpc.request.id',
  'mcp.resource.uri',
  'rpc.response.status_code',
  'gen_ai.operation.name',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'mcp.session.id',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
  'server.address',
  'server.port',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
];

/** Metric `mcp.client.operation.duration`, without its opt-in `mcp.resource.uri`. */
export const OPERATION_ATTRIBUTES: readonly string[] = [
  'mcp.method.name',
  'error.type',
  'gen_ai.prompt.name',
  'gen_ai.tool.name',
  'rpc.response.status_code',
  'gen_ai.operation.name',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
  'server.address',
  'server.port',
];

/** Metric `mcp.client.session.duration`. */
export const SESSION_ATTRIBUTES: readonly string[] = [
  'error.type',
  'jsonrpc.protocol.version',
  'mcp.protocol.version',
  'network.protocol.name',
  'network.protocol.version',
  'network.transport',
  'server.address',
  'server.port',
];

/** Of both metrics, in seconds. */
export const BUCKETS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Those of this library, as its documentation names them. */
export const OWN_ATTRIBUTES: readonly string[] = ['mcp_tool_set.server', 'mcp_tool_set.tool'];
