/** Tools whose inputs and outputs have types: the application gives a schema for each by name. */

import { jsonSchema, type Tool } from 'ai';
import { McpToolSetError } from '../errors.ts';
import { formatPath } from '../lib/issues.ts';
import type { CallToolResult } from '../types.ts';
import { type AiToolTemplate, bindAiTool, type DescribeOutput, type Executor, type McpTool } from './ai-tool.ts';
import { type Validation, validateFor } from './arguments/read.ts';

/** Any schema of https://standardschema.dev: of Zod 3.24 or later, Zod 4, Valibot, ArkType. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

export interface TypedTool {
  /** What the model's arguments must be, beside what the server demands. What it makes of them is what is sent. */
  readonly input: StandardSchema;
  /** What the result's `structuredContent` must be; text that is JSON stands in for one that is missing. Without it: any. */
  readonly output?: StandardSchema | undefined;
}

/** By name of the tool as it stands in the record. */
export type ToolSchemas = Readonly<Record<string, TypedTool>>;

type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : unknown;

/** The result of a typed tool. */
export type TypedResult<Schema> = CallToolResult & { readonly structuredContent: OutputOf<Schema> };

/**
 * A record of which only the named tools are known to the compiler: calls of every other tool are dynamic ones to it. A tool that no server
 * offers is not there all the same, and a warning says so.
 */
export type TypedToolSet<Schemas extends ToolSchemas> = {
  [Name in keyof Schemas & string]: Tool<
    OutputOf<Schemas[Name]['input']>,
    Schemas[Name]['output'] extends StandardSchema ? TypedResult<Schemas[Name]['output']> : CallToolResult
  >;
} & { [Symbol.asyncDispose](): Promise<void> };

/** The AI SDK tool of a named one. It is none of the dynamic kind, so that its calls have their types. */
export function bindTypedTool(template: AiToolTemplate, execute: Executor, describe: DescribeOutput, typed: TypedTool): McpTool {
  const { type: _dynamic, ...tool } = bindAiTool(template, executeTyped(execute, typed), describe);
  const { jsonSchema: schema } = template.inputSchema as ReturnType<typeof jsonSchema>;
  return { ...tool, inputSchema: jsonSchema(schema, { validate: validateTyped(template, typed) }) } as McpTool;
}

/** Lets the application's schema have the last word on the model's arguments. */
function validateTyped({ definition }: AiToolTemplate, { input }: TypedTool): (value: unknown) => Promise<Validation> {
  const validate = validateFor(definition);
  return async (value) => {
    const first = validate(value);
    if (!first.success) return first;
    const { server, originalName: tool } = definition;
    try {
      return {
        success: true,
        value: await parse(input, first.value, 'invalid_arguments', 'the arguments do not fit the schema in `schemas`'),
      };
    } catch (error) {
      return { success: false, error: McpToolSetError.is(error) ? error.at({ server, tool }) : (error as Error) };
    }
  };
}

/** Gives the structured content that the application's schema makes of it. Throws `bad_response` where it does not fit. */
function executeTyped(execute: Executor, { output }: TypedTool): Executor {
  if (output === undefined) return execute;
  return async (definition, input, options) => {
    const result = await execute(definition, input, options);
    const { server, originalName: tool } = definition;
    try {
      const problem = 'what it gave does not fit the schema in `schemas`';
      return { ...result, structuredContent: await parse(output, structuredOf(result), 'bad_response', problem) };
    } catch (error) {
      throw McpToolSetError.is(error) ? error.at({ server, tool }) : error;
    }
  };
}

/** Servers that came before structured content give JSON as text. */
function structuredOf({ structuredContent, content }: CallToolResult): unknown {
  const [only, ...more] = content;
  if (structuredContent !== undefined || only?.type !== 'text' || more.length > 0) return structuredContent;
  try {
    return JSON.parse(only.text);
  } catch {
    return only.text;
  }
}

/** The issues name places; what stood there is left to the schema's own messages. */
async function parse(
  schema: StandardSchema,
  value: unknown,
  code: 'invalid_arguments' | 'bad_response',
  problem: string,
): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const told = result.issues.slice(0, 5).map(({ path = [], message }) => {
    const place = formatPath(
      path
        .map((each) => (typeof each === 'object' ? each.key : each))
        .map((key) => (typeof key === 'number' ? key : String(key))),
    );
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new McpToolSetError(code, `${problem}: ${told.join('; ')}`);
}
