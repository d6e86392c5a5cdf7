/** Looks at a result by the tool's own `outputSchema`: what does not fit is told of, and never lost. */

import { isRecord } from '../lib/content/json.ts';
import type { CallToolResult, ToolDefinition } from '../types.ts';
import { checkOf } from './schema/validator.ts';

/** In a result's `_meta`, for the application: what was noticed of it. */
export const WARNINGS_KEY = 'mcp-tool-set/warnings';

/** One thing that was noticed. */
export interface ResultWarning {
  readonly kind: 'output_mismatch';
  /** Where, and what is wanted there; never what stood there. */
  readonly message: string;
}

/**
 * The warning that a result deserves: its `structuredContent` is missing, or does not fit. Nothing for a tool without `outputSchema`, for an
 * error, whose form is its own, and for a schema that nobody can use, which costs its own validation only.
 */
export function outputWarning({ outputSchema }: ToolDefinition, result: CallToolResult): ResultWarning | undefined {
  if (!isRecord(outputSchema) || result.isError === true) return undefined;
  const { structuredContent } = result;
  if (structuredContent === undefined) {
    return { kind: 'output_mismatch', message: 'structuredContent is missing, although the tool declares an outputSchema' };
  }
  const problem = checkOf(outputSchema)(structuredContent);
  return problem === undefined ? undefined : { kind: 'output_mismatch', message: `structuredContent: ${problem}` };
}

/** The result with a warning beside what its `_meta` holds. */
export function withWarning(result: CallToolResult, warning: ResultWarning): CallToolResult {
  const meta = isRecord(result._meta) ? result._meta : {};
  return { ...result, _meta: { ...meta, [WARNINGS_KEY]: [warning] } };
}
