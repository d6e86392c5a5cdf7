/** Gives every tool the name that the model sees. */

import { McpToolSetError } from '../errors.ts';
import { isRecord, isWithinDepth } from '../lib/content/json.ts';
import type { ToolDefinition } from '../types.ts';
import { MAX_DEPTH, renamedCopy } from './definition.ts';
import { assignNames, safeName } from './names.ts';

export interface Renaming {
  readonly toolName?: 'prefixed' | 'original' | ((tool: ToolDefinition) => string) | undefined;
  readonly mapTool?: ((tool: ToolDefinition) => ToolDefinition) | undefined;
}

/**
 * Names by `toolName` or `mapTool`. The user's own names are made safe and must differ: two that are equal throw `name_conflict`.
 * Generated names that meet are told apart by a stable hash. `reserved` names (the resource and prompt tools) are never given away.
 */
export function nameTools(
  tools: readonly ToolDefinition[],
  renaming: Renaming,
  reserved: readonly ToolDefinition[],
): ToolDefinition[] {
  const { toolName = 'prefixed', mapTool } = renaming;
  if (typeof toolName === 'function')
    return unique(
      tools.map((tool) => ({ ...tool, name: chosenName(toolName(tool), tool) })),
      reserved,
    );
  const wanted = tools.map(({ server, originalName }) => ({
    server,
    originalName,
    wanted: toolName === 'original' ? originalName : `${server}_${originalName}`,
  }));
  const names = assignNames(
    wanted,
    reserved.map(({ name }) => name),
  );
  const named = tools.map((tool, index) => renamedCopy(tool, { name: names[index] ?? tool.name }));
  return mapTool === undefined
    ? named
    : unique(
        named.map((tool) => mapped(mapTool(tool), tool)),
        reserved,
      );
}

/** A mapper changes what the model sees, never which tool of which server is called. */
function mapped(result: ToolDefinition, { server, originalName, kind, offered }: ToolDefinition): ToolDefinition {
  if (typeof result !== 'object' || result === null) {
    throw new McpToolSetError('config_invalid', '`mapTool` returned no definition. Return the given one, or a changed copy.', {
      server,
      tool: originalName,
    });
  }
  const { inputSchema, description } = result;
  const fits =
    isRecord(inputSchema) && isWithinDepth(result, MAX_DEPTH) && (description === undefined || typeof description === 'string');
  if (!fits) {
    const detail =
      '`mapTool` returned a definition whose inputSchema is no object schema, whose description is no text, or that nests without end.';
    throw new McpToolSetError('config_invalid', detail, { server, tool: originalName });
  }
  return { ...result, name: chosenName(result.name, { server, originalName }), server, originalName, kind, offered };
}

function chosenName(name: unknown, { server, originalName }: Pick<ToolDefinition, 'server' | 'originalName'>): string {
  if (typeof name === 'string' && name !== '') return safeName(name);
  throw new McpToolSetError('config_invalid', 'the name that `toolName` or `mapTool` gave is not a text.', {
    server,
    tool: originalName,
  });
}

function unique(tools: ToolDefinition[], reserved: readonly ToolDefinition[]): ToolDefinition[] {
  const owners = new Map(reserved.map((tool) => [tool.name, tool]));
  for (const tool of tools) {
    const other = owners.get(tool.name);
    if (other !== undefined) {
      const both = [other, tool].map(
        ({ server, originalName, kind }) => `"${originalName}" of ${server === '*' ? `the ${kind} tools` : `"${server}"`}`,
      );
      throw new McpToolSetError(
        'name_conflict',
        `the name "${tool.name}" was given to ${both.join(' and ')}. Let the mapper tell them apart, for example by \`tool.server\`.`,
      );
    }
    owners.set(tool.name, tool);
  }
  return tools;
}
