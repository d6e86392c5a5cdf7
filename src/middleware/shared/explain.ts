/** A middleware that can say why it hides a tool. */

import type { McpMiddleware, ToolDefinition } from '../../types.ts';

export interface ExplainingMiddleware extends McpMiddleware {
  /** Why this tool is hidden and refused, for the report; nothing when it is not. Of a tool that its `list` hook has seen. */
  explain(tool: ToolDefinition): string | undefined;
}
