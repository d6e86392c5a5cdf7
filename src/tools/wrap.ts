/** Puts middleware around any AI SDK tools record: one's own tools, or another connector's. */

import { asSchema, type ToolSet } from 'ai';
import { McpToolSetError } from '../errors.ts';
import { compose } from '../lib/compose.ts';
import { isRecord } from '../lib/content/json.ts';
import { formatPath, invalid } from '../lib/issues.ts';
import type {
  CallToolResult,
  JsonSchema,
  McpMiddleware,
  Principal,
  ToolAnnotations,
  ToolCall,
  ToolDefinition,
} from '../types.ts';
import { toAiTool } from './ai-tool.ts';
import { type Foreign, wrapForeign } from './foreign-tool.ts';

export interface WrapToolSetOptions<T extends ToolSet> {
  readonly tools: T;
  /** The first listed is the outermost within a kind of hook. */
  readonly middleware: readonly McpMiddleware[];
  /** Hints of a tool, in place of those in its `metadata.annotations`. */
  readonly annotate?: ((name: string, tool: T[string]) => ToolAnnotations | undefined) | undefined;
  /** Tools whose `execute` returns an async iterable without being an async generator function. */
  readonly streaming?: readonly string[] | undefined;
  /** What middleware sees as the tools' server. Default `tools`. */
  readonly server?: string | undefined;
  /** Whose calls these are. */
  readonly principal?: Principal | undefined;
}

const HOOKS = ['list', 'call', 'request', 'connection', 'explain'] as const;
const OPTIONS = ['tools', 'middleware', 'annotate', 'streaming', 'server', 'principal'];

/**
 * The same record with middleware around every tool that has an `execute`: `list` hooks see the tools as definitions of kind `added`,
 * now; `call` hooks and then `request` hooks see each call, as one `tools/call` whose result carries the tool's own output as
 * `foreign`. Everything else about a tool stays as it is. A tool streams where its `execute` is an async generator function or
 * `streaming` names it. Tools without `execute`, and symbol keys, pass through.
 *
 * Throws `config_invalid` for wrong options and `name_conflict` when a `list` hook gives one name to two tools.
 *
 * @example
 * ```ts
 * const tools = await wrapToolSet({ tools: { weather }, middleware: [rateLimit({ limit: 10, interval: 1_000 })] });
 * ```
 */
export async function wrapToolSet<T extends ToolSet>(options: WrapToolSetOptions<T>): Promise<T> {
  checkOptions(options);
  const { tools, middleware } = options;
  const foreign = new Map<string, Foreign>();
  for (const [name, tool] of Object.entries(tools)) {
    if (typeof tool.execute === 'function') foreign.set(name, await present(name, tool, options));
  }
  const list = compose<readonly ToolDefinition[], readonly ToolDefinition[]>(
    middleware.map((entry) => entry.list),
    async (definitions) => definitions,
  );
  const listed = await list([...foreign.values()].map(({ definition }) => definition));

  const record: Record<string | symbol, unknown> = Object.create(null);
  for (const key of Reflect.ownKeys(tools)) {
    if (typeof key === 'symbol' || !foreign.has(key)) record[key] = tools[key as string];
    else for (const definition of listed) if (definition.originalName === key) add(record, definition, foreign.get(key), options);
  }
  for (const definition of listed) if (!foreign.has(definition.originalName)) add(record, definition, undefined, options);
  return record as T;
}

/** A tool as middleware sees it. */
async function present<T extends ToolSet>(
  name: string,
  tool: ToolSet[string],
  { annotate, streaming = [], server = 'tools' }: WrapToolSetOptions<T>,
): Promise<Foreign> {
  const metadata: Readonly<Record<string, unknown>> = tool.metadata ?? {};
  const title = tool.title ?? metadata.title;
  const annotations = annotate?.(name, tool as T[string]) ?? metadata.annotations;
  const schema = schemaOf(name, tool);
  const definition: ToolDefinition = {
    name,
    server,
    originalName: name,
    kind: 'added',
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof tool.description === 'string' ? { description: tool.description } : {}),
    inputSchema: (await schema.jsonSchema) as JsonSchema,
    ...(isRecord(annotations) ? { annotations: annotations as ToolAnnotations } : {}),
  };
  return {
    tool,
    definition: Object.freeze(definition),
    schema,
    streaming: streaming.includes(name) || isGenerator(tool.execute),
  };
}

function add<T extends ToolSet>(
  record: Record<string | symbol, unknown>,
  definition: ToolDefinition,
  foreign: Foreign | undefined,
  { middleware, principal }: WrapToolSetOptions<T>,
): void {
  const { name, originalName, run } = definition;
  if (Object.hasOwn(record, name)) {
    throw new McpToolSetError('name_conflict', `a middleware gave the name "${name}" to two tools. Let it give each its own.`);
  }
  if (foreign !== undefined) {
    record[name] = wrapForeign(foreign, definition, middleware, principal);
  } else if (run !== undefined) {
    const chain = compose<ToolCall, CallToolResult>(
      middleware.map(({ call }) => call),
      (call) => (call.tool.run ?? run)(call),
    );
    record[name] = toAiTool(definition, chain, { principal, current: (tool) => tool });
  } else {
    throw new McpToolSetError('config_invalid', `a middleware added the tool "${originalName}" without \`run\`. Give it one.`);
  }
}

function schemaOf(name: string, { inputSchema }: ToolSet[string]): Foreign['schema'] {
  try {
    return asSchema(inputSchema);
  } catch {
    const message = 'is no schema that the AI SDK takes. Give one of Zod, another Standard Schema, or jsonSchema().';
    throw invalid('The options of wrapToolSet()', [{ path: formatPath(['tools', name, 'inputSchema']), message }]);
  }
}

function isMiddleware(entry: unknown): boolean {
  return isRecord(entry) && HOOKS.every((hook) => entry[hook] === undefined || typeof entry[hook] === 'function');
}

function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

function checkOptions(options: unknown): void {
  const heading = 'The options of wrapToolSet()';
  if (!isRecord(options)) throw invalid(heading, [{ path: '', message: 'must be an object { tools, middleware }.' }]);
  const { tools, middleware, annotate, streaming, server, principal } = options;
  const issues = Object.keys(options)
    .filter((key) => !OPTIONS.includes(key))
    .map((key) => ({ path: formatPath([key]), message: `is not known here. Known are ${OPTIONS.join(', ')}.` }));
  const must = (path: string, ok: boolean, phrase: string): void => {
    if (!ok) issues.push({ path, message: `must be ${phrase}.` });
  };
  must('tools', isRecord(tools) && Object.values(tools).every(isRecord), 'a record of AI SDK tools');
  const hooked = Array.isArray(middleware) && middleware.every(isMiddleware);
  must(
    'middleware',
    hooked,
    `a list of middleware, such as [readOnly()], whose ${HOOKS.join(', ')} are functions where they are there`,
  );
  must('annotate', annotate === undefined || typeof annotate === 'function', 'a function (name, tool) => annotations');
  // `*` stands for what is ours, which policies let pass.
  must('server', server === undefined || (typeof server === 'string' && server !== '' && server !== '*'), 'a name, not "*"');
  const isSomebody = isRecord(principal) && typeof principal.id === 'string' && principal.id !== '';
  must('principal', principal === undefined || isSomebody, 'an object with an id that is a text');
  const names = isRecord(tools) ? Object.keys(tools) : [];
  const known = streaming === undefined || (Array.isArray(streaming) && streaming.every((name) => names.includes(name)));
  must('streaming', known, 'a list of names of the given tools');
  if (issues.length > 0) throw invalid(heading, issues);
}
