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
 * Generated names that meet are told apart by a stable hash. A name of the `reserved` ones (the
 * resource and prompt tools) throws `name_conflict` too.
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
  const ours = new Map(reserved.map((tool) => [tool.name, tool]));
  for (const { server, originalName, wanted: name } of wanted) {
    const other = ours.get(name);
    if (other !== undefined) throw reservedName(other, { server, originalName });
  }
  const names = assignNames(wanted, [...ours.keys()]);
  const named = tools.map((tool, index) => renamedCopy(tool, { name: names[index] ?? tool.name }));
  return mapTool === undefined
    ? named
    : unique(
        named.map((tool) => mapped(mapTool(tool), tool)),
        reserved,
      );
}

/** As langchain4j has it: which of the two a model would get must not be a matter of chance. */
function reservedName({ name, kind }: ToolDefinition, { server, originalName }: Pick<ToolDefinition, 'server' | 'originalName'>) {
  const [option, which] = kind === 'prompt' ? ['prompts', 'prompt'] : ['resources', 'resource'];
  const detail = `the name "${name}" belongs to the ${which} tools, and a tool of this server would have it too. Give those other names (\`${option}: { listName, getName }\`), leave this one out (\`tools: { deny: [${JSON.stringify(originalName)}] }\`), or prefix names (\`toolName\`).`;
  return new McpToolSetError('name_conflict', detail, { server, tool: originalName });
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
