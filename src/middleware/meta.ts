/** Adds the application's own `_meta` to every request. */

import { McpToolSetError } from '../errors.ts';
import { abortable } from '../lib/abort.ts';
import type { McpMiddleware, McpRequest } from '../types.ts';
import { canonicalJson } from './shared/canonical.ts';
import { ended } from './shared/ended.ts';
import { refuseForeign } from './shared/foreign.ts';
import { checkOptions } from './shared/options.ts';

/** Keys and JSON values. Keys of one's own carry a prefix: `com.example/tenant`. */
export type RequestMeta = Readonly<Record<string, unknown>>;

/** What to add, or a function that is asked for each request. */
export type MetaSupplier = RequestMeta | ((request: McpRequest) => RequestMeta | undefined | Promise<RequestMeta | undefined>);

const OWN_KEYS: ReadonlySet<string> = new Set(['progressToken', 'traceparent', 'tracestate', 'baggage']);

/**
 * Merges what the supplier gives into `params._meta` of every request, handshake included. Keys of the framework win: those that are
 * there already, and those that only the protocol, this library and `tracing` may write (`io.modelcontextprotocol/*` and its kin,
 * `progressToken`, `traceparent`, `tracestate`, `baggage`) are never taken from a supplier.
 *
 * Hooks: `request`; its place among them matters only to other middleware that reads `_meta`. `list` refuses tools of `wrapToolSet()`,
 * to which no `_meta` goes, with `config_invalid`.
 *
 * An object with a key of the framework throws `config_invalid` at once. A function that fails costs the request, with `unavailable`.
 *
 * @example
 * ```ts
 * const tools = await createMcpToolSet({
 *   servers,
 *   middleware: [meta(({ principal }) => ({ 'com.example/tenant': principal?.id }))],
 * });
 * ```
 */
export function meta(supplier: MetaSupplier): McpMiddleware {
  if (typeof supplier !== 'function') check(supplier);

  return {
    name: 'meta',
    list: refuseForeign('meta', 'no `_meta` reaches it. Leave meta() out of this list.'),
    async request(request, next) {
      const given: unknown = typeof supplier === 'function' ? await ask(supplier, request) : supplier;
      const own = Object.entries(given ?? {}).filter(([key, value]) => !isReserved(key) && value !== undefined);
      if (own.length === 0) return next(request);
      const { params } = request;
      const present = isObject(params._meta) ? params._meta : {};
      return next({ ...request, params: { ...params, _meta: { ...Object.fromEntries(own), ...present } } });
    },
  };
}

async function ask(supplier: (request: McpRequest) => unknown, request: McpRequest): Promise<unknown> {
  const { server, signal, call } = request;
  const place = { server, tool: call?.tool.originalName };
  let given: unknown;
  try {
    given = supplier(request);
    if (given instanceof Promise) given = await abortable(given, signal);
  } catch (cause) {
    if (signal?.aborted) throw ended(request, 'while its `_meta` was made. Nothing was sent.');
    throw new McpToolSetError(
      'unavailable',
      'its `_meta` could not be made, so nothing was sent. Check the function of meta().',
      {
        ...place,
        cause,
      },
    );
  }
  if (given === undefined || given === null) return given;
  if (!isObject(given))
    throw new McpToolSetError('config_invalid', 'the function of meta() gave no object. Return one, or nothing.', place);
  const odd = Object.keys(given).find((key) => !isJson(given[key]));
  if (odd === undefined) return given;
  const detail = `what the function of meta() gave as ${JSON.stringify(odd)} is no JSON, so nothing was sent. Give texts, finite numbers, booleans, null, lists and plain objects.`;
  throw new McpToolSetError('config_invalid', detail, place);
}

function check(supplier: RequestMeta): void {
  const keys = isObject(supplier) ? Object.keys(supplier) : [];
  const reserved = { phrase: 'left out: only the framework writes it', test: () => false };
  checkOptions(
    'meta',
    supplier,
    Object.fromEntries(
      keys.map((key) => [
        key,
        isReserved(key)
          ? reserved
          : { phrase: 'JSON: texts, finite numbers, booleans, null, lists and plain objects', test: isJson },
      ]),
    ),
  );
}

/** An absent value is left out. */
function isJson(value: unknown): boolean {
  return value === undefined || canonicalJson(value) !== undefined;
}

/** The protocol keeps prefixes whose first or second label is one of its names, such as `io.modelcontextprotocol/` and `dev.mcp/`. */
function isReserved(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return OWN_KEYS.has(key);
  const labels = key.slice(0, slash).toLowerCase().split('.', 2);
  return labels.some((label) => label === 'modelcontextprotocol' || label === 'mcp');
}

function isObject(value: unknown): value is RequestMeta {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
