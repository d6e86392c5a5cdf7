/** What a server may ask of the application, and how the user's handlers answer it. */

import { McpToolSetError } from '../errors.ts';
import type { ElicitationResult, HandlerContext, McpHandlers, QuestionOwner } from '../handlers.ts';
import { abortable } from '../lib/abort.ts';
import type { JsonSchema, McpResult, ProtocolEra } from '../types.ts';

export const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** What the specification's own example says when a user refuses. */
const REFUSED = -1;

/** What the client says it can do. */
export type Capabilities = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One question as it came. */
export interface Question {
  readonly method: string;
  readonly params?: unknown;
}

/** What a server is told of these handlers. */
export function announced(handlers: McpHandlers | undefined, era: ProtocolEra = 'legacy'): Capabilities {
  return {
    // Empty stands for forms alone; a handler that knows no other kind must not be asked to open addresses.
    ...(handlers?.elicitation && { elicitation: {} }),
    ...(handlers?.sampling && { sampling: {} }),
    ...(handlers?.roots && { roots: era === 'legacy' ? { listChanged: true } : {} }),
  };
}

/** The handler that a method belongs to. */
export function handlerName(method: string): 'elicitation' | 'sampling' | 'roots' | undefined {
  return NAMES.get(method);
}

const NAMES: ReadonlyMap<string, 'elicitation' | 'sampling' | 'roots'> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

export function canAsk(method: string, handlers: McpHandlers | undefined): boolean {
  const name = NAMES.get(method);
  return name !== undefined && handlers?.[name] !== undefined;
}

/** What a handler is told; the signal is the question's own. */
export function contextFor(server: string, owner: QuestionOwner | undefined, signal: AbortSignal): HandlerContext {
  return { server, principal: owner?.principal, call: owner?.call, signal };
}

/**
 * Asks the handler. Rejects with the signal's reason as soon as it aborts, and otherwise with an error that the server may read: its
 * `detail` is the message, `data.code` the JSON-RPC code. What the handler threw is the cause.
 */
export async function ask(question: Question, handlers: McpHandlers | undefined, context: HandlerContext): Promise<McpResult> {
  const { method } = question;
  const request = isObject(question.params) ? question.params : {};
  const name = handlerName(method);
  const handler = name && handlers?.[name];
  if (name === undefined || handler === undefined) throw unanswered(METHOD_NOT_FOUND, `the client does not answer ${method}.`);
  const refused = refusalOf(name, request);
  if (refused !== undefined) throw unanswered(INVALID_PARAMS, refused);
  let answer: unknown;
  try {
    const asked = Promise.resolve().then(() => handler(request as never, context));
    answer = await abortable<unknown>(asked, context.signal);
  } catch (cause) {
    if (context.signal.aborted) throw cause;
    throw unanswered(INTERNAL_ERROR, `${method} was not answered: the client's ${name} handler failed.`, cause);
  }
  const result = READERS[name](answer, request);
  if (result !== undefined) return result;
  throw unanswered(INTERNAL_ERROR, `${method} was not answered: the client's ${name} handler gave no ${ANSWERS[name]}.`);
}

/** What is answered where nobody can be asked: nobody said yes. Throws as `ask` does. */
export function decline(method: string, why: string): McpResult {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw unanswered(REFUSED, `${method} was refused: ${why}.`);
}

/** The reply's `error` for what `ask` and `decline` throw. */
export function errorFor(error: unknown): { code: number; message: string } {
  if (!McpToolSetError.is(error)) return { code: INTERNAL_ERROR, message: 'The client could not answer.' };
  const { code } = error.data;
  return { code: typeof code === 'number' ? code : INTERNAL_ERROR, message: error.detail };
}

export function unanswered(code: number, detail: string, cause?: unknown): McpToolSetError {
  return new McpToolSetError('protocol_error', detail, { cause, data: { code } });
}

/** What was not announced is not passed on: the handler would take it for something else. */
function refusalOf(name: string, request: McpResult): string | undefined {
  if (name === 'elicitation' && (request.mode ?? 'form') !== 'form') return 'the client supports elicitation in forms only.';
  if (name === 'sampling' && (request.tools !== undefined || request.toolChoice !== undefined))
    return 'the client does not support sampling with tools.';
  return undefined;
}

const ANSWERS = { elicitation: 'action', sampling: 'message', roots: 'list of roots' } as const;

const READERS = {
  elicitation(answer: unknown, request: McpResult): McpResult | undefined {
    if (!isObject(answer) || !['accept', 'decline', 'cancel'].includes(answer.action as string)) return undefined;
    const { action, content, ...rest } = answer as ElicitationResult;
    return action === 'accept' ? { ...rest, action, content: { ...defaults(request), ...content } } : { ...rest, action };
  },
  sampling: (answer: unknown): McpResult | undefined =>
    isObject(answer) && isObject(answer.content) ? { role: 'assistant', ...answer } : undefined,
  roots: (answer: unknown): McpResult | undefined => (Array.isArray(answer) ? { roots: answer } : undefined),
} as const;

/** The values of a form's fields that the user left alone. */
function defaults({ requestedSchema }: McpResult): Record<string, unknown> {
  const { properties } = (requestedSchema ?? {}) as JsonSchema;
  const fields = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    fields.flatMap(([key, field]) => (isObject(field) && field.default !== undefined ? [[key, field.default]] : [])),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
