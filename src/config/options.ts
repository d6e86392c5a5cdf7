/** Checks the options of a tool set: every mistake is told at once, with its place and how to mend it. */

import * as z from 'zod/mini';
import { describe, type Issue, invalid } from '../lib/issues.ts';
import { check, strict, that } from './check.ts';
import { checkMiddleware } from './middleware.ts';
import { checkHeaders, checkServers } from './servers.ts';
import { callable, duration, isObject, protocol, timeouts } from './settings.ts';

const anything = z.optional(z.unknown());
const text = z.string();
export const record: z.ZodMiniType = that('an object', isObject);
export const filled: z.ZodMiniType = that('a string that is not empty', (value) => typeof value === 'string' && value !== '');
const toolName = that(
  'a tool name: a letter or underscore, then up to 63 letters, digits, underscores or dashes',
  (value) => typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(value),
);

const count = that('a whole number of 1 or more', (value) => Number.isSafeInteger(value) && Number(value) >= 1);

export const resourceTools: z.ZodMiniType = strict({
  listName: z.optional(toolName),
  listDescription: z.optional(text),
  getName: z.optional(toolName),
  getDescription: z.optional(text),
  serverDescription: z.optional(text),
  uriDescription: z.optional(text),
  format: z.optional(z.enum(['json', 'lines'])),
  pageTokens: z.optional(count),
  maxTokens: z.optional(count),
  maxMediaBytes: z.optional(duration),
  cacheBytes: z.optional(duration),
  strict: z.optional(z.boolean()),
  filter: z.optional(callable),
  presenter: z.optional(
    that(
      'an object with the functions `list` and `get`',
      (value) => isObject(value) && typeof value.list === 'function' && typeof value.get === 'function',
    ),
  ),
});

const promptTools = strict({
  listName: z.optional(toolName),
  listDescription: z.optional(text),
  getName: z.optional(toolName),
  getDescription: z.optional(text),
  listServerDescription: z.optional(text),
  serverDescription: z.optional(text),
  nameDescription: z.optional(text),
  argumentsDescription: z.optional(text),
});

const clientInfo = strict({
  name: filled,
  version: filled,
  title: z.optional(text),
  description: z.optional(text),
  websiteUrl: z.optional(text),
  icons: z.optional(z.array(z.unknown())),
});

export const handlers: z.ZodMiniType = z.optional(
  strict({
    elicitation: z.optional(callable),
    sampling: z.optional(callable),
    roots: z.optional(callable),
    log: z.optional(callable),
    progress: z.optional(callable),
  }),
);
const healthCheck = strict({
  interval: that(
    'a number of milliseconds above 0, at most 2147483647',
    (value) => typeof value === 'number' && value > 0 && value <= 2_147_483_647,
  ),
});

const filter = z.optional(z.union([callable, z.array(callable)]));
export const principal: z.ZodMiniType = z.optional(
  strict({ id: filled, headers: z.optional(record), attributes: z.optional(record) }),
);
export const signal: z.ZodMiniType = z.optional(that('an AbortSignal', isSignal));

export const media: z.ZodMiniType = z.optional(
  that(
    '"auto", false, a list of media types such as "image/png" or "image/*", or a language model',
    (value) =>
      value === 'auto' ||
      value === false ||
      (Array.isArray(value) ? value.every(isMediaPattern) : isObject(value) && typeof value.provider === 'string'),
  ),
);
export const structured: z.ZodMiniType = z.optional(z.enum(['auto', 'structured', 'content', 'both']));

const standardSchema = that('a Standard Schema, such as one of Zod, Valibot or ArkType', (value) => isStandardSchema(value));
const toolSchemas = z.optional(z.record(z.string(), strict({ input: standardSchema, output: z.optional(standardSchema) })));

const provider = {
  servers: anything,
  filter,
  toolName: z.optional(z.union([z.enum(['prefixed', 'original']), callable])),
  mapTool: z.optional(callable),
  schema: z.optional(z.enum(['auto', 'openai', 'anthropic', 'google', 'as-is'])),
  media,
  structured,
  invisible: z.optional(z.enum(['auto', 'strip', 'keep'])),
  maxDescriptionLength: z.optional(
    that('a whole number of 16 or more', (value) => Number.isSafeInteger(value) && Number(value) >= 16),
  ),
  resources: z.optional(z.union([z.boolean(), resourceTools])),
  prompts: z.optional(z.union([z.boolean(), promptTools])),
  middleware: anything,
  onServerError: z.optional(z.enum(['skip', 'throw'])),
  onWarning: z.optional(z.union([z.literal(false), callable])),
  principal,
  timeouts: z.optional(timeouts),
  timeoutMessage: z.optional(text),
  protocol: z.optional(protocol),
  clientInfo: z.optional(clientInfo),
  fetch: z.optional(callable),
  now: z.optional(callable),
  listTtl: z.optional(duration),
  mapResult: z.optional(callable),
  handlers,
  snapshot: z.optional(that('what provider.snapshot() gave', (value) => isObject(value) && isObject(value.servers))),
  singleton: z.optional(filled),
  healthCheck: z.optional(z.union([z.literal(false), healthCheck])),
  waitUntil: z.optional(callable),
};

type Caller = 'createMcpToolSet' | 'createMcpToolProvider' | 'listMcpTools';

const schemas: Readonly<Record<Caller, ReturnType<typeof strict>>> = {
  createMcpToolProvider: strict(provider),
  createMcpToolSet: strict({ ...provider, signal, schemas: toolSchemas }),
  listMcpTools: strict({ servers: anything, signal, timeouts: z.optional(timeouts), principal, fetch: z.optional(callable) }),
};

const request = strict({
  principal,
  servers: z.optional(z.array(text)),
  filter,
  middleware: anything,
  handlers,
  media,
  structured,
  signal,
  schemas: toolSchemas,
});

export interface CheckOptions {
  /** Whether `servers` may have no server yet. Default false. */
  readonly allowEmpty?: boolean | undefined;
  /** Whose options these are. Default `createMcpToolSet`. */
  readonly caller?: Caller | undefined;
}

/**
 * Throws one `config_invalid` error that lists everything wrong with the options; `data.issues` has the same as
 * `{ path, message }[]`. No message holds a value. Nothing is connected or called.
 *
 * @example
 * ```ts
 * checkToolSetOptions({ server: {} }); // … server: is not known here. Did you mean "servers"?
 * ```
 */
export function checkToolSetOptions(
  options: unknown,
  { allowEmpty = false, caller = 'createMcpToolSet' }: CheckOptions = {},
): void {
  const issues: Issue[] = [];
  if (isObject(options)) {
    check(schemas[caller], options, [], issues);
    checkServers(options.servers, ['servers'], issues, allowEmpty);
    checkShared(options, issues);
  } else
    issues.push({ path: '', message: `It takes one object of options, { servers: … }; what it got is ${describe(options)}.` });
  if (issues.length > 0) throw invalid(`The options of ${caller}() are not valid`, issues);
}

/** The same for the options of one `provider.tools()`: a misspelled `principal` must not go by as nobody's. */
export function checkRequestOptions(options: unknown): void {
  const issues: Issue[] = [];
  check(request, options, [], issues);
  if (isObject(options)) checkShared(options, issues);
  if (issues.length > 0) throw invalid('The options of provider.tools() are not valid', issues);
}

function checkShared(options: Readonly<Record<string, unknown>>, issues: Issue[]): void {
  checkMiddleware(options.middleware, ['middleware'], issues);
  if (options.toolName !== undefined && options.mapTool !== undefined) {
    issues.push({ path: 'toolName', message: 'cannot stand beside mapTool: both decide on names. Keep one of them.' });
  }
  const { principal, resources, prompts } = options;
  if (isObject(principal) && isObject(principal.headers)) checkHeaders(principal.headers, ['principal', 'headers'], issues);
  if (isObject(resources)) checkPair(resources, issues);
  if (prompts === true || isObject(prompts)) {
    const { listName = 'list_prompts', getName = 'get_prompt' } = isObject(prompts) ? prompts : {};
    const taken = resources === false ? [] : pairNames(isObject(resources) ? resources : {});
    if (listName === getName)
      issues.push({ path: 'prompts', message: 'gives both tools one name; listName and getName must differ.' });
    if (taken.includes(listName) || taken.includes(getName))
      issues.push({ path: 'prompts', message: 'gives a tool the name of a resource tool; each must have its own.' });
  }
}

/** Both tools must have names of their own. */
export function checkPair(resources: Readonly<Record<string, unknown>>, issues: Issue[]): void {
  const [list, get] = pairNames(resources);
  if (list !== get) return;
  issues.push({ path: 'resources', message: 'gives both tools one name; listName and getName must differ.' });
}

function pairNames({ listName, getName, format }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const [list, get] = format === 'lines' ? ['list_mcp_resources', 'read_mcp_resource'] : ['list_resources', 'get_resource'];
  return [listName ?? list, getName ?? get];
}

function isMediaPattern(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z]+\/(?:\*|[a-z0-9.+_-]+)$/i.test(value);
}

/** ArkType's are functions. */
function isStandardSchema(value: unknown): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const { '~standard': standard } = value as { '~standard'?: { validate?: unknown } };
  return typeof standard?.validate === 'function';
}

function isSignal(value: unknown): boolean {
  return isObject(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function';
}
