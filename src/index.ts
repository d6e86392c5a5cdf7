/** The root entry: everything that runs anywhere. */

export type { McpToolProvider, McpToolProviderOptions, McpToolSetOptions, ToolsOptions } from './api.ts';
export { parseMcpConfig } from './config/parse.ts';
export { type McpErrorCode, type McpErrorDetails, McpToolSetError } from './errors.ts';
export { type ListMcpToolsOptions, listMcpTools, type McpToolListing } from './list-tools.ts';
export { createMcpToolProvider } from './provider.ts';
export { closeToolSet, inspectToolSet, type ToolSetInspection } from './record.ts';
export type { ResourceToolsOptions } from './resources/resource-tools.ts';
export { createMcpToolSet } from './tool-set.ts';
export type { McpTool, McpToolSet } from './tools/ai-tool.ts';
export { wrapToolSet } from './tools/wrap.ts';
export type * from './types.ts';
