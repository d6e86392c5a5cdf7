/** Checks what is handed to the methods of a provider. */

import * as z from 'zod/mini';
import type { McpEventName } from '../events.ts';
import { type Issue, invalid } from '../lib/issues.ts';
import { didYouMean } from '../lib/suggest.ts';
import { check, strict } from './check.ts';
import { checkPair, filled, handlers, media, principal, record, resourceTools, signal, structured } from './options.ts';
import { checkServer } from './servers.ts';
import { isObject, keyProblem, texts } from './settings.ts';

const call = strict({ server: filled, tool: filled, input: z.optional(record), principal, handlers, signal });
const promptList = strict({ server: z.optional(filled), principal, signal });
const prompt = { server: filled, name: filled, arguments: z.optional(record), principal, signal };
const promptGet = strict(prompt);
const promptComplete = strict({ ...prompt, argument: filled, value: z.string() });
const status = strict({ probe: z.optional(z.boolean()), principal, signal });
const instructions = strict({ principal, servers: z.optional(texts), signal });

const rows = strict({ server: z.optional(filled), principal, signal });
const read = strict({ server: filled, uri: filled, anew: z.optional(z.boolean()), principal, handlers, signal });
const subscription = strict({ server: filled, uri: filled, principal, signal });

/** The same for those of one method of `provider.resources`. */
export function checkResourceOptions(method: 'list' | 'templates' | 'read' | 'subscribe', options: unknown): void {
  const issues: Issue[] = [];
  check(method === 'read' ? read : method === 'subscribe' ? subscription : rows, options, [], issues);
  if (issues.length > 0) throw invalid(`The options of provider.resources.${method}() are not valid`, issues);
}

/** The same for those of `resourceTools()`. */
export function checkResourceTools(options: unknown): void {
  const issues: Issue[] = [];
  check(strict({ principal, handlers, media, structured, resources: z.optional(resourceTools) }), options, [], issues);
  const { resources } = isObject(options) ? options : {};
  if (isObject(resources)) checkPair(resources, issues);
  if (issues.length > 0) throw invalid('The options of resourceTools() are not valid', issues);
}

/** The same for those of one `provider.callTool()`. */
export function checkCallOptions(options: unknown): void {
  const issues: Issue[] = [];
  check(call, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.callTool() are not valid', issues);
}

/** Those of one `provider.prompts.list()`. */
export function checkPromptList(options: unknown): void {
  const issues: Issue[] = [];
  check(promptList, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.prompts.list() are not valid', issues);
}

/** Those of one `provider.prompts.get()`. */
export function checkPromptGet(options: unknown): void {
  const issues: Issue[] = [];
  check(promptGet, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.prompts.get() are not valid', issues);
}

/** Those of one `provider.prompts.complete()`. */
export function checkPromptComplete(options: unknown): void {
  const issues: Issue[] = [];
  check(promptComplete, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.prompts.complete() are not valid', issues);
}

/** The same for one server that is added. */
export function checkAddedServer(key: string, config: unknown, taken: boolean): void {
  const issues: Issue[] = [];
  const message = typeof key !== 'string' ? 'must be a string.' : keyProblem(key);
  if (message !== undefined) issues.push({ path: 'key', message });
  if (taken) issues.push({ path: 'key', message: 'is taken by another server; remove that one first, or call setServers().' });
  checkServer(config, ['config'], issues);
  if (issues.length > 0) throw invalid('The arguments of provider.addServer() are not valid', issues);
}

/** Those of one `provider.status()`: a misspelled `principal` must not go by as nobody's. */
export function checkStatusOptions(options: unknown): void {
  const issues: Issue[] = [];
  check(status, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.status() are not valid', issues);
}

/** Those of one `provider.instructions()`. */
export function checkInstructionsOptions(options: unknown): void {
  const issues: Issue[] = [];
  check(instructions, options, [], issues);
  if (issues.length > 0) throw invalid('The options of provider.instructions() are not valid', issues);
}

export function checkRoots(roots: unknown): void {
  if (Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root.uri === 'string')) return;
  throw invalid('The argument of provider.setRoots() is not valid', [
    { path: 'roots', message: 'must be a list of { uri, name? }.' },
  ]);
}

const EVENTS: Readonly<Record<McpEventName, true>> = {
  call: true,
  call_result: true,
  call_error: true,
  request: true,
  request_result: true,
  request_error: true,
  notification: true,
  connected: true,
  disconnected: true,
  session_reset: true,
  list_changed: true,
  warning: true,
};

export function checkListener(event: unknown, listener: unknown): void {
  const issues: Issue[] = [];
  const known = Object.keys(EVENTS);
  if (typeof event !== 'string' || !Object.hasOwn(EVENTS, event)) {
    const meant = typeof event === 'string' ? didYouMean(event, known) : '';
    issues.push({ path: 'event', message: `is none of ${known.join(', ')}.${meant}` });
  }
  if (typeof listener !== 'function') issues.push({ path: 'listener', message: 'must be a function.' });
  if (issues.length > 0) throw invalid('The arguments of provider.on() are not valid', issues);
}
