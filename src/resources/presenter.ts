/** Other tools in the place of `list_resources` and `get_resource`. */

import type { CallToolResult, JsonSchema, ResourceContents, ToolAnnotations, ToolCall } from '../types.ts';
import type { ResourceRow } from './row.ts';

/** Makes the two tools; each may hand on to the default one. As langchain4j's McpResourcesAsToolsPresenter. */
export interface ResourcesPresenter {
  /** The tool that finds. */
  list(context: PresenterContext): PresentedTool;
  /** The tool that reads. */
  get(context: PresenterContext): PresentedTool;
}

export interface PresentedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  /** Default: read-only. */
  readonly annotations?: ToolAnnotations | undefined;
  run(call: ToolCall): Promise<CallToolResult>;
}

export interface PresenterContext {
  /** The tool that it takes the place of. */
  readonly standard: PresentedTool;
  /** The servers with resources, at the time of the call. */
  servers(): readonly string[];
  /** Everything that one server offers, resources and then templates. Throws what the server's failure is. */
  rows(server: string, call: ToolCall): Promise<readonly ResourceRow[]>;
  /** Reads one resource of one server, whatever is listed. */
  read(server: string, uri: string, call: ToolCall): Promise<readonly ResourceContents[]>;
}
