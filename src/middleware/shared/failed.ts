/** Whether a result says that its tool failed. */

/** Another connector's tools give MCP's result as their output, which `wrapToolSet` carries as `foreign`. */
export function isFailed(result: unknown): boolean {
  const { isError, foreign } = (result ?? {}) as { readonly isError?: unknown; readonly foreign?: unknown };
  if (isError === true) return true;
  const { isError: theirs, content } = (foreign ?? {}) as { readonly isError?: unknown; readonly content?: unknown };
  return theirs === true && Array.isArray(content);
}
