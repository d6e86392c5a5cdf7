/** URI templates (RFC 6570): which URIs are of one, and the URI that its variables make. */

// @ts-expect-error: the package brings no types; what is used of it stands below.
import { Router } from 'uri-template-router';

type Value = string | readonly string[] | Readonly<Record<string, string>>;

interface TemplateRouter {
  /** Throws for a template that is none. `gen` is RFC 6570's expansion. */
  addTemplate(template: string, options: object, value: unknown): { gen(variables: Readonly<Record<string, unknown>>): string };
  resolveURI(uri: string): { readonly params: Readonly<Record<string, Value>> } | undefined;
}

export interface UriTemplate {
  /** Names of the variables, in order. */
  readonly variables: readonly string[];
  /** What stands before the first variable. */
  readonly prefix: string;
  /** Those without which there is no URI; a query's may be left out. */
  readonly required: readonly string[];
  /** The variables of a URI that is one of the template's. A template that cannot be read to the end takes whatever begins as it does. */
  match(uri: string): Readonly<Record<string, Value>> | undefined;
  /** `undefined` where the template cannot be read. */
  expand(variables: Readonly<Record<string, unknown>>): string | undefined;
}

/** A matcher grows with the variables, and a server may send any number of them. */
const MAX_VARIABLES = 8;
const MAX_LENGTH = 500;
const MAX_KEPT = 500;
/** Longest URI that is matched; a longer one is taken by its beginning. */
const MAX_URI = 8_000;

/** Templates that were read; a Map iterates in insertion order, so the first is the oldest. */
const known = new Map<string, UriTemplate>();

export function readTemplate(text: string): UriTemplate {
  const before = known.get(text);
  if (before !== undefined) return before;
  const template = createTemplate(text);
  known.set(text, template);
  const [oldest] = known.keys();
  if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
  return template;
}

/** What of a template or URI stands in braces still. */
export function bracesIn(uri: string): readonly string[] {
  return [...uri.matchAll(/\{[^{}]*\}/g)].map(([expression]) => expression);
}

function createTemplate(text: string): UriTemplate {
  const expressions = bracesIn(text).map((expression) => expression.slice(1, -1));
  const named = expressions.map((expression) => ({ expression, names: namesIn(expression) }));
  const variables = [...new Set(named.flatMap(({ names }) => names))];
  const optional = new Set(named.flatMap(({ expression, names }) => (/^[?&#]/.test(expression) ? names : [])));
  const prefix = text.slice(0, Math.max(0, text.indexOf('{')));
  // A mapping under names of its own may be any query, which the matcher cannot tell from another.
  const isOpen = expressions.some((expression) => /^[?&;].*\*/.test(expression));
  let route:
    | { readonly router: TemplateRouter; readonly route: ReturnType<TemplateRouter['addTemplate']> }
    | undefined
    | 'unread' = 'unread';

  function read(): typeof route {
    if (variables.length > MAX_VARIABLES || text.length > MAX_LENGTH) return undefined;
    try {
      const router: TemplateRouter = new Router();
      return { router, route: router.addTemplate(text, {}, text) };
    } catch {
      return undefined;
    }
  }

  function matcher(): Exclude<typeof route, 'unread'> {
    if (route === 'unread') route = read();
    return route === 'unread' ? undefined : route;
  }

  return {
    variables,
    prefix,
    required: variables.filter((name) => !optional.has(name)),
    match(uri) {
      if (!uri.startsWith(prefix) || uri.length === 0) return undefined;
      const found = matcher();
      if (found === undefined || isOpen || uri.length > MAX_URI) return {};
      try {
        return found.router.resolveURI(uri)?.params;
      } catch {
        // It matched, and holds bytes that are no UTF-8.
        return {};
      }
    },
    expand(values) {
      try {
        return matcher()?.route.gen(values);
      } catch {
        return undefined;
      }
    },
  };
}

function namesIn(expression: string): readonly string[] {
  return expression
    .replace(/^[+#./;?&=,!@|]/, '')
    .split(',')
    .map((name) => name.replace(/(?:\*|:\d+)$/, '').trim())
    .filter((name) => name !== '');
}
