/** The environment of a child process: a short safe list, what is asked for, and what is declared. */

import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { matchesGlob } from '../lib/glob.ts';

export interface ChildEnv {
  readonly env: Record<string, string>;
  /** Values that no error may show. */
  readonly secrets: readonly string[];
}

const SOUNDS_SECRET = /key|token|secret|passw|credential|auth/i;
/** A URL with a user name or password in it. */
const HAS_LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;

/**
 * The safe list (`HOME`, `PATH`, `USER`, …) comes first, then what `inherit` names (`true`: everything), then `declared`; so declaring
 * a token never costs the child its `PATH`, and nothing else of this process's environment leaks into a server.
 */
export function childEnv(
  declared: Readonly<Record<string, string>> = {},
  inherit: boolean | readonly string[] = false,
): ChildEnv {
  const env: Record<string, string> = getDefaultEnvironment();
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(process.env)) {
    // A value that begins with () is a shell function, which old shells would run.
    if (value === undefined || value.startsWith('()') || !wanted(name, inherit)) continue;
    set(env, name, value);
    if (inherit !== true || SOUNDS_SECRET.test(name) || HAS_LOGIN.test(value)) secrets.push(value);
  }
  for (const [name, value] of Object.entries(declared)) {
    set(env, name, value);
    secrets.push(value);
  }
  return { env, secrets };
}

/** Values of arguments that sound secret: `--token=x`, `--token x`, and URLs with a login in them. */
export function argumentSecrets(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const [, flag = '', value = ''] = /^--?([\w.-]+)=(.+)$/s.exec(arg) ?? [];
    const before = args[index - 1] ?? '';
    const follows = before.startsWith('-') && !before.includes('=') && SOUNDS_SECRET.test(before) && !arg.startsWith('-');
    const found = SOUNDS_SECRET.test(flag) || HAS_LOGIN.test(value) ? [value] : [];
    return follows || HAS_LOGIN.test(arg) ? [...found, arg] : found;
  });
}

function wanted(name: string, inherit: boolean | readonly string[]): boolean {
  return typeof inherit === 'boolean' ? inherit : inherit.some((pattern) => matchesGlob(name, pattern));
}

function set(env: Record<string, string>, name: string, value: string): void {
  if (process.platform === 'win32') {
    // `Path` and `PATH` are one variable there, and of two spellings the wrong one might win.
    for (const known of Object.keys(env)) if (known.toLowerCase() === name.toLowerCase()) delete env[known];
  }
  env[name] = value;
}
