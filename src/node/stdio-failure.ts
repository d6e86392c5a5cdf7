/** Why a child process is of no use any more, as errors that say what to do. */

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { McpToolSetError } from '../errors.ts';

/** What is known of an exit; a `ChildProcess` knows it. */
interface Exit {
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
}

/** What was under way; `InFlight` knows it. */
interface Work {
  readonly everAnswered: boolean;
  readonly unsure: boolean;
}

/** The process could not be started. The arguments are not shown: they may hold secrets. */
export function startFailure(command: string, cwd: string | undefined, cause: unknown): McpToolSetError {
  const { code = 'unknown error', syscall } = cause as { code?: string; syscall?: string };
  // Node's own error lists the arguments.
  const safe = Object.assign(new Error(`${syscall ?? 'spawn'} ${code}`), { code, syscall });
  return new McpToolSetError('unavailable', `could not start "${command}" (${code}): ${startAdvice(code, cwd, command)}`, {
    cause: safe,
    data: { errno: code },
  });
}

function startAdvice(code: string, cwd: string | undefined, command: string): string {
  if ((code === 'ENOENT' || code === 'ENOTDIR') && cwd !== undefined && !existsSync(cwd)) return `\`cwd\` does not exist: ${cwd}`;
  if (code === 'ENOTDIR') return '`cwd`, or a part of the command, is a file where a folder is needed.';
  if (code === 'EACCES')
    return 'it is not executable, or `cwd` may not be entered. Make it executable, or run it through its interpreter.';
  if (code !== 'ENOENT') return 'the system refused to run it.';
  if (/\s/.test(command) && !existsSync(command))
    return 'there is no such command. Its words belong in `args`: command is the first word alone.';
  return `there is no such command. Install it, put its folder on the PATH, or give \`command\` as an absolute path.${shimAdvice(command)}`;
}

/** Windows knows scripts such as npx by a shim beside them, which is found by the PATH that the child gets. */
function shimAdvice(command: string): string {
  if (process.platform !== 'win32' || /\.\w+$/.test(command)) return '';
  return ` On Windows that is the path of its shim, such as C:\\Program Files\\nodejs\\${basename(command)}.cmd; no shell has to be named.`;
}

/** The process ended by itself. */
export function exitFailure(command: string, exit: Exit, output: string, work: Work): McpToolSetError {
  const { exitCode, signalCode: signal } = exit;
  const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
  const when = work.everAnswered ? '' : ' before it answered the handshake';
  return new McpToolSetError(
    work.unsure ? 'outcome_unknown' : 'unavailable',
    `the server process "${command}" ${how}${when}. ${advice(work)}${quote(output)}`,
    { data: { exitCode, signal } },
  );
}

function advice({ everAnswered, unsure }: Work): string {
  if (unsure) return 'The request may have been executed: check before repeating it.';
  return everAnswered ? 'The next request starts it again.' : 'Run the command by hand to see why.';
}

/** The process lives but cannot be talked to, and was ended. */
export function brokenFailure(command: string, what: string, output: string, waiting: boolean): McpToolSetError {
  return new McpToolSetError(
    waiting ? 'outcome_unknown' : 'unavailable',
    `the server process "${command}" ${what}, and was ended.${waiting ? ' The request may have been executed.' : ''}${quote(output)}`,
  );
}

/** The process wrote a message past the cap, and was ended. */
export function tooLargeFailure(command: string, max: number): McpToolSetError {
  return new McpToolSetError(
    'too_large',
    `the server process "${command}" wrote more than ${max} bytes without a line break, and was ended. Ask it for less, or raise \`maxMessageBytes\`.`,
    { data: { maxMessageBytes: max } },
  );
}

/** A line on stdout that is not the protocol. Not fatal. */
export function noise(line: string): McpToolSetError {
  return new McpToolSetError(
    'bad_response',
    `a line on stdout is not JSON-RPC and was skipped, as will be others like it: ${JSON.stringify(line.slice(0, 200))}. Have the server log to stderr.`,
  );
}

/** The request never left: it is safe to send it again. `cause` says what had happened before. */
export function notSent(command: string, why: string, output: string, cause?: McpToolSetError): McpToolSetError {
  const { exitCode, signal } = cause?.data ?? {};
  const how = signal ?? (exitCode === undefined ? undefined : `exit code ${exitCode}`);
  return new McpToolSetError(
    'unavailable',
    `the server process "${command}" ${why}${how === undefined ? '' : ` (${how})`}; nothing was sent. Try again.${quote(output)}`,
    { cause, data: cause?.data },
  );
}

export function closedFailure(): McpToolSetError {
  return new McpToolSetError('closed', 'the connection to the server process was closed.');
}

function quote(output: string): string {
  return output === '' ? '' : `\nIts last output:\n${output}`;
}
