/** The record that the AI SDK takes as `tools`. */

import type { McpToolProvider, McpToolProviderOptions } from '../api.ts';
import { closedError } from '../connection/failure.ts';
import { DISPOSE, REPORT } from '../inspect.ts';
import { bindAiTool, createExecutor, describeFor, type McpToolSet } from '../tools/ai-tool.ts';
import type { ResultView } from '../tools/result.ts';
import { bindTypedTool, type ToolSchemas } from '../tools/typed.ts';
import type { CallToolResult, Principal, ToolCall, ToolDefinition } from '../types.ts';
import type { Prepared } from './prepared.ts';

export interface RecordOptions {
  readonly prepared: Prepared;
  /** The `call` chain and what is behind it. */
  readonly run: (call: ToolCall) => Promise<CallToolResult>;
  /** The definition as it is now. */
  readonly current: (
    tool: ToolDefinition,
    prepared: Pick<Prepared, 'offers'>,
    signal: AbortSignal | undefined,
  ) => ToolDefinition | Promise<ToolDefinition>;
  readonly principal: Principal | undefined;
  readonly mapResult: McpToolProviderOptions['mapResult'];
  readonly provider: McpToolProvider;
  readonly shown: ResultView;
  readonly schemas?: ToolSchemas | undefined;
}

const NONE: ToolSchemas = {};

/** A null-prototype, frozen record whose string keys are tools and nothing else. Disposing it ends the record alone. */
export function createRecord(options: RecordOptions): McpToolSet {
  const { prepared, run, current, principal, mapResult, provider, shown, schemas = NONE } = options;
  let ended = false;
  const execute = createExecutor(
    (call) => {
      if (ended) throw closedError();
      return run(call);
    },
    {
      principal,
      mapResult,
      shown,
      current: (tool, signal) => (ended ? tool : current(tool, prepared, signal)),
    },
  );
  const record = Object.create(null);
  const describe = describeFor(shown);
  for (const template of prepared.tools) {
    const { name } = template.definition;
    const typed = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    record[name] =
      typed === undefined ? bindAiTool(template, execute, describe) : bindTypedTool(template, execute, describe, typed);
  }
  record[REPORT] = Object.freeze({ servers: prepared.servers, notes: prepared.notes, provider });
  record[DISPOSE] = async () => {
    ended = true;
  };
  return Object.freeze(record);
}

/** The same record, owning its provider: disposing it closes the provider. */
export function ownProvider(tools: McpToolSet, provider: McpToolProvider): McpToolSet {
  const dispose = async (): Promise<void> => {
    await tools[DISPOSE]();
    await provider.close();
  };
  return Object.freeze(Object.assign(Object.create(null), tools, { [DISPOSE]: dispose }));
}
