/** The root entry: everything that runs anywhere. */

export type {
  CallToolOptions,
  InstructionsOptions,
  McpToolProvider,
  McpToolProviderOptions,
  McpToolSetOptions,
  ProviderSnapshot,
  ServerSnapshot,
  StatusOptions,
  ToolsOptions,
} from './api.ts';
export type { CommandServer, ParsedServer } from './config/entry.ts';
export { type McpConfig, type ParseMcpConfigOptions, parseMcpConfig } from './config/parse.ts';
export { type McpErrorCode, type McpErrorDetails, McpToolSetError } from './errors.ts';
export type { McpEventName, McpEvents } from './events.ts';
export type {
  ElicitationRequest,
  ElicitationResult,
  HandlerContext,
  LogMessage,
  McpHandlers,
  ProgressUpdate,
  Root,
  SamplingMessage,
  SamplingRequest,
  SamplingResult,
} from './handlers.ts';
export { historyTools, type StoredMessage } from './history-tools.ts';
export { closeToolSet, inspectToolSet, type ToolSetInspection } from './inspect.ts';
export type { InvisibleChoice } from './lib/content/invisible.ts';
export { type MessagePart, toParts } from './lib/content/message-parts.ts';
export type { MediaChoice, MediaTypePattern, ModelWithProvider, StructuredChoice } from './lib/content/view.ts';
export { type ListMcpToolsOptions, listMcpTools, type McpToolListing } from './list-tools.ts';
export { type McpApprovalRequest, type McpApprovalStatus, mcpApproval } from './middleware/mcp-approval.ts';
export type { ApprovalPolicy } from './middleware/shared/approval-policy.ts';
export type { McpPrompts, PromptCompleteOptions, PromptGetOptions, PromptListOptions } from './prompts/api.ts';
export type { PromptValues } from './prompts/arguments.ts';
export type { PromptToolsOptions } from './prompts/prompt-tools.ts';
export type { PromptArgument, PromptRow } from './prompts/rows.ts';
export { createMcpToolProvider } from './provider.ts';
export type { LiveStatus, McpWarning, ServerState, ServerStatus, ToolNote, ToolSetReport } from './report.ts';
export { type ResourceToolsSettings, resourceTools } from './resource-tools.ts';
export type {
  ProviderResources,
  ResourceListOptions,
  ResourceReadOptions,
  ResourceSubscribeOptions,
  ResourceUpdate,
} from './resources/api.ts';
export type { ResourceToolsOptions } from './resources/options.ts';
export type { PresentedTool, PresenterContext, ResourcesPresenter } from './resources/presenter.ts';
export type { ResourceRow } from './resources/row.ts';
export type {
  ClientLike,
  ClientServer,
  FetchLike,
  HeaderContext,
  HeadersInput,
  HttpLogEntry,
  HttpServer,
  ServerConfig,
  ServerSettings,
  Timeouts,
  TransportLike,
  TransportServer,
} from './servers.ts';
export { createMcpToolSet } from './tool-set.ts';
export type { McpTool, McpToolSet } from './tools/ai-tool.ts';
export type { ResultWarning } from './tools/output-schema.ts';
export type { SchemaProfile } from './tools/schema/model.ts';
export type { StandardSchema, ToolSchemas, TypedResult, TypedTool, TypedToolSet } from './tools/typed.ts';
export { type WrapToolSetOptions, wrapToolSet } from './tools/wrap.ts';
export type {
  AiToolSettings,
  BlobResourceContents,
  CallToolResult,
  ContentBlock,
  InputChange,
  JsonSchema,
  McpConnection,
  McpMiddleware,
  McpPeer,
  McpRequest,
  McpResult,
  OfferedTool,
  Principal,
  ProtocolEra,
  ResourceContents,
  SendRequest,
  TextResourceContents,
  ToolAnnotations,
  ToolCall,
  ToolDefinition,
  ToolFilter,
  Wrap,
} from './types.ts';
