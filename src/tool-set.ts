/** `createMcpToolSet()`: a provider and its record in one, for scripts and agents. */

import type { McpToolSetOptions, ToolsOptions } from './api.ts';
import { checkToolSetOptions } from './config/options.ts';
import { ownProvider } from './provider/record.ts';
import { createMcpToolProvider } from './provider.ts';
import type { McpToolSet } from './tools/ai-tool.ts';
import type { ToolSchemas, TypedToolSet } from './tools/typed.ts';

/**
 * Connects every server in parallel and returns one AI SDK tools record: every tool of every server under its prefixed name, and
 * the resource tools. A server that fails is left out and reported, unless it is required.
 *
 * Throws `config_invalid` for options that are wrong, `name_conflict`, `aborted`, and a required server's own error. When it throws,
 * nothing is left running.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers: {
 *     docs: { url: 'https://docs.example.com/mcp' },
 *     files: stdio({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] }),
 *   },
 *   middleware: [readOnly()],
 * });
 * const { text } = await generateText({ model, tools, stopWhen: isStepCount(8), prompt: 'What changed this week?' });
 * await closeToolSet(tools);
 * ```
 */
export async function createMcpToolSet<const Schemas extends ToolSchemas>(
  options: McpToolSetOptions & { readonly schemas: Schemas },
): Promise<TypedToolSet<Schemas>>;
export async function createMcpToolSet(options: McpToolSetOptions): Promise<McpToolSet>;
export async function createMcpToolSet(options: McpToolSetOptions): Promise<unknown> {
  checkToolSetOptions(options, { allowEmpty: false });
  const { signal, schemas, ...rest } = options;
  const provider = createMcpToolProvider(rest);
  try {
    return ownProvider(await provider.tools({ signal, ...(schemas && { schemas }) } as ToolsOptions), provider);
  } catch (error) {
    await provider.close();
    throw error;
  }
}
