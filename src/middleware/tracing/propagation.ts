/** Takes a trace over the border: what the configured propagators write goes into `_meta`, and into the headers of the same request. */

import { type Context, propagation } from '@opentelemetry/api';
import type { McpRequest } from '../../types.ts';

/** Wins over what is there already, which cannot know the span. The same request where nothing is propagated. */
export function withContext(request: McpRequest, context: Context, inHeaders: boolean): McpRequest {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  const entries = Object.entries(carrier);
  if (entries.length === 0) return request;
  const { params, headers } = request;
  const meta = typeof params._meta === 'object' && params._meta !== null ? params._meta : {};
  const carrying = { ...request, params: { ...params, _meta: { ...meta, ...carrier } } };
  return inHeaders ? { ...carrying, headers: { ...headers, ...Object.fromEntries(entries.filter(isHeader)) } } : carrying;
}

/** Baggage may hold anything; what HTTP does not allow must not cost the request. */
function isHeader([name, value]: [string, string]): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}
