/** The modern era's way of asking back: a result that wants input, and the same request once more with it. */

import { McpToolSetError } from '../errors.ts';
import type { QuestionOwner } from '../handlers.ts';
import { openScope, sleep } from '../lib/abort.ts';
import type { McpResult } from '../types.ts';
import { ask, canAsk, contextFor, handlerName, isObject, type Question } from './questions.ts';

/** How often one request may want input. */
const MAX_ROUNDS = 10;
/** Milliseconds before a request that wants nothing but time is repeated. */
const PAUSE = 250;

export interface RoundOptions {
  readonly server: string;
  readonly method: string;
  readonly owner: QuestionOwner | undefined;
  readonly signal: AbortSignal;
  /** Sends the request with these params; resolves with the result as it came. */
  send(params: object): Promise<McpResult>;
  /** A round has begun or ended: the server is not silent. */
  renew(): void;
}

/** Repeats a request until its result is complete. Each answer goes only to the request that asked. */
export async function runRounds(params: object, options: RoundOptions): Promise<McpResult> {
  const { method, signal, send, renew } = options;
  let sent = params;
  for (let round = 0; ; round++) {
    const { resultType = 'complete', ...result } = await send(sent);
    if (resultType === 'complete') return result;
    if (resultType !== 'input_required') throw unreadable(method, `of the unknown type ${JSON.stringify(resultType)}`);
    const { inputRequests, requestState } = result;
    const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    if (questions.length === 0 && requestState === undefined) throw unreadable(method, 'that wants input and does not say which');
    if (round === MAX_ROUNDS) {
      const detail = `${method} still wanted input after ${MAX_ROUNDS} rounds, so it was given up. The server may be at fault.`;
      throw new McpToolSetError('protocol_error', detail, { data: { rounds: MAX_ROUNDS } });
    }
    renew();
    if (questions.length === 0) await sleep(PAUSE, signal);
    const inputResponses = questions.length === 0 ? undefined : await answerAll(questions, options);
    renew();
    sent = { ...params, ...(inputResponses && { inputResponses }), ...(requestState !== undefined && { requestState }) };
  }
}

async function answerAll(
  entries: readonly (readonly [key: string, entry: unknown])[],
  { server, method, owner, signal }: RoundOptions,
): Promise<Record<string, McpResult>> {
  const questions = entries.map(([key, entry]) => {
    if (!isObject(entry) || typeof entry.method !== 'string') throw unreadable(method, 'that wants input and does not say which');
    return [key, { method: entry.method, params: entry.params }] as const;
  });
  // Nobody is asked when the whole cannot be answered anyway.
  const lacking = questions.find(([, question]) => !canAsk(question.method, owner?.handlers));
  if (lacking !== undefined) throw noHandler(method, lacking[1]);
  const scope = openScope({ parents: [signal] });
  const context = contextFor(server, owner, scope.signal);
  try {
    const answers = questions.map(async ([key, question]) => [key, await ask(question, owner?.handlers, context)] as const);
    return Object.fromEntries(await Promise.all(answers));
  } catch (error) {
    scope.abort(error);
    throw error;
  } finally {
    scope.release();
  }
}

function noHandler(method: string, question: Question): McpToolSetError {
  const name = handlerName(question.method);
  const { message } = (question.params ?? {}) as { message?: unknown };
  const said = typeof message === 'string' ? `, saying ${JSON.stringify(message.slice(0, 300))}` : '';
  const next =
    name === undefined ? 'It is not supported.' : `Give \`handlers.${name}\` to answer it, or do without this ${kindOf(method)}.`;
  const detail = `${method} was not completed: the server wants ${JSON.stringify(question.method)}${said}. ${next}`;
  return new McpToolSetError('input_required', detail, { data: { wanted: question.method } });
}

const kindOf = (method: string): string => (method === 'tools/call' ? 'tool' : method === 'prompts/get' ? 'prompt' : 'resource');

function unreadable(method: string, what: string): McpToolSetError {
  return new McpToolSetError('bad_response', `the answer to ${method} is a result ${what}.`);
}
